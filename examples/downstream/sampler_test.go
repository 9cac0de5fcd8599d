package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// exact returns the posterior means of mu and tau by quadrature. With the
// effects integrated out, y_j ~ N(mu, sigma_j² + tau²), so mu is Gaussian given
// tau and the rest is an integral over t = log tau, by the trapezoidal rule:
// spectrally accurate for an integrand that decays on both sides.
func exact(d Data) (mu, tau float64) {
	const priorVariance = 25
	norm := 0.0
	for t := -8.0; t <= 8; t += 0.01 {
		tau2 := math.Exp(2 * t)
		precision, weighted, log := 1.0/priorVariance, 0.0, -0.5*(t-1)*(t-1)
		for j, y := range d.Y {
			v := d.Sigma[j]*d.Sigma[j] + tau2
			precision += 1 / v
			weighted += y / v
			log -= 0.5 * (math.Log(v) + y*y/v)
		}
		mean := weighted / precision
		w := math.Exp(log + 0.5*mean*weighted - 0.5*math.Log(precision))
		norm += w
		mu += w * mean
		tau += w * math.Exp(t)
	}
	return mu / norm, tau / norm
}

func TestPosteriorMeans(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Warmup, opt.Draws, opt.Seed = 300, 500, 8
	data := eightSchools()
	draws, err := sample(context.Background(), data, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(draws) != opt.Chains || len(draws[3]) != opt.Draws || len(draws[3][0].Theta) != data.J {
		t.Fatalf("%d chains of %d draws of %d schools", len(draws), len(draws[0]), len(draws[0][0].Theta))
	}
	mu, tau := exact(data)
	for _, c := range []struct {
		name string
		of   func(Params) float64
		want float64
	}{
		{"mu", func(p Params) float64 { return p.Mu }, mu},
		{"tau", func(p Params) float64 { return p.Tau }, tau},
	} {
		x := diagnostics.Quantity(draws, c.of)
		mean, se := diagnostics.Mean(x), diagnostics.MCSEMean(x)
		if math.Abs(mean-c.want) > 5*se {
			t.Errorf("%s: mean %.3f, exactly %.3f, standard error %.3f", c.name, mean, c.want, se)
		}
	}
}

func TestDataAreChecked(t *testing.T) {
	data := eightSchools()
	data.Sigma[2] = -1
	if _, err := sample(context.Background(), data, runtime.DefaultOptions()); err == nil || !strings.Contains(err.Error(), "sigma") {
		t.Errorf("a negative standard error: %v", err)
	}
	data = eightSchools()
	data.Y = data.Y[:7]
	if _, err := sample(context.Background(), data, runtime.DefaultOptions()); err == nil || !strings.Contains(err.Error(), "y") {
		t.Errorf("a school too few: %v", err)
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sample(ctx, eightSchools(), runtime.DefaultOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
