// Command tolerance measures what the tolerance δ of the fixed-point solves leaves behind: the
// violation of reversibility and of volume preservation of a step, and the bias of moments
// that are known.
//
//	go run ./internal/benchmarks/tolerance
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

func main() {
	draws := flag.Int("draws", 25_000, "draws of each of 4 chains on the banana; of the regression a tenth")
	flag.Parse()
	if err := run(*draws); err != nil {
		fmt.Fprintln(os.Stderr, "tolerance:", err)
		os.Exit(1)
	}
}

func run(draws int) error {
	b, err := banana.ReadData(must(os.Open("examples/banana.data.json")), "banana.data.json")
	if err != nil {
		return err
	}
	ridge, err := banana.New(b)
	if err != nil {
		return err
	}
	l, err := logistic.ReadData(must(os.Open("examples/logistic.data.json")), "logistic.data.json")
	if err != nil {
		return err
	}
	regression, err := logistic.New(l)
	if err != nil {
		return err
	}
	eb, err := fixtures.LoadBananaExact()
	if err != nil {
		return err
	}
	el, err := fixtures.LoadLogisticExact()
	if err != nil {
		return err
	}
	fmt.Println("| model | δ | iterations per step | reversibility, median and 90 % | volume, median and 90 % | acceptance | moments, largest z | bias of sd, mean of all |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, delta := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8} {
		if err := measure(ridge, delta, 0.12, draws, eb.Mean, eb.SD, nil, nil); err != nil {
			return err
		}
	}
	for _, delta := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6} {
		if err := measure(regression, delta, 0.8, draws/10, el.Mean, el.SD, el.MeanSE, el.SDSE); err != nil {
			return err
		}
	}
	return nil
}

// must returns the file, or a closed one whose reading fails with the reason.
func must(f *os.File, _ error) *os.File { return f }

// measure prints the row of a model and a tolerance.
func measure(m runtime.Model, delta, eps float64, draws int, mean, sd, meanSE, sdSE []float64) error {
	opt := runtime.DefaultOptions()
	opt.StepSize, opt.Draws, opt.Warmup, opt.ExtraDoublings = eps, draws, 500, 0
	opt.Solver.Tolerance = delta
	// With a step size that is right for the posterior, solves fail far away from it.
	opt.Init = []runtime.Point{mean}
	// The check of reversibility would hide what is to be measured.
	opt.ReverseCheck = runtime.ReverseOff
	r, err := runtime.Sample(context.Background(), m, opt, nil)
	if err != nil {
		return err
	}
	var n runtime.Totals
	worst, bias := 0.0, 0.0
	for i := range r.Chains {
		t := r.Chains[i].Sampling()
		n.Join(&t)
	}
	for j := range mean {
		var x [][]float64
		for i := range r.Chains {
			x = append(x, r.Chains[i].Draws[j])
		}
		se := [2]float64{}
		if meanSE != nil {
			se = [2]float64{meanSE[j], sdSE[j]}
		}
		worst = max(worst, math.Abs(diagnostics.Mean(x)-mean[j])/math.Hypot(diagnostics.MCSEMean(x), se[0]),
			math.Abs(diagnostics.SD(x)-sd[j])/math.Hypot(diagnostics.MCSESD(x), se[1]))
		bias += (diagnostics.SD(x)/sd[j] - 1) / float64(len(mean))
	}

	// One step from draws, with fresh momenta.
	step, err := runtime.Stepper(m, runtime.IMb, runtime.DefaultMethod)
	if err != nil {
		return err
	}
	s := opt.Solver
	s.Method = s.Method.Resolve(len(mean))
	rng := rand.New(rand.NewPCG(1, 1))
	x, q, p := make([]float64, len(mean)), make([]float64, len(mean)), make([]float64, len(mean))
	sys := runtime.AsSystem(m)
	var back, volume []float64
	for i := range min(500, draws) {
		for j := range x {
			x[j] = r.Chains[0].Draws[j][i*(draws/min(500, draws))]
		}
		if err := m.Unconstrain(q, x); err != nil {
			return err
		}
		for j := range p {
			p[j] = rng.NormFloat64()
		}
		if st := runtime.AsSystem(m).DrawMomentum(p, q); st != runtime.OK {
			return fmt.Errorf("no momentum at a draw: %v", st)
		}
		if e, st := runtime.ReversibilityError(sys, s.Norm, step, q, p, eps, 1, &s); st == runtime.OK {
			back = append(back, e)
		}
		if e, st := runtime.VolumeError(sys, s.Norm, step, q, p, eps, 1, &s, 1e-5); st == runtime.OK {
			volume = append(volume, e)
		}
	}
	slices.Sort(back)
	slices.Sort(volume)
	quantiles := func(x []float64) string {
		if len(x) == 0 {
			return "no step succeeds"
		}
		return fmt.Sprintf("%.0e, %.0e", x[len(x)/2], x[len(x)*9/10])
	}
	fmt.Printf("| %s | %.0e | %.1f | %s | %s | %.3f | %.1f | %+.2f %% |\n", m.Info().Name, delta,
		float64(n.Iterations)/float64(n.Steps), quantiles(back), quantiles(volume), n.SumAccept/float64(n.Transitions), worst, 100*bias)
	return nil
}
