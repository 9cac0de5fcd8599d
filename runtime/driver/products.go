package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/files"
)

// ProductsName is the name of the file in a directory of draws that lists what was made
// from them beside them: exports, a report.
const ProductsName = "products.json"

// product is a file or a directory that was made from the draws beside it.
type product struct {
	Name string `json:"name"`
	Sum  string `json:"sha256"` // of its content, see productSum
}

// products is the content of the file that lists them.
type products struct {
	Products []product `json:"products"`
	Sum      string    `json:"sha256"` // of the file itself
}

// NoteProduct notes that the file or directory called name, in the directory dir of draws, was
// made from them and holds nothing else. A run that replaces the draws removes it with them,
// unless it has been changed since. It is an error if the name is that of another directory's
// file or of one that a run writes, if it cannot be read, or if the note cannot be written.
func NoteProduct(dir, name string) error {
	if !productName(name) {
		return fmt.Errorf("%s is not the name of something made from draws", name)
	}
	sum, err := productSum(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	list, err := readProducts(dir)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p product) bool { return p.Name == name })
	list = append(list, product{name, sum})
	slices.SortFunc(list, func(a, b product) int { return strings.Compare(a.Name, b.Name) })
	text, err := seal(&products{list, unsealed})
	if err != nil {
		return err
	}
	return files.Replace(filepath.Join(dir, ProductsName), text)
}

// productName reports whether something beside the draws may have that name: none of another
// directory, nor of a file that a run itself writes.
func productName(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name && name != "." && !IsRunFile(name)
}

// IsRunFile reports whether name is that of a file that a run writes, or keeps, in its directory of
// draws. Nothing else may have that name there.
func IsRunFile(name string) bool {
	switch name {
	case ManifestName, clockName, AuditName, FailuresName, lockName, ProductsName:
		return true
	}
	return draws.FileNumber(name) != 0 || filepath.Ext(name) == checkpointEnding
}

// readProducts reads the list of products, which is empty where there is no file. It is an error if
// the file is not what was written.
func readProducts(dir string) ([]product, error) {
	path := filepath.Join(dir, ProductsName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p products
	if err := unseal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged, or was edited: %w; bring it back as it was, or remove it, after which hamc no longer knows what it made here", path, err)
	}
	return slices.DeleteFunc(p.Products, func(p product) bool { return !productName(p.Name) }), nil
}

// removeProducts removes what was made from the draws in dir, and the list of it. It
// returns the names of what is left because it was changed since, in the order of names.
func removeProducts(dir string) (left []string, err error) {
	list, err := readProducts(dir)
	if err != nil {
		list = nil // it tells nothing for sure, and is no reason to refuse a new run
	}
	for _, p := range list {
		path := filepath.Join(dir, p.Name)
		switch sum, err := productSum(path); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || sum != p.Sum:
			left = append(left, p.Name)
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return left, err
		}
	}
	return left, forgetProducts(dir)
}

// forgetProducts removes the list of products, and none of them.
func forgetProducts(dir string) error {
	err := os.Remove(filepath.Join(dir, ProductsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// productSum is the SHA-256 of a file, or of the names and the contents of a directory and all
// below it, in hexadecimal digits. It is an error if there is anything but files and directories.
func productSum(path string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error { // in the order of names
		if err != nil {
			return err
		}
		below, err := filepath.Rel(path, at)
		if err != nil {
			return err
		}
		if d.IsDir() {
			fmt.Fprintf(sum, "directory %q\n", filepath.ToSlash(below))
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is neither a file nor a directory", at)
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		content := sha256.New()
		if _, err := io.Copy(content, f); err != nil {
			return err
		}
		fmt.Fprintf(sum, "file %q %x\n", filepath.ToSlash(below), content.Sum(nil))
		return nil
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
