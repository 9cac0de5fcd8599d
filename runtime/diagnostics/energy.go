package diagnostics

import "math"

// EBFMI returns the energy Bayesian fraction of missing information of one
// chain, estimated from the energies H_i of its draws as
//
//	Σ_{i≥1} (H_i − H_{i−1})² / Σ_{i≥0} (H_i − H̄)²;
//
// Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in
// Hamiltonian Monte Carlo. Below 0.3 the momenta explore the energies too
// slowly. NaN for fewer than two draws, for energies that are all
// equal and for ones that are not finite.
func EBFMI(energy []float64) float64 {
	a := array{energy, len(energy), 1}
	if a.undefined() {
		return math.NaN()
	}
	mu := mean(energy)
	steps, spread := 0.0, 0.0
	for i, h := range energy {
		spread += float64((h - mu) * (h - mu))
		if i > 0 {
			d := h - energy[i-1]
			steps += float64(d * d)
		}
	}
	return steps / spread
}
