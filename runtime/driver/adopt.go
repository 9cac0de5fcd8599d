package driver

import (
	"os"
	"path/filepath"
)

// Adopt puts the finished run in the directory from in the place of that in dir, and removes from. The manifest comes last: until it is there, dir
// holds no run.
func Adopt(dir, from string) error {
	held, err := lock(dir)
	if err != nil {
		return err
	}
	defer held.Close()
	if _, err := clearRun(dir); err != nil {
		return err
	}
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range list {
		if name := f.Name(); IsRunFile(name) && name != lockName && name != ManifestName {
			names = append(names, name)
		}
	}
	for _, name := range append(names, ManifestName) {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(from)
}
