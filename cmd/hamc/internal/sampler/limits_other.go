//go:build !unix

package sampler

import (
	"io/fs"
	"os"
)

// AddressLimit returns how much address space the process may have, if it is limited.
func AddressLimit() (uint64, bool) { return 0, false }

// ours returns an error unless a file belongs to this user; nothing is known of that here.
func ours(string, fs.FileInfo) error { return nil }

// share does nothing: a file that is in use cannot be removed on such systems.
func share(*os.File) {}

// wait does nothing, likewise.
func wait(*os.File) {}

// lockAlone does nothing, likewise.
func lockAlone(*os.File) bool { return true }

// executable returns false: nothing is known of that without starting a file.
func executable(string) bool { return false }
