package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/files"
)

// checkpoint is a place from which a chain can go on: its state, and the end of its
// file of draws at that state.
type checkpoint struct {
	Mark     draws.Mark     `json:"mark"`
	Adapted  bool           `json:"adapted"`            // the file tells what the warm-up came to
	Audits   []string       `json:"audits,omitempty"`   // lines of the file of audits
	Failures []string       `json:"failures,omitempty"` // lines of the file of failures
	State    *runtime.State `json:"state"`
}

// checkpointHeader is the first line of a checkpoint. The number is the CRC-32C of what
// follows.
const checkpointHeader = "hamc checkpoint %08x\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chainFile is the name of the draws of chain i, counted from 0.
func chainFile(dir string, i int) string {
	return filepath.Join(dir, draws.FileName(i+1))
}

// checkpointEnding ends the names of checkpoints.
const checkpointEnding = ".checkpoint"

// checkpointFile is the name of the checkpoint of chain i, counted from 0.
func checkpointFile(dir string, i int) string {
	return filepath.Join(dir, "chain_"+strconv.Itoa(i+1)+checkpointEnding)
}

// write replaces the checkpoint in path.
func (c *checkpoint) write(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	text = append(text, '\n')
	head := fmt.Appendf(nil, checkpointHeader, crc32.Checksum(text, castagnoli))
	return files.Replace(path, append(head, text...))
}

// readCheckpoint reads the checkpoint in path, or returns nil if there is none: the chain
// had not come so far.
func readCheckpoint(path string) (*checkpoint, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(text, []byte("\n"))
	if want := fmt.Sprintf(checkpointHeader, crc32.Checksum(body, castagnoli)); string(head)+"\n" != want {
		return nil, fmt.Errorf("%s: the checkpoint is damaged; remove it to run this chain again from its beginning", path)
	}
	c := &checkpoint{}
	if err := json.Unmarshal(body, c); err != nil {
		return nil, fmt.Errorf("%s: the checkpoint is of another version of hamc: %w", path, err)
	}
	if c.State == nil || len(c.State.Blocks) == 0 {
		return nil, fmt.Errorf("%s: the checkpoint holds no state of a chain", path)
	}
	return c, nil
}
