package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/runtime"
)

func newVerify(e *env) *cobra.Command {
	var f modelFlags
	var points int
	var seed uint64
	var tol float64
	cmd := &cobra.Command{
		Use:   "verify MODEL.ham",
		Short: "Compare symbolic derivatives with finite differences at random points",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case points < 1:
				return usage{fmt.Errorf("--points %d: give at least 1", points)}
			case !(tol > 0) || math.IsInf(tol, 0):
				return usage{fmt.Errorf("--tol %v: give a positive number", tol)}
			}
			m, err := e.load(args[0], f.consts, false)
			if err != nil {
				return err
			}
			im, err := m.interpreted(f.data)
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			at := make([][]float64, points)
			for i := range at {
				at[i] = make([]float64, im.Info().Dim())
				for k := range at[i] {
					at[i][k] = 4*rng.Float64() - 2
				}
			}
			reports, err := verify(im, at)
			if err != nil {
				return problem{err}
			}
			worst := 0.0
			for _, r := range reports {
				if r.block != "" {
					fmt.Fprintf(e.stdout, "block %s\n", r.block)
				}
				if _, err := fmt.Fprint(e.stdout, r.Report); err != nil {
					return problem{err}
				}
				worst = max(worst, r.Worst())
			}
			if !(worst <= tol) {
				return problem{fmt.Errorf("the worst relative difference is %.2e, above %.0e", worst, tol)}
			}
			_, err = fmt.Fprintf(e.stdout, "all derivatives agree to %.0e at %s\n", tol, plural(points, "point"))
			return wrap(err)
		},
	}
	cmd.Flags().StringVar(&f.data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model")
	constFlag(cmd, &f.consts)
	cmd.Flags().IntVar(&points, "points", 20, "number of points, uniform on (−2, 2)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	cmd.Flags().Float64Var(&tol, "tol", 1e-6, "largest relative difference that passes")
	completeFlags(cmd)
	return cmd
}

// verified is the report of a model, or of one of its blocks.
type verified struct {
	block string
	runtime.Report
}

// verify checks a model at points or, block by block, one of several.
func verify(p runtime.Posterior, at [][]float64) ([]verified, error) {
	m, ok := p.(runtime.Model)
	if ok {
		r, err := runtime.CheckGradients(m, at)
		return []verified{{"", r}}, err
	}
	var out []verified
	for _, b := range p.(runtime.Gibbs).Blocks() {
		r, err := runtime.CheckBlock(p, b, at)
		if err != nil {
			return nil, err
		}
		out = append(out, verified{b.Info().Name, r})
	}
	return out, nil
}
