package config

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed starter.yaml
var starter string

// FileName is the configuration's name inside a data directory.
const FileName = "stoplog.yaml"

// WriteStarter writes a commented configuration with working sources into dir,
// with fresh secrets and tokens beside it (mode 0600). It never overwrites: what
// is there already is an error that wraps [fs.ErrExist].
func WriteStarter(dir, listen string) (path string, err error) {
	if listen == "" {
		listen = DefaultListen
	}
	path = filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err == nil {
		return "", fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Join(dir, "secrets"), 0o700); err != nil {
		return "", err
	}
	t := starterTemplate{File: path, Listen: listen, dir: dir}
	tmpl, err := template.New("starter").Parse(starter)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, &t); err != nil {
		return "", err
	}
	if _, err := Parse(b.Bytes()); err != nil {
		return "", fmt.Errorf("the starter configuration does not pass its own check: %w", err)
	}
	if err := writeNew(filepath.Join(dir, "stoplog.schema.json"), Schema, 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, writeNew(path, b.Bytes(), 0o600)
}

// TokenFile is where the starter configuration puts a token.
func TokenFile(dir, name string) string { return filepath.Join(dir, "secrets", name+".token") }

// SecretFile is where the starter configuration puts a source's webhook secret.
func SecretFile(dir, source string) string { return filepath.Join(dir, "secrets", source+".secret") }

type starterTemplate struct {
	File, Listen string
	dir          string
}

// BrokerPassword gives the password of the embedded broker, made at its first start and
// kept beside the tokens: other users of the machine could otherwise ask for tool calls
// and commit offsets, and a tool of the operator's can use it.
func BrokerPassword(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Join(dir, "secrets"), 0o700); err != nil {
		return "", err
	}
	return keep(filepath.Join(dir, "secrets", "broker.password"), randomText(24))
}

// Token makes a token, writes it to its file and gives its hash.
func (t *starterTemplate) Token(name string) (string, error) {
	token, err := keep(TokenFile(t.dir, name), "slt_"+randomText(32))
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:]), err
}

// Secret makes a webhook secret in the Standard Webhooks form, writes it to its
// file and gives the reference to it.
func (t *starterTemplate) Secret(source string) (string, error) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	secret := "whsec_" + base64.StdEncoding.EncodeToString(b[:])
	_, err := keep(SecretFile(t.dir, source), secret)
	return "file:secrets/" + source + ".secret", err
}

// keep writes a fresh value to its file, or gives the one that is there: a start
// that was cut off after it wrote a token goes on with that token.
func keep(path, fresh string) (string, error) {
	err := writeNew(path, []byte(fresh+"\n"), 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return fresh, err
	}
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

func writeNew(path string, b []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
