package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/files"
)

// ManifestName is the name of the file in a directory of draws that says what run they
// are of.
const ManifestName = "run.json"

// Manifest says what run a directory of draws belongs to. It is written before the first
// draw, and again, with the checksums of the files, when the run ends or is interrupted. Two runs
// with the same manifest make the same files.
type Manifest struct {
	Format  int                `json:"format"` // of the directory: FormatVersion
	Model   string             `json:"model"`
	Params  []runtime.Param    `json:"params"`            // all, on their own scale
	Derived []runtime.Quantity `json:"derived,omitempty"` // generated quantities
	Names   []string           `json:"names"`             // of the components that are kept
	Stats   []string           `json:"stats"`             // of the statistics
	Options runtime.Options    `json:"options"`           // with the integrators that run
	Uniform []string           `json:"uniform,omitempty"` // of a start from the prior: the parameters that have none
	Target  Target             `json:"target"`
	Origin  Origin             `json:"origin"`
	Race    *runtime.Race      `json:"race,omitempty"`  // how the metric was chosen; nil where there was no choice
	Jumps   *Jumps             `json:"jumps,omitempty"` // of chains at different places; nil where there were none, and while the run goes on
	Files   []FileSum          `json:"files,omitempty"` // as they were when the run ended; none while it goes on, and after a crash
	Sum     string             `json:"sha256"`          // of the manifest itself
}

// Jumps tells how chains jumped between the places to which warm-up had led them.
type Jumps struct {
	Places int `json:"places"`
	Times  int `json:"times"` // in the draws of all chains, from one place to another
}

// jumpsOf are those of some chains; nil where these are at one place.
func jumpsOf(chains []runtime.Chain) *Jumps {
	var j Jumps
	for i := range chains {
		if b := chains[i].Blocks; len(b) > 0 {
			j.Places = max(j.Places, b[0].Places)
			j.Times += b[0].Sampling.Jumps
		}
	}
	if j.Places == 0 {
		return nil
	}
	return &j
}

// FormatVersion is the version of the layout of a directory of draws.
const FormatVersion = 2

// Target is how far a run goes.
type Target struct {
	// MinESS, if positive, is the effective sample size, bulk and tail, of every
	// component up to which the run goes on after Options.Draws draws.
	MinESS float64 `json:"min_ess,omitempty"`

	// MaxRHat, if positive, is what R-hat of every component has to come down to as well.
	MaxRHat float64 `json:"max_rhat,omitempty"`

	// MaxDraws is the number of draws per chain at which it stops all the same.
	MaxDraws int `json:"max_draws,omitempty"`

	// FarDraws, if it is the larger, is that number where draws are cheap, see Operations.
	FarDraws int `json:"far_draws,omitempty"`

	// Operations are how many all chains together may take to go beyond MaxDraws, as runtime.DrawWork counts them.
	Operations float64 `json:"operations,omitempty"`

	// Yields says that a run stops where its draws say that MaxDraws would not be enough, and that it is no failure to end short of the target.
	Yields bool `json:"yields,omitempty"`
}

// Origin says where a run came from, for whoever resumes it. It is kept as it is. The
// checksums and Sampler that a request to resume has must be those of the run.
type Origin struct {
	Model    string   `json:"model,omitempty"`  // path
	Source   string   `json:"source,omitempty"` // the text of the model
	Data     string   `json:"data,omitempty"`   // path
	Consts   []string `json:"consts,omitempty"`
	Evaluate bool     `json:"evaluate,omitempty"`

	Coordinates string `json:"coordinates,omitempty"` // "declared" where no vector has others than those of its declaration; "" where that is hamc's choice
	Instead     string `json:"instead,omitempty"`     // what spoke against draws in other coordinates, in the place of which these are

	ModelSum string `json:"model_sha256,omitempty"`
	DataSum  string `json:"data_sha256,omitempty"`
	Sampler  string `json:"sampler,omitempty"` // identifies the program: code, runtime, Go, architecture
}

// ReadManifest reads the manifest of a directory of draws. It is an error if it is not what was
// written; see Verify for the files beside it.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no %s: is this a directory of draws?", dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := unseal(text, m); err != nil {
		var other struct{ Format int }
		if json.Unmarshal(text, &other) == nil && other.Format != FormatVersion {
			return nil, fmt.Errorf("%s: format %d of a directory of draws; this version of hamc has format %d", path, other.Format, FormatVersion)
		}
		return nil, fmt.Errorf("%s: the file is damaged, or was edited: %w; %s", path, err, bringBack)
	}
	if m.Format != FormatVersion {
		return nil, fmt.Errorf("%s: format %d of a directory of draws; this version of hamc has format %d", path, m.Format, FormatVersion)
	}
	return m, nil
}

// write writes the manifest to its directory, all of it or nothing. What it says of other files is to
// outlast what becomes of them, so it is on the disk when write returns.
func (m *Manifest) write(dir string) error {
	m.Sum = unsealed
	text, err := seal(m)
	if err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(dir, ManifestName), text); err != nil {
		return err
	}
	return files.SyncDir(dir)
}

// fits returns how a run differs from the one of the manifest in what decides its
// draws, or nil.
func (m *Manifest) fits(o *Manifest) error {
	differs := func(what string, a, b any) error {
		x, err := json.Marshal(a)
		if err != nil {
			return err
		}
		y, err := json.Marshal(b)
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("the run to resume has another %s: %s, not %s", what, x, y)
		}
		return nil
	}
	same := func(what, was, now string) error {
		if now == "" || now == was {
			return nil
		}
		return fmt.Errorf("the run to resume has another %s (%s, now %s)", what, was, now)
	}
	a, b := m.Options, o.Options
	// These decide how many draws there are, or how fast, but not which.
	a.Draws, a.Workers, a.Discard = b.Draws, b.Workers, b.Discard
	return errors.Join(
		differs("model", m.Model, o.Model),
		differs("list of parameters", m.Params, o.Params),
		differs("list of generated quantities", m.Derived, o.Derived),
		differs("list of columns", append(m.Stats, m.Names...), append(o.Stats, o.Names...)),
		differs("setting", a, b),
		same("model", m.Origin.ModelSum, o.Origin.ModelSum),
		same("data set", m.Origin.DataSum, o.Origin.DataSum),
		same("sampler", m.Origin.Sampler, o.Origin.Sampler),
	)
}
