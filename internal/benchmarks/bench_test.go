package benchmarks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/handwritten/fast"
	"github.com/hamc-dev/hamc/symbolic"
)

// sink keeps results alive.
var sink float64

// BenchmarkStep times steps along the trajectories of the workloads. Compare
// generated code with code written by hand by
//
//	benchstat -col /by
func BenchmarkStep(b *testing.B) {
	runners, err := Runners()
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range runners {
		b.Run(fmt.Sprintf("model=%s/integrator=%s/by=%s", r.Model, r.Integrator, r.By), func(b *testing.B) {
			b.ReportAllocs()
			iterations, trajectories := 0, 0
			for b.Loop() {
				it, ok := r.Trajectory(trajectories % fast.NumStarts)
				if !ok {
					b.Fatal("a step failed")
				}
				iterations += it
				trajectories++
			}
			steps := trajectories * fast.TrajectorySteps
			ns := float64(b.Elapsed().Nanoseconds())
			b.ReportMetric(ns/float64(steps), "ns/step")
			b.ReportMetric(ns/float64(iterations), "ns/iteration")
			b.ReportMetric(float64(iterations)/float64(steps), "iterations/step")
			b.ReportMetric(0, "ns/op") // of no interest beside ns/step
		})
	}
}

// BenchmarkExpChain times one call of math.Exp in a chain of dependent ones. An
// iteration of IM(b) on the banana has to cost at most 0.6 of that.
func BenchmarkExpChain(b *testing.B) {
	const n = 1000
	x := 0.5
	for b.Loop() {
		x = ExpChain(x, n)
	}
	sink = x
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/exp")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIteration times iterations of the logistic regression with n = 569 by
// the number k of coefficients. The midpoint's forms XᵀΛX, so it grows like k²;
// the momentum's multiplies X and Xᵀ by vectors, and grows like k.
func BenchmarkIteration(b *testing.B) {
	for _, k := range []int{5, 10, 20, 40} {
		it, err := Logistic(k)
		if err != nil {
			b.Fatal(err)
		}
		for _, solve := range []struct {
			name string
			run  func() (int, bool)
		}{{"midpoint", it.Midpoint}, {"momentum", it.Momentum}} {
			b.Run(fmt.Sprintf("solve=%s/k=%d", solve.name, k), func(b *testing.B) {
				n := 0
				for b.Loop() {
					m, ok := solve.run()
					if !ok {
						b.Fatal("the solve did not end at its limit")
					}
					n += m
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/iteration")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkObservations times the density and its gradient on the banana. They
// depend on the data by sufficient statistics alone, so the number of
// observations makes no difference.
func BenchmarkObservations(b *testing.B) {
	for _, n := range []int{100, 1_000_000} {
		m, err := Banana(n, 1)
		if err != nil {
			b.Fatal(err)
		}
		q, grad := BananaStart(), make([]float64, 2)
		b.Run(fmt.Sprintf("of=density/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = m.LogDensity(q)
			}
		})
		b.Run(fmt.Sprintf("of=gradient/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = m.Gradient(grad, q)
			}
		})
	}
}

// BenchmarkCompile times the compiler on the examples: everything from text to
// Go, and derivation and generation alone.
func BenchmarkCompile(b *testing.B) {
	paths, err := filepath.Glob("../../examples/*.ham")
	if err != nil || len(paths) == 0 {
		b.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		file := filepath.Base(path)
		name := strings.TrimSuffix(file, ".ham")
		load := func() *dsl.Model {
			m, ds := dsl.Load(file, string(text), dsl.Options{})
			if m == nil {
				b.Fatal(ds)
			}
			return m
		}
		generate := func(m *dsl.Model) {
			d, ds := symbolic.Derive(m)
			if d == nil {
				b.Fatal(ds)
			}
			if _, err := codegen.Generate(d, codegen.Options{Package: name, Source: file, Text: string(text)}); err != nil {
				b.Fatal(err)
			}
		}
		b.Run("model="+name+"/from=text", func(b *testing.B) {
			for b.Loop() {
				generate(load())
			}
		})
		b.Run("model="+name+"/from=checked", func(b *testing.B) {
			m := load()
			for b.Loop() {
				generate(m)
			}
		})
	}
}

// BenchmarkFirstDraw times hamc run, from the command to the first draw and the
// end of the program: of a model that is compiled for the first time, with the
// standard library and the runtime in Go's build cache; of one compiled before;
// and with Go's build cache empty.
func BenchmarkFirstDraw(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "hamc")
	command(b, nil, "go", "build", "-o", bin, "../../cmd/hamc")
	run := func(b *testing.B, samplers, gocache string) {
		command(b, []string{"XDG_CACHE_HOME=" + samplers, "GOCACHE=" + gocache},
			bin, "run", "../../examples/banana.ham", "--quiet", "--chains=1", "--warmup=0", "--draws=1",
			"--step-size=0.1", "--steps=10", "--output-dir="+filepath.Join(b.TempDir(), "draws"), "--overwrite")
	}
	gocache := b.TempDir()
	known := b.TempDir()
	run(b, known, gocache)
	b.Run("model=new", func(b *testing.B) {
		for b.Loop() {
			run(b, b.TempDir(), gocache)
		}
	})
	b.Run("model=compiled_before", func(b *testing.B) {
		for b.Loop() {
			run(b, known, gocache)
		}
	})
	b.Run("model=new_and_cold_build_cache", func(b *testing.B) {
		for b.Loop() {
			run(b, b.TempDir(), b.TempDir())
		}
	})
}

// command runs a program with additions to the environment.
func command(b *testing.B, env []string, name string, args ...string) {
	b.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	// A run of one draw has a bad verdict.
	if out, err := c.CombinedOutput(); err != nil && !strings.Contains(string(out), "against these draws") {
		b.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
}

// BenchmarkTransition times dynamic trajectories on the banana by the step, and steps that are
// alike with nothing around them.
func BenchmarkTransition(b *testing.B) {
	t, err := NewTransitions()
	if err != nil {
		b.Fatal(err)
	}
	for _, of := range []struct {
		name string
		work func(n int) (steps int)
	}{{"transitions", t.Dynamic}, {"steps", t.Alone}} {
		b.Run("of="+of.name, func(b *testing.B) {
			steps, n := 0, 0
			for b.Loop() {
				steps += of.work(100)
				n += 100
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
			b.ReportMetric(float64(steps)/float64(n), "steps/transition")
			b.ReportMetric(0, "ns/op")
		})
	}
}
