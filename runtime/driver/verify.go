package driver

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// FileSum is what a file of a run was when the run ended.
type FileSum struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"crc32c"`
}

// bringBack is what helps where a file of a run is not what it was.
const bringBack = "bring it back as it was; else the files of draws that are whole can be read without the run: copy them to a directory of their own"

// sumBuffer is the size of a buffer for sumFile.
const sumBuffer = 1 << 16

// sumFile reads a file by way of a buffer, and returns what it is.
func sumFile(dir, name string, buffer []byte) (FileSum, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return FileSum{}, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{f}, buffer)
	return FileSum{name, n, sum.Sum32()}, err
}

// close notes in the manifest what the files of a run are, now that it has ended. The file of
// wall-clock figures is not among them: two runs with the same manifest differ in it.
func (m *Manifest) close(dir string) error {
	var names []string
	for i := range m.Options.Chains {
		names = append(names, filepath.Base(chainFile(dir, i)), filepath.Base(checkpointFile(dir, i)))
	}
	buffer := make([]byte, sumBuffer)
	for _, name := range append(names, AuditName, FailuresName) {
		s, err := sumFile(dir, name, buffer)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no audits, no failures, a chain that did not begin
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, s)
	}
	return m.write(dir)
}

// Verify returns the manifest of a directory of draws, once all files of the run in it are found to be
// what the run has written; nil if they are draws of another program, or files of draws that were
// copied without their run. An error names the file that is missing, damaged, edited or of
// another run. Of a run that goes on, or was killed, only what is certain already is checked: each
// file of draws up to the last checkpoint of its chain. What a run has not written itself has no say,
// but for the list of what was made from its draws.
func Verify(dir string) (*Manifest, error) {
	for tries := 0; ; tries++ {
		before, _ := os.ReadFile(filepath.Join(dir, ManifestName))
		m, err := verify(dir)
		if err == nil || tries == 3 {
			return m, err
		}
		// A run that ends, or goes on, at this moment changes its files.
		if after, _ := os.ReadFile(filepath.Join(dir, ManifestName)); bytes.Equal(before, after) {
			return nil, err
		}
	}
}

func verify(dir string) (*Manifest, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var written []string // by a run, but for what is sealed
	of := ""             // a file that only a run writes
	manifest := false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ManifestName:
			manifest = true
		case name == clockName:
			of = name
		case name == lockName || name == ProductsName || !IsRunFile(name):
		default:
			written = append(written, name)
			if filepath.Ext(name) == checkpointEnding {
				of = name
			}
		}
	}
	if _, err := readProducts(dir); err != nil {
		return nil, err
	}
	if !manifest && of == "" {
		return nil, nil
	}
	if !manifest {
		return nil, fmt.Errorf("%s: the file is gone, though %s beside it is of a run; %s", filepath.Join(dir, ManifestName), of, bringBack)
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	c, err := readClock(dir)
	switch {
	case err != nil:
		return nil, err
	case m.Files == nil:
		return m, m.verifyBegun(dir, written)
	case c == nil:
		return nil, fmt.Errorf("%s: the file is gone; %s", filepath.Join(dir, clockName), bringBack)
	}
	return m, m.verifyEnded(dir, written)
}

// verifyEnded holds the files of a run that has ended against the manifest.
func (m *Manifest) verifyEnded(dir string, written []string) error {
	buffer := make([]byte, sumBuffer)
	for _, was := range m.Files {
		path := filepath.Join(dir, was.Name)
		now, err := sumFile(dir, was.Name, buffer)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: the file is gone; %s", path, bringBack)
		case err != nil:
			return err
		case now.Bytes != was.Bytes:
			return fmt.Errorf("%s: the file has %d bytes, and had %d when the run ended; %s", path, now.Bytes, was.Bytes, bringBack)
		case now != was:
			return fmt.Errorf("%s: the file was changed since the run ended: its checksum differs; %s", path, bringBack)
		}
	}
	for _, name := range written {
		if !slices.ContainsFunc(m.Files, func(s FileSum) bool { return s.Name == name }) {
			return fmt.Errorf("%s: the file is not of this run: move it elsewhere", filepath.Join(dir, name))
		}
	}
	return nil
}

// verifyBegun holds the files of a run that has begun, and not ended in order, against its
// checkpoints.
func (m *Manifest) verifyBegun(dir string, written []string) error {
	known := []string{AuditName, FailuresName} // of an earlier part of the run
	for i := range m.Options.Chains {
		path := chainFile(dir, i)
		known = append(known, filepath.Base(path), filepath.Base(checkpointFile(dir, i)))
		c, err := readCheckpoint(checkpointFile(dir, i))
		if err != nil {
			return err
		}
		if c == nil {
			continue // it had not come so far
		}
		switch err := c.Mark.Check(path); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: the file is gone; %s", path, bringBack)
		case err != nil:
			return err
		}
	}
	for _, name := range written {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: the file is not of this run: move it elsewhere", filepath.Join(dir, name))
		}
	}
	return nil
}
