package differential

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/internal/fixtures"
)

// TestPosteriorDB compares the models of posteriordb, as the language says them,
// with Stan: log densities and gradients with constants and Jacobians, and the
// parameters on their own scale. TestGenerated does so for the generated code of
// those in the corpus, package conformance for the examples.
func TestPosteriorDB(t *testing.T) {
	const corpus, examples = "testdata/models/", "../../examples/"
	for _, row := range []struct {
		posterior, file string
		tolerance       float64 // relative
	}{
		{"blr", corpus + "blr.ham", stanTolerance},
		{"dugongs_model", corpus + "dugongs_model.ham", stanTolerance},
		{"eight_schools_centered", corpus + "eight_schools_centered.ham", stanTolerance},
		{"eight_schools_noncentered", corpus + "eight_schools_noncentered.ham", stanTolerance},
		{"gp_regr", examples + "gaussian_process.ham", stanTolerance},
		{"kidscore_interaction", corpus + "kidscore_interaction.ham", stanTolerance},
		{"lotka_volterra", examples + "lotka_volterra.ham", odeTolerance},
		{"nes_logit_model", corpus + "nes_logit_model.ham", stanTolerance},
		{"radon_hierarchical_intercept_noncentered", corpus + "radon_hierarchical_intercept_noncentered.ham", stanTolerance},
		{"rats_model", corpus + "rats_model.ham", stanTolerance},
		{"wells_interaction_c_model", corpus + "wells_interaction_c_model.ham", stanTolerance},
	} {
		t.Run(row.posterior, func(t *testing.T) {
			text, err := os.ReadFile(row.file)
			if err != nil {
				t.Fatal(err)
			}
			post, err := fixtures.LoadPosteriorDB(row.posterior)
			if err != nil {
				t.Fatal(err)
			}
			s := &subject{name: row.posterior, text: string(text), data: post.Data, stan: post.Density.Points}
			if s.derived, err = derive(row.file, s.text, nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			im, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			if len(s.stan) != 12 {
				t.Errorf("%d points, want 12", len(s.stan))
			}
			for _, pt := range s.stan {
				s.points = append(s.points, pt.Unconstrained)
			}
			compareStan(t, s, probe.At(im, s.points), row.tolerance)
		})
	}
}

// counted finds the operation counts of what sampling repeats.
var counted = regexp.MustCompile(`(?m)^(log density|gradient|force|½⟨v vᵀ)[^:\n]*: (.*) operations`)

// TestScatterCost: what sampling repeats costs no product of sizes, where the only
// arrays over pairs are those of the weights.
func TestScatterCost(t *testing.T) {
	linear := []string{"rats_model", "radon_hierarchical_intercept_noncentered", "gather_groups", "gather_expected", "gather_logistic",
		"gather_pairs", "gather_crossed", "gather_nested", "gather_scales", "gather_band"}
	ofData := map[string]string{"rats_model": "Npts", "radon_hierarchical_intercept_noncentered": "N"}
	all := map[string]*subject{}
	for _, s := range named(t, linear...) {
		all[s.name] = s
	}
	for _, name := range linear {
		text, err := codegen.Explain(all[name].derived)
		if err != nil {
			t.Fatal(err)
		}
		var sizes []string
		for _, d := range all[name].derived.Model.Data {
			sizes = append(sizes, d.ObjectName())
		}
		sections := counted.FindAllStringSubmatch(text, -1)
		if len(sections) < 3 {
			t.Errorf("%s: %d sections with counts", name, len(sections))
		}
		for _, m := range sections {
			for _, term := range strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune(" +-", r) }) {
				size := strings.TrimLeft(term, "0123456789")
				// The data are looked at for the residuals only.
				if size != "" && !slices.Contains(sizes, size) || size != "" && size == ofData[name] && strings.HasPrefix(m[1], "½") {
					t.Errorf("%s: %s takes %s operations", name, m[1], m[2])
				}
			}
		}
	}
}
