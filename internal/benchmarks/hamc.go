package benchmarks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// Hamc is the command, built for a benchmark, with a directory for its draws.
type Hamc struct {
	Root string // of the module, where it is run
	work string
}

// BuildHamc builds the command of the module that the working directory is in.
func BuildHamc() (*Hamc, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "benchmark-")
	if err != nil {
		return nil, err
	}
	h := &Hamc{Root: root, work: work}
	cmd := exec.Command("go", "build", "-o", h.binary(), "./cmd/hamc")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		h.Remove()
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return h, nil
}

func (h *Hamc) binary() string { return filepath.Join(h.work, "hamc") }

// Remove removes the command and its draws.
func (h *Hamc) Remove() { os.RemoveAll(h.work) }

// moduleRoot finds the directory of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	path := strings.TrimSpace(string(out))
	if path == "" || path == os.DevNull {
		return "", errors.New("not within the module")
	}
	return filepath.Dir(path), nil
}

// Outcome is what a run came to.
type Outcome struct {
	By            map[string][][]float64 // draws by column and chain
	Chains, Draws int
	RHat          float64 // largest of the parameters
	Bulk, Tail    float64 // least of the parameters
	Failed        float64 // share of transitions
	Divergent     int
	Irreversible  int
	Seconds       float64 // of the sampling phase, all chains together
}

// Run runs `hamc run` on a model with some flags.
func (h *Hamc) Run(model string, flags ...string) (*Outcome, error) {
	dir := filepath.Join(h.work, "draws")
	args := append([]string{"run", model, "--output-dir", dir, "--overwrite", "--quiet"}, flags...)
	cmd := exec.Command(h.binary(), args...)
	cmd.Dir = h.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// A run that falls short of its effective sample size, or has a bad verdict, has draws all the same.
	err := cmd.Run()
	if said := stderr.String(); err != nil && !strings.Contains(said, "short of the") && !strings.Contains(said, "against these draws") {
		return nil, fmt.Errorf("hamc %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	set, err := draws.Load(dir)
	if err != nil {
		return nil, err
	}
	chains, n := set.Aligned()
	o := &Outcome{By: map[string][][]float64{}, Chains: len(chains), Draws: n, Bulk: math.Inf(1), Tail: math.Inf(1)}
	failed := 0
	for i, name := range set.Columns {
		var x [][]float64
		for _, c := range chains {
			x = append(x, c.Values[i][:n])
		}
		o.By[name] = x
		if draws.IsStatistic(name) {
			continue
		}
		o.RHat = max(o.RHat, diagnostics.RHat(x))
		o.Bulk, o.Tail = min(o.Bulk, diagnostics.ESSBulk(x)), min(o.Tail, diagnostics.ESSTail(x))
	}
	for c := range chains {
		for i := range n {
			if o.By["failure__"][c][i] != 0 {
				failed++
			}
			o.Divergent += int(o.By["divergent__"][c][i])
			o.Irreversible += int(o.By["irreversible__"][c][i])
		}
	}
	o.Failed = float64(failed) / float64(n*len(chains))
	return o, o.readTimes(filepath.Join(dir, "time.json"))
}

// readTimes reads the times of the chains.
func (o *Outcome) readTimes(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var clock struct {
		Chains []struct {
			SamplingSeconds float64 `json:"sampling_seconds"`
		} `json:"chains"`
	}
	if err := json.Unmarshal(text, &clock); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range clock.Chains {
		o.Seconds += c.SamplingSeconds
	}
	return nil
}

// Mean returns the mean of a column over all draws.
func (o *Outcome) Mean(column string) float64 { return diagnostics.Mean(o.By[column]) }
