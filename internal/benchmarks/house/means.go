package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// Moments says how far means and standard deviations of a run of each side agree, with the settings of a user who sets none. Such runs
// differ in every digit as soon as anything of the warm-up does; the posterior that they are of does not.
type Moments struct {
	Model   string  `json:"model"`
	Numbers int     `json:"numbers"` // means and standard deviations
	Worst   float64 `json:"worst"`   // the largest difference, in standard errors of both runs together
	Of      string  `json:"of"`      // what has it
	Bound   float64 `json:"bound"`   // what the largest of so many exceeds once in a hundred times, if they are independent
	OldRHat float64 `json:"old_rhat"`
	NewRHat float64 `json:"new_rhat"` // the largest
	Failure string  `json:"failure,omitempty"`
}

// momentChains is the number of chains of these runs, which are as long as hamc makes them.
const momentChains = 4

// compareMoments runs both compilers on all examples that both know.
func compareMoments(ctx context.Context, old, now *Side, examples []example, loads map[string]Workload, flags ...string) []Moments {
	var out []Moments
	for _, e := range examples {
		if _, ok := loads[e.Name]; !ok {
			continue
		}
		row := Moments{Model: e.Name}
		a, err := old.chains(ctx, e, "moments", momentChains, flags...)
		if err == nil {
			var b []*Chain
			if b, err = now.chains(ctx, e, "moments", momentChains, flags...); err == nil {
				err = row.agree(a, b)
			}
		}
		if err != nil {
			row.Failure = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		out = append(out, row)
	}
	return out
}

// agree compares the chains of both sides: all columns but the sampler's statistics and what does not vary.
func (m *Moments) agree(a, b []*Chain) error {
	for _, name := range a[0].Columns {
		if strings.HasSuffix(name, "__") {
			continue
		}
		x, err := columnOf(a, name)
		if err != nil {
			return err
		}
		y, err := columnOf(b, name)
		if err != nil {
			return err
		}
		mx, sx := meanSD(x)
		my, sy := meanSD(y)
		if sx == 0 && sy == 0 && mx == my {
			continue
		}
		m.OldRHat, m.NewRHat = max(m.OldRHat, diagnostics.RHat(x)), max(m.NewRHat, diagnostics.RHat(y))
		m.number("mean of "+name, (my-mx)/math.Hypot(diagnostics.MCSEMean(x), diagnostics.MCSEMean(y)))
		m.number("sd of "+name, (sy-sx)/math.Hypot(diagnostics.MCSESD(x), diagnostics.MCSESD(y)))
	}
	if m.Numbers == 0 {
		return errors.New("nothing varies")
	}
	m.Bound = distuv.UnitNormal.Quantile(1 - 0.005/float64(m.Numbers))
	return nil
}

// number takes a difference in standard errors. One that is not a number is the largest.
func (m *Moments) number(of string, z float64) {
	m.Numbers++
	if z = math.Abs(z); z > m.Worst || math.IsNaN(z) || m.Of == "" {
		m.Worst, m.Of = z, of
	}
}

// columnOf returns a column of some chains.
func columnOf(chains []*Chain, name string) ([][]float64, error) {
	var out [][]float64
	for _, c := range chains {
		at := -1
		for i, column := range c.Columns {
			if column == name {
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("the new draws have no column %s", name)
		}
		var v []float64
		for _, d := range c.Draws {
			x, err := strconv.ParseFloat(d[at], 64)
			if err != nil {
				return nil, err
			}
			v = append(v, x)
		}
		out = append(out, v)
	}
	return out, nil
}

// meanSD returns mean and standard deviation over all chains.
func meanSD(chains [][]float64) (mean, sd float64) {
	n := 0.0
	for _, c := range chains {
		for _, x := range c {
			n++
			mean += (x - mean) / n
		}
	}
	for _, c := range chains {
		for _, x := range c {
			sd += (x - mean) * (x - mean)
		}
	}
	return mean, math.Sqrt(sd / (n - 1))
}
