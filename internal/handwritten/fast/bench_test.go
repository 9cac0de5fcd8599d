package fast

import "testing"

// BenchmarkStep times single steps along trajectories of TrajectorySteps steps
// from the starts of the workloads, so GLF(b) finds its position evaluated at
// all but the first.
func BenchmarkStep(b *testing.B) {
	w := must[*Workload](b)(BananaWorkload())
	banana := must[*Banana](b)(NewBanana(w.Y, w.Params["sigma_y"], w.Params["sigma_theta"]))
	b.Run("banana_imb", func(b *testing.B) { benchmark(b, w, pairsOf[[2]float64](w), banana.StepIMb, 0.1) })
	b.Run("banana_glfb", func(b *testing.B) { benchmark(b, w, pairsOf[[2]float64](w), banana.StepGLFb, 0.1) })

	w = must[*Workload](b)(LogisticWorkload())
	logistic := must[*Logistic](b)(NewLogistic(w.X, w.Y))
	starts := pairsOf[[LogisticK]float64](w)
	b.Run("logistic_imb", func(b *testing.B) { benchmark(b, w, starts, logistic.StepIMb, 0.1) })
	b.Run("logistic_imb_eps1", func(b *testing.B) { benchmark(b, w, starts, logistic.StepIMb, 1) })
	b.Run("logistic_glfb", func(b *testing.B) { benchmark(b, w, starts, logistic.StepGLFb, 0.1) })
}

// A pair is a phase-space point with arrays in place of slices.
type pair[V any] struct{ q, p V }

func pairsOf[V [2]float64 | [LogisticK]float64](w *Workload) []pair[V] {
	var out []pair[V]
	for _, s := range w.Starts {
		out = append(out, pair[V]{V(s.Q), V(s.P)})
	}
	return out
}

func benchmark[V any](b *testing.B, w *Workload, starts []pair[V], step func(q, p *V, eps, tol float64) (int, bool), eps float64) {
	var z pair[V]
	iterations, steps, start := 0, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if steps%TrajectorySteps == 0 {
			z = starts[start]
			start = (start + 1) % len(starts)
		}
		it, ok := step(&z.q, &z.p, eps, workloadTolerance)
		if !ok {
			b.Fatalf("step %d failed", steps)
		}
		iterations += it
		steps++
	}
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(steps), "ns/step")
	b.ReportMetric(ns/float64(iterations), "ns/iteration")
	b.ReportMetric(float64(iterations)/float64(steps), "iterations/step")
	b.ReportMetric(0, "ns/op") // the same as ns/step
}
