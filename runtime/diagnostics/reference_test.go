package diagnostics

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func readTestdata(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// referenceArrays returns the draws of testdata/arrays.json.
func referenceArrays(t *testing.T) map[string][][]float64 {
	t.Helper()
	var arrays map[string][][]float64
	readTestdata(t, "arrays.json", &arrays)
	return arrays
}

// statistics are those of testdata/expected.json, by their names there.
var statistics = map[string]func([][]float64) float64{
	"n_iter":            func(c [][]float64) float64 { return float64(len(c[0])) },
	"n_chains":          func(c [][]float64) float64 { return float64(len(c)) },
	"mean":              Mean,
	"sd":                SD,
	"ess_bulk":          ESSBulk,
	"ess_tail":          ESSTail,
	"ess_basic":         func(c [][]float64) float64 { return ESSBasic(c, true) },
	"ess_basic_nosplit": func(c [][]float64) float64 { return ESSBasic(c, false) },
	"ess_mean":          ESSMean,
	"ess_sd":            ESSSD,
	"ess_median":        ESSMedian,
	"ess_q05":           func(c [][]float64) float64 { return ESSQuantile(c, 0.05) },
	"ess_q95":           func(c [][]float64) float64 { return ESSQuantile(c, 0.95) },
	"rhat":              RHat,
	"rhat_basic":        func(c [][]float64) float64 { return RHatBasic(c, true) },
	"rhat_basic_nosplit": func(c [][]float64) float64 {
		return RHatBasic(c, false)
	},
	"mcse_mean":   MCSEMean,
	"mcse_sd":     MCSESD,
	"mcse_median": MCSEMedian,
	"mcse_q05":    func(c [][]float64) float64 { return MCSEQuantile(c, 0.05) },
	"mcse_q95":    func(c [][]float64) float64 { return MCSEQuantile(c, 0.95) },
	"q05":         func(c [][]float64) float64 { return Quantile(c, 0.05) },
	"q50":         Median,
	"q95":         func(c [][]float64) float64 { return Quantile(c, 0.95) },
}

// agrees tells whether got is want to a relative 1e-10, or NaN like it.
func agrees(got, want float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return got == want || math.Abs(got-want) <= 1e-10*math.Abs(want)
}

// TestReference compares every statistic of every case with the R package
// posterior.
func TestReference(t *testing.T) {
	arrays := referenceArrays(t)
	var expected map[string]map[string]any
	readTestdata(t, "expected.json", &expected)
	if len(arrays) == 0 || len(arrays) != len(expected) {
		t.Fatalf("%d arrays, %d expected", len(arrays), len(expected))
	}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		t.Run(name, func(t *testing.T) {
			if len(expected[name]) != len(statistics) {
				t.Errorf("%d statistics expected, %d known", len(expected[name]), len(statistics))
			}
			for _, statistic := range slices.Sorted(maps.Keys(expected[name])) {
				want, ok := expected[name][statistic].(float64)
				if !ok {
					if expected[name][statistic] != "NA" {
						t.Fatalf("%s: %v", statistic, expected[name][statistic])
					}
					want = math.NaN()
				}
				if got := statistics[statistic](arrays[name]); !agrees(got, want) {
					t.Errorf("%s = %.17g, want %.17g (relative error %.2g)",
						statistic, got, want, math.Abs(got/want-1))
				}
			}
		})
	}
}

// TestESSPaper compares with the estimator used in Brofos & Lederman (2021).
func TestESSPaper(t *testing.T) {
	var file struct {
		Cases []struct {
			Name   string
			Chain  []float64
			Paper  float64 `json:"ess_paper"`
			Single float64 `json:"ess_single_chain"`
			RHat   float64 `json:"rhat_paper"`
		}
	}
	readTestdata(t, "ess.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		if got := ESSPaper(c.Chain); !agrees(got, c.Paper) {
			t.Errorf("%s: ESSPaper = %.17g, want %.17g", c.Name, got, c.Paper)
		}
		if got := ESSBulk([][]float64{c.Chain}); !agrees(got, c.Single) {
			t.Errorf("%s: ESSBulk = %.17g, want %.17g", c.Name, got, c.Single)
		}
		half := len(c.Chain) / 2
		if got := RHat([][]float64{c.Chain[:half], c.Chain[half:]}); !agrees(got, c.RHat) {
			t.Errorf("%s: RHat = %.17g, want %.17g", c.Name, got, c.RHat)
		}
	}
}
