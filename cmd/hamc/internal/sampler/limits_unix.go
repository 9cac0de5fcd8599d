//go:build unix

package sampler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// AddressLimit returns how much address space the process may have, if it is limited.
func AddressLimit() (uint64, bool) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || int64(r.Cur) < 0 || uint64(r.Cur) >= 1<<62 {
		return 0, false
	}
	return uint64(r.Cur), true
}

// ours returns an error unless a file belongs to this user.
func ours(path string, fi fs.FileInfo) error {
	if s, ok := fi.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (%d): programs are not started from there", path, s.Uid)
	}
	return nil
}

// share keeps a file from being locked by others, with lockAlone, until it is closed.
func share(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH) // some file systems have no locks
}

// wait locks a file that no other process has locked then, until it is closed.
func wait(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // some file systems have no locks
}

// lockAlone locks a file unless others share it. It returns false if they do.
func lockAlone(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// executable reports whether the system lets the user start a file, as far as its permissions and those of its file system go: where that
// is mounted noexec, it does not.
func executable(path string) bool {
	const may = 1 // X_OK
	return syscall.Access(path, may) == nil
}
