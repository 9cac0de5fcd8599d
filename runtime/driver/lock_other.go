//go:build !unix

package driver

import (
	"os"
	"path/filepath"
)

// lock opens the lock file only: that two processes write to one directory is not noticed
// on this system.
func lock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
}
