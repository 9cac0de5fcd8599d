package sampler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// What a compiler has found out of a model on its way to a sampler is kept beside the samplers, as a note: the next
// run of the same model finds its sampler, and need not compile. A note is found by all that decides what the compiler
// makes: its subject, which the caller tells, the program that compiles, and what is compiled for and with. A note
// without its sampler is of no use, and goes with it.

// A Note is what is kept of a build.
type Note struct {
	ID   string // of the sampler
	Text []byte // the caller's own
}

// notesName is the name of the directory of notes in the cache.
const notesName = "notes"

// noteHeader is the first line of a note: its subject, the ID of the sampler, and the CRC-32C of what follows.
const noteHeader = "hamc note %s %s %08x\n"

// Recall returns the note on a subject that was kept by this program, with this Go toolchain and for this machine; nil if there is
// none, or if it is damaged.
func Recall(ctx context.Context, subject string) *Note {
	c, name, err := noteOf(ctx, subject)
	if err != nil {
		return nil // which the build tells, if it matters
	}
	return c.note(name)
}

// Remember keeps a note on a subject and the sampler that it has led to, if that is in the cache. Without the note the next run
// takes longer, and that is all, so there is no error.
func (b *Binary) Remember(ctx context.Context, subject string, text []byte) {
	if b.use == nil {
		return
	}
	if c, name, err := noteOf(ctx, subject); err == nil {
		c.write(name, &Note{b.ID, text})
	}
}

// noteOf returns the cache, and the name that the note on a subject has there.
func noteOf(ctx context.Context, subject string) (*Cache, string, error) {
	me, err := identity()
	if err != nil {
		return nil, "", err
	}
	tool, ok := quickGo()
	if !ok {
		if tool, err = findGo(ctx); err != nil {
			return nil, "", err
		}
	}
	c, err := OpenCache()
	if err != nil {
		return nil, "", err
	}
	h := sha256.New()
	for _, s := range []string{me, tool.settings(), subject} {
		fmt.Fprintf(h, "%d\n%s\n", len(s), s)
	}
	return c, hex.EncodeToString(h.Sum(nil)), nil
}

// identity tells the programs that compile apart: the path, the size and the time of the executable of this process, and how it
// begins, for that is where a Go program holds its build ID, which is a hash of all that it is made of.
var identity = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return identityOf(path)
})

// identityOf is the identity of an executable.
func identityOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, 8<<10); err != nil && err != io.EOF {
		return "", err
	}
	return fmt.Sprintf("%s %d %d %x", path, fi.Size(), fi.ModTime().UnixNano(), h.Sum(nil)), nil
}

// note reads a note, nil if there is none that is whole.
func (c *Cache) note(name string) *Note {
	text, err := os.ReadFile(filepath.Join(c.Dir, notesName, name))
	if err != nil {
		return nil
	}
	head, body, ok := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(string(head))
	if !ok || len(fields) != 5 || string(head)+"\n" != headerOf(name, fields[3], body) {
		return nil
	}
	return &Note{fields[3], body}
}

// headerOf is the first line of a note.
func headerOf(name, id string, body []byte) string {
	return fmt.Sprintf(noteHeader, name, id, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

// write writes a note. It may be lost where the machine ends, and is known for it.
func (c *Cache) write(name string, n *Note) {
	dir := filepath.Join(c.Dir, notesName)
	if os.MkdirAll(dir, 0o700) != nil || private(dir) != nil {
		return
	}
	defer c.alone()() // sweepNotes takes the file for no note
	f, err := os.CreateTemp(dir, ".*")
	if err != nil {
		return
	}
	_, err = f.Write(append([]byte(headerOf(name, n.ID, n.Text)), n.Text...))
	if e := f.Close(); err != nil || e != nil || os.Rename(f.Name(), filepath.Join(dir, name)) != nil {
		_ = os.Remove(f.Name()) // else sweepNotes does
	}
}

// sweepNotes removes the notes on samplers that are gone, and what is no note.
func (c *Cache) sweepNotes() {
	defer c.alone()()
	list, err := os.ReadDir(filepath.Join(c.Dir, notesName))
	if err != nil {
		return
	}
	samplers, err := os.ReadDir(filepath.Join(c.Dir, samplersName))
	if err != nil {
		return
	}
	kept := map[string]bool{}
	for _, e := range samplers {
		id, _, _ := strings.Cut(e.Name(), ".")
		kept[id] = true
	}
	for _, e := range list {
		if n := c.note(e.Name()); n == nil || !kept[n.ID] {
			_ = os.RemoveAll(filepath.Join(c.Dir, notesName, e.Name())) // else the next one does
		}
	}
}
