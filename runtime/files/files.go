// Package files writes files so that nobody sees half of one.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Replace gives a file its content in one step: whoever reads it, and whatever ends the program, finds the
// old content or the new. It is written beside the file under a name that no other process has, and
// renamed. A device or a pipe is written to: it has no old content, and a file in its place would be none.
func Replace(path string, content []byte) error {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() && !fi.IsDir() {
		return os.WriteFile(path, content, 0o666)
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
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

// beside creates a file in the directory of another, with the permissions of a new file: those of a temporary one are fewer.
func beside(path string) (*os.File, error) {
	for {
		name := fmt.Sprintf(".%s-%x", filepath.Base(path), rand.Uint64())
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
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
