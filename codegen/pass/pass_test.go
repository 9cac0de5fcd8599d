package pass_test

import (
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/internal/golden"
)

// TestGolden: each pass makes of the programs in testdata/PASS.txt what stands behind them there, and both keep the
// rules.
func TestGolden(t *testing.T) {
	for _, x := range pass.All {
		t.Run(x.Name, func(t *testing.T) {
			golden.Run(t, filepath.Join("testdata", x.Name+".txt"), func(t *testing.T, in string) string {
				p, err := loop.Parse(in)
				if err == nil {
					err = loop.Verify(p)
				}
				if err != nil {
					t.Fatal(err)
				}
				p.Largest = 12 // of the pass divide
				if last := len(p.Funcs) - 1; x.Name == "flatten" {
					step := p.Funcs[last] // that a step is, package unroll's tests show
					p.Funcs, p.Steps = p.Funcs[:last], []func() *loop.Func{func() *loop.Func { return step }}
				}
				x.Run(p)
				if err := loop.Verify(p); err != nil {
					t.Errorf("what the pass makes: %v", err)
				}
				return p.Format()
			})
		})
	}
}
