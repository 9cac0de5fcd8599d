// Package files writes files so that nobody sees half of one.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace gives a file its content in one step: whoever reads it, and whatever ends the program, finds the
// old content or the new. It is written beside the file under a name that no other process has, and
// renamed.
func Replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what matters is the error before
	}
	return err
}

// SyncDir sees to it that the names in a directory are on the disk, so that a file that was replaced
// before comes before one that is changed afterwards, whatever ends the machine. Systems that cannot
// do that for a directory go without.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some file systems have no sync of directories
	return d.Close()
}
