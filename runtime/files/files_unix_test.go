//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no file is written to, and stays what it is.
func TestReplacePipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	if err := Replace(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(path)
	if err != nil || fi.Mode()&fs.ModeNamedPipe == 0 {
		t.Fatalf("%v, %v", fi.Mode(), err) // nobody writes to the reader
	}
	if got := <-read; got != "text" {
		t.Errorf("%q was read", got)
	}
}
