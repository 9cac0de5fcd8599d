package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hamc-dev/hamc/runtime/driver"
)

// resumeFlags are the flags that a resumed run may have: where its files are now, how
// far it goes, and what is shown. All else is as it was.
var resumeFlags = map[string]bool{
	"resume": true, "data": true, "draws": true, "min-ess": true, "max-draws": true, "workers": true, "quiet": true, "progress": true,
}

// resumed plans the rest of the run in the directory of --resume.
func (e *env) resumed(cmd *cobra.Command, args []string, f *runFlags) (*plan, error) {
	var refused []string
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if !resumeFlags[fl.Name] {
			refused = append(refused, "--"+fl.Name)
		}
	})
	if len(refused) > 0 {
		return nil, usage{fmt.Errorf("%s: a run that is resumed keeps its settings, but for --draws, --min-ess, --max-draws and --workers", strings.Join(refused, ", "))}
	}
	if err := runDirectory(f.resume); err != nil {
		return nil, err
	}
	man, err := driver.Verify(f.resume) // the sampler asks again, once nobody else can write there
	if err != nil {
		return nil, problem{err}
	}
	if man == nil {
		return nil, problem{fmt.Errorf("%s: there is no %s: is this the directory of a run?", f.resume, driver.ManifestName)}
	}
	was := man.Origin
	if was.Model == "" {
		return nil, problem{fmt.Errorf("%s was not made by `hamc run`: resume it with the program that made it", f.resume)}
	}
	p := &plan{dir: f.resume}
	p.request = driver.Request{Resume: true, Options: man.Options, Target: man.Target, Origin: was}
	opt := &p.request.Options
	if cmd.Flags().Changed("draws") {
		opt.Draws = f.opt.Draws
		if p.request.Target.Yields {
			p.request.Target = driver.Target{}
		}
	}
	opt.Workers = f.opt.Workers
	if cmd.Flags().Changed("min-ess") {
		p.request.Target = f.target(cmd, opt)
	}
	if f.maxDraws != 0 {
		p.request.Target.MaxDraws, p.request.Target.FarDraws, p.request.Target.Operations = f.maxDraws, 0, 0
	}
	if err := errors.Join(opt.ValidateAlone(), p.request.Target.Validate(opt.Draws)); err != nil {
		return nil, usage{err}
	}

	path, data := was.Model, was.Data
	if len(args) > 0 {
		path = args[0]
	}
	if f.data != "" {
		data = f.data
	}
	if err := e.open(cmd.Context(), p, path, data, was.Consts, f.quiet); err != nil {
		return nil, err
	}
	now := p.request.Origin
	for _, c := range []struct{ what, path, was, now string }{
		{"model", path, was.ModelSum, now.ModelSum},
		{"data", data, was.DataSum, now.DataSum},
	} {
		if c.was != c.now {
			return nil, problem{fmt.Errorf("%s: the %s has changed since the run in %s began: bring it back as it was, or start a new run", c.path, c.what, f.resume)}
		}
	}
	p.request.Origin = was
	return p, nil
}

// checksum is the SHA-256 of a text, in hexadecimal digits.
func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// fileChecksum is the checksum of the content of a file, which it does not hold in memory.
func fileChecksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", problem{inWords(path, err)}
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", problem{inWords(path, err)}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
