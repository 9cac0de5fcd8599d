package sampler

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hamc-dev/hamc/runtime/files"
)

// The bounds of the cache. Beyond them the samplers that were not used for longest go.
const (
	MaxCacheAge   = 90 * 24 * time.Hour // since a sampler was used
	MaxCacheBytes = 1 << 30             // of all samplers

	maxBuildAge = 24 * time.Hour // of what a build that was killed has left
)

// Cache is the directory in which samplers are kept: that of the user's caches (os.UserCacheDir), below
// hamc. It is the user's alone. A sampler is a file whose name ends in a checksum of its content, so a
// file that is empty, cut short or changed is known for that, and is as if it were not there. Any number of
// processes may use a cache at once: a sampler gets its name when it is whole and on the disk, and is
// not removed while it is in use.
type Cache struct{ Dir string }

// samplersName is the name of the directory of samplers in the cache.
const samplersName = "samplers"

// lockName is the name of the file that a process holds while it gives or removes the name of a sampler.
const lockName = "lock"

// buildPrefix begins the names of the directories in which samplers are built.
const buildPrefix = "build-"

// OpenCache returns the cache, which it makes if it is not there. It is an error if there is no place for
// one, or if others could put programs there.
func OpenCache() (*Cache, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("there is no place for a cache: %w", err)
	}
	c := &Cache{filepath.Join(base, "hamc")}
	for _, dir := range []string{c.Dir, filepath.Join(c.Dir, samplersName)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := private(dir); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// private sees to it that a directory is the user's alone.
func private(dir string) error {
	link, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	fi, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(ours(dir, link), ours(dir, fi)); err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// An Entry is a sampler in the cache.
type Entry struct {
	Path  string
	Bytes int64
	Used  time.Time // last
}

// Entries lists the samplers of the cache, the one used last first.
func (c *Cache) Entries() ([]Entry, error) {
	list, err := os.ReadDir(filepath.Join(c.Dir, samplersName))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, e := range list {
		fi, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{filepath.Join(c.Dir, samplersName, e.Name()), fi.Size(), fi.ModTime()})
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.Path, b.Path)) })
	return out, nil
}

// find returns the sampler with an ID, nil if there is none that is whole; damaged tells of one that is not.
func (c *Cache) find(id string) (b *Binary, damaged bool) {
	list, err := os.ReadDir(filepath.Join(c.Dir, samplersName))
	if err != nil {
		return nil, false
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), id+".") {
			continue
		}
		path := filepath.Join(c.Dir, samplersName, e.Name())
		if b := open(path); b != nil {
			return b, damaged
		}
		if _, err := os.Lstat(path); err == nil && os.RemoveAll(path) == nil { // else another process was faster
			damaged = true
		}
	}
	return nil, damaged
}

// open returns the sampler in a file, nil unless it is what was written there. It is in use until it is
// removed, and was used now.
func open(path string) *Binary {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	share(f)
	sum, err := contentSum(f)
	if now, e := os.Stat(path); err != nil || e != nil || !os.SameFile(fi, now) || !strings.HasSuffix(strings.TrimSuffix(path, ".exe"), "."+sum) {
		f.Close()
		return nil
	}
	if fi.Mode().Perm() != 0o700 {
		_ = os.Chmod(path, 0o700) // else it does not start, and that is told
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // else it goes sooner
	return &Binary{Path: path, use: f}
}

// contentSum is the checksum in the name of a file: its CRC-32C and its length. The directory is the user's alone, so that it is
// damage that it tells of; a cryptographic one would take a tenth of the time of a small run.
func contentSum(r io.Reader) (string, error) {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(h, r)
	return fmt.Sprintf("%08x%x", h.Sum32(), n), err
}

// buildDirectory makes a directory in which to build.
func (c *Cache) buildDirectory() (string, error) { return os.MkdirTemp(c.Dir, buildPrefix) }

// keep moves a program that was built in the cache to its place.
func (c *Cache) keep(id, program string) (*Binary, error) {
	f, err := os.OpenFile(program, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	sum, err := contentSum(f)
	// On the disk before it has its name: a name without content would be a sampler that is empty.
	err = errors.Join(err, f.Chmod(0o700), f.Sync(), f.Close())
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(c.Dir, samplersName)
	path := filepath.Join(dir, id+"."+sum) + filepath.Ext(program)
	// A process that removes the sampler of that name, which it found unused, would remove this one.
	defer c.alone()()
	if b := open(path); b != nil {
		return b, nil // another process was faster, and uses it: it would lose the name if this one took it
	}
	if err := errors.Join(os.Rename(program, path), files.SyncDir(dir)); err != nil {
		return nil, err
	}
	b := open(path)
	if b == nil {
		return nil, fmt.Errorf("%s: what was written there does not read back", path)
	}
	return b, nil
}

// Prune removes what is beyond the bounds of the cache, and what builds that were killed have left. What is
// in use stays.
func (c *Cache) Prune() {
	list, err := c.Entries()
	if err != nil {
		return // it is for the next one
	}
	sum := int64(0)
	for _, e := range list {
		sum += e.Bytes
		if sum > MaxCacheBytes || time.Since(e.Used) > MaxCacheAge {
			c.remove(&e)
		}
	}
	c.sweep(maxBuildAge)
	c.sweepNotes()
}

// Clean removes all samplers that are not in use, and what builds that were killed have left. It returns
// what was removed and what is left.
func (c *Cache) Clean() (removed, left []Entry, err error) {
	list, err := c.Entries()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range list {
		if c.remove(&e) {
			removed = append(removed, e)
		} else {
			left = append(left, e)
		}
	}
	c.sweep(time.Hour)
	c.sweepNotes()
	return removed, left, nil
}

// alone keeps other processes from giving and removing names of samplers until the returned call.
func (c *Cache) alone() (end func()) {
	f, err := os.OpenFile(filepath.Join(c.Dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {} // the directory cannot be written to: nothing will be
	}
	wait(f)
	return func() { f.Close() }
}

// remove removes a sampler unless it is in use, and reports whether it is gone.
func (c *Cache) remove(e *Entry) bool {
	defer c.alone()()
	f, err := os.Open(e.Path)
	if err != nil {
		return os.RemoveAll(e.Path) == nil // nobody can run it
	}
	defer f.Close()
	return lockAlone(f) && os.RemoveAll(e.Path) == nil
}

// sweep removes directories of builds that are so old that nobody builds there any more, and the
// directories that earlier versions of hamc kept.
func (c *Cache) sweep(age time.Duration) {
	list, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	for _, e := range list {
		fi, err := e.Info()
		old := len(e.Name()) == 16 && strings.Trim(e.Name(), "0123456789abcdef") == ""
		if err == nil && fi.IsDir() && (strings.HasPrefix(e.Name(), buildPrefix) || old) && time.Since(fi.ModTime()) > age {
			_ = os.RemoveAll(filepath.Join(c.Dir, e.Name())) // else the next one does
		}
	}
}
