package interpret_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestLibrary: functions that are written in the language have the values that R gives them, and quotients of whole numbers are floored exactly.
func TestLibrary(t *testing.T) {
	const head = "model m\ndata n int\ndata x real[n]\ndata c int[n]\ndata p real in (0, 1)\nparam a real\ndensity a*("
	const data = `{"n": 7, "x": [0.3, 1.2, -0.5, 1.2, 0.9, 7, 2], "c": [4, -1, 4, 0, 2, 9, -7], "p": 0.3}`
	for value, want := range map[string]float64{
		"median(x)": 1.2, "quantile(x, p)": 0.78, "quantile(x, 0.01)": -0.452, "quantile(x, 0.99)": 6.7, "median(c)": 2,
		"sd(x)": 2.453374740851389, "variance(c)": 24.952380952380953, "sum(i in n) i*rank(x)[i]": 132, "sum(i in n) i^2*rank(c)[i]": 516,
		"sum(i in n) i*sort(x)[i]": 74.6, "sort(c)[1] + 100*sort(c)[7]": 893, "cumulative_sum(c)[3]": 7, "cumulative_sum(x)[7]": 12.1,
		"mod(c[7], 3) + 10*mod(c[6], 4)": 12, "x[mod(5, 3)]": 1.2, "x[rank(c)[1]]": 0.9,
		"log_diff_exp(-800, -801)": -800.4586751453871, "log_diff_exp(x[6], x[2])": 6.996967852939423, "log_diff_exp(-1e-9, -2e-9)": -20.723265838446411, "log_diff_exp(3, -900)": 3,
		"log10(1000*p)": 2.477121254719662, "log2(10*p)": 1.584962500721156, "inv_sqrt(p)": 1.825741858350554, "inv_square(p)": 11.11111111111111, "inv_cloglog(x[3])": 0.45476078810739495,
		"inv_cloglog(log(-log(p)))": 0.7, "Phi_approx(x[2])": 0.8848362611035835, "Phi_approx(-7*p)": 0.017838159272456664, "sum(i in n) i*log_softmax(x)[i]": -129.96704089736374,
		"sum(i in 7) floor(i/7)": 1, "sum(i in 21) floor(i/3)": 70, "sum(i in 21) ceil(i/3)": 84, "sum(i in 21) ceil((2*i - 1)/7)": 72, "sum(i in 21) floor(-i/3)": -84,
	} {
		m := load(t, head+value+")\nmetric identity\n", data)
		if got := m.LogDensity([]float64{1}); !(math.Abs(got-want) <= 1e-8*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
}

// TestLogDiffExp: the derivatives of log(exp(x) − exp(y)) are those of its definition, also where the exponentials underflow or nearly agree.
func TestLogDiffExp(t *testing.T) {
	m := load(t, "model m\nparam a, b real\ndensity log_diff_exp(a, b)\nmetric identity\n", "{}")
	for _, x := range [][2]float64{{0.3, -1.2}, {-800, -801}, {-1, -1.0000001}, {5, -900}} {
		grad := make([]float64, 2)
		value := m.Gradient(grad, x[:])
		d := x[1] - x[0]
		if want := x[0] + math.Log(-math.Expm1(d)); !(math.Abs(value-want) <= 1e-14*math.Abs(want)) {
			t.Errorf("of %v it is %v, want %v", x, value, want)
		}
		for n, want := range []float64{-1 / math.Expm1(d), -1 / math.Expm1(-d)} {
			if !(math.Abs(grad[n]-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("of %v the derivative by argument %d is %v, want %v", x, n, grad[n], want)
			}
		}
	}
}

// TestLog1pOver: log(1 + xy)/y and its derivatives keep their digits near y = 0, and at it; values by mpmath in 60 digits.
func TestLog1pOver(t *testing.T) {
	m := load(t, "model m\nparam a, b real\ndensity log1p_over(a, b)\nmetric identity\n", "{}")
	for _, x := range []struct{ x, y, value, dx, dy float64 }{
		{3, 0, 3, 1, -4.5},
		{0.7, 0.3, 0.63540119869549903, 0.82644628099173555, -0.18962934000428062},
		{2, 0.001, 1.998002662673056, 0.99800399201596806, -1.9946786411198905},
		{-1.5, 0.013, -1.5148179496720064, 1.0198878123406425, -1.1549052953044163},
		{1.9, -0.0104, 1.9190230135524962, 1.0201583285725945, -1.8536356476378114},
		{3, 1e-09, 2.9999999955, 0.99999999700000001, -4.4999999820000001},
		{-4, -1e-12, -3.999999999992, 0.999999999996, -7.9999999999573333},
		{0.5, -1.9, 1.5767011966073633, 19.999999999999982, -4.4333151596803306},
		{1000.0, 2e-05, 990.13136480898565, 0.9803921568627451, -486960.39731202766},
		{2.0, 0.00999, 1.9802822082889078, 0.98041138061530618, -1.9478925984279721},
		{2.0, 0.01001, 1.9802432514571153, 0.98037293386404188, -1.9477905823208364},
		{40, 5, 1.0606609816118152, 0.0049751243781094527, -0.17233120129748741},
		{1e-08, 10000000.0, 9.5310179804324862e-9, 0.90909090909090909, -4.4010888952339511e-17},
	} {
		grad := make([]float64, 2)
		got := append([]float64{m.Gradient(grad, []float64{x.x, x.y})}, grad...)
		for n, want := range []float64{x.value, x.dx, x.dy} {
			if !(math.Abs(got[n]-want) <= 1e-13*math.Abs(want)) {
				t.Errorf("of %v and %v number %d is %v, want %v", x.x, x.y, n, got[n], want)
			}
		}
	}
}

// TestExtremes: the functions that hints write for generalized extreme values, generalized Pareto and skew t have the densities of these, by mpmath and SciPy 1.17.
func TestExtremes(t *testing.T) {
	const head = "model m\ndata y, m, s, x, alpha, nu real\nparam a real\n" +
		"func gev_lpdf(y, mu real, sigma real > 0, xi real) = -log(sigma) - (1 + xi)*log1p_over((y - mu)/sigma, xi) - exp(-log1p_over((y - mu)/sigma, xi))\n" +
		"func gpd_lpdf(y, mu real, sigma real > 0, xi real) = -log(sigma) - (1 + xi)*log1p_over((y - mu)/sigma, xi)\n" +
		"func skew_t_lpdf(y, mu real, sigma real > 0, alpha real, nu real > 0) = log(2) + student_t_lpdf(y | nu, mu, sigma) + " +
		"student_t_lcdf(alpha*(y - mu)*sqrt((nu + 1)/(nu*sigma^2 + (y - mu)^2)) | nu + 1, 0, 1)\ndensity a*"
	check := func(call string, y, m, s, x, alpha, nu, want float64) {
		data := fmt.Sprintf(`{"y": %v, "m": %v, "s": %v, "x": %v, "alpha": %v, "nu": %v}`, y, m, s, x, alpha, nu)
		text := strings.Replace(head, "s, x, alpha, nu real", "x, alpha real\ndata s, nu real > 0", 1) + call + "\nmetric identity\n"
		if got := load(t, text, data).LogDensity([]float64{1}); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("%s of %s: %v, want %v", call, data, got, want)
		}
	}
	for _, r := range [][6]float64{
		{1.3, 0.2, 0.7, 0.25, -1.5657998111113887, -1.3001107358334802},
		{0.1, 0.2, 0.7, 0, -0.65403290809923246, math.NaN()},
		{2.5, 0.2, 0.7, 1e-07, -2.9664530021142098, -2.9290391305511279},
		{-0.4, 0.2, 0.7, -0.3, -1.2536444099251568, math.NaN()},
		{30, 0.2, 0.7, 0.4, -9.7659019570447935, -9.7651773597425657},
		{2.5, 0.2, 0.7, -0.3, -9.5564813282563754, -9.5564806208431092},
	} {
		check("gev_lpdf(y | m, s, x)", r[0], r[1], r[2], r[3], 0, 1, r[4])
		if r[5] == r[5] { // above m
			check("gpd_lpdf(y | m, s, x)", r[0], r[1], r[2], r[3], 0, 1, r[5])
		}
	}
	for _, r := range [][6]float64{
		{1.3, 0.2, 0.7, 2, 4, -1.1530215463819928},
		{-3, 0.2, 0.7, -1, 2.5, -3.9648796840895577},
		{0.2, 0.2, 0.7, 5, 10, -0.5872224082122196},
		{-2, 0.2, 0.7, 3, 4, -9.768893363745526},
	} {
		check("skew_t_lpdf(y | m, s, alpha, nu)", r[0], r[1], r[2], 0, r[3], r[4], r[5])
	}
}

// TestEmpty: a size that is declared from 0 on may be 0, but where an element is asked for.
func TestEmpty(t *testing.T) {
	const head = "model m\ndata n int >= 0\ndata y real[n]\ndata x real[n, n]\nparam a real\nparam b real[n]\n"
	for line, refused := range map[string]bool{
		"y ~ normal(a + b, 1)": false, "density -a^2 - sum(b) - dot(b, y)": false, "density -a^2 - size(b)": false, "b ~ normal(y[1], 1)": true, "b ~ normal(mean(y), 1)": true,
		"density -max(y)*a": true, "density -log_sum_exp(b)*a": true, "density a*log_det(x*x' + diag(exp(y)))": true, "b ~ multi_normal(0, x*x')": true, "density -sum(softmax(b))*a": true,
	} {
		m, ds := dsl.Load("m.ham", head+line+"\nmetric identity\n", dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		if _, err := interpret.Read(m, strings.NewReader(`{"n": 0, "y": [], "x": []}`), "data"); (err != nil) != refused {
			t.Errorf("%s: %v", line, err)
		}
	}
	m, ds := dsl.Load("m.ham", "model m\ndata n, k int >= 0\nparam b, d real[n]\nb, d ~ normal(0, 1)\n", dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	if _, err := interpret.Read(m, strings.NewReader(`{"n": 0, "k": 1}`), "data"); err == nil {
		t.Error("a model without coordinates is accepted")
	}
}
