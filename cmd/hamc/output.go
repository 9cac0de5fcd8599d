package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// noDraws returns an error if a directory holds the draws of a run.
func noDraws(dir string) error {
	files, err := draws.Files(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return problem{fmt.Errorf("--output-dir: %w", err)}
	case len(files) > 0:
		return problem{fmt.Errorf("%s holds the draws of an earlier run: choose another --output-dir, or give --overwrite", dir)}
	}
	return nil
}

// output is the directory of draws of a run.
type output struct {
	dir   string
	made  []string // directories that were made, the outermost first
	begun bool     // it holds files of the run
	stale []string // files in it that were not made from its draws, though their names say so
}

// defaultProducts are the names that exports and reports of a run have in its directory.
func defaultProducts() []string {
	names := []string{reportName}
	for _, f := range exportFormats {
		names = append(names, f.file)
	}
	return names
}

// begin notes that the draws of a run are in the directory now. Of what was made from others
// before, left is known to be there.
func (o *output) begin(resumed bool, left []string) {
	o.begun = true
	if resumed {
		return
	}
	o.stale = slices.Clone(left)
	for _, name := range defaultProducts() {
		if _, err := os.Lstat(filepath.Join(o.dir, name)); err == nil && !slices.Contains(left, name) {
			o.stale = append(o.stale, name)
		}
	}
}

// notOfRun returns an error if target has the name of a file of the run in dir.
func notOfRun(dir, target string) error {
	if driver.IsRunFile(filepath.Base(target)) && sameDirectory(dir, filepath.Dir(target)) {
		return usage{fmt.Errorf("--output %s: that is the name of a file of the run", target)}
	}
	return nil
}

// noteProduct notes that target was made from the draws in dir, if it is in that directory.
func noteProduct(dir, target string) error {
	if !sameDirectory(dir, filepath.Dir(target)) {
		return nil
	}
	if err := driver.NoteProduct(dir, filepath.Base(target)); err != nil {
		return fmt.Errorf("%s is written, but a later `hamc run --overwrite` will not remove it: %w", target, err)
	}
	return nil
}

// claim makes the directory for the draws of a run. If none is given it is the
// first of NAME-draws/1, NAME-draws/2, … that nobody has.
func claim(name, dir string) (*output, error) {
	o := &output{dir: dir}
	if dir != "" {
		return o, o.make(dir)
	}
	parent := name + "-draws"
	if err := o.make(parent); err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		o.dir = filepath.Join(parent, strconv.Itoa(n))
		err := os.Mkdir(o.dir, 0o777)
		if err == nil {
			o.made = append(o.made, o.dir)
			return o, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			o.release()
			return nil, err
		}
	}
}

// make makes a directory and notes which of its parents are new.
func (o *output) make(dir string) error {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		o.made = append([]string{d}, o.made...)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		o.release()
		return err
	}
	return nil
}

// release removes the directories that were made for a run that did not begin.
func (o *output) release() {
	if o.begun {
		return
	}
	for _, d := range slices.Backward(o.made) {
		os.Remove(d) // succeeds for empty directories only
	}
}
