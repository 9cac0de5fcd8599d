package dsl

import (
	"strings"
	"testing"
)

func TestObserved(t *testing.T) {
	const head = `model m
data n int
data y, z, x real[n]
data g int[n] in 1..n
data k int in 0..5
data s real > 0
data S cov[n]
param mu real
param v real[n]
let w = z - x
let e = z - mu
metric identity
mu ~ normal(0, 1)
v ~ normal(0, 1)
`
	for body, want := range map[string]string{
		"":                                                      "",
		"y ~ normal(mu + x, s)":                                 "y",
		"y, z ~ normal(mu, s)":                                  "y z",
		"z, y ~ normal(mu, s)":                                  "y z", // in the order of the model
		"y[i] ~ normal(v[g[i]], s) for i in n":                  "y",
		"v[g[i]] ~ normal(0, s) for i in n":                     "", // positions are not observed
		"y[g[i]] ~ normal(mu, s) for i in n":                    "y",
		"log(y) - x ~ normal(mu, s)":                            "y x",
		"w ~ normal(mu, s)":                                     "z x", // by its definition
		"e ~ normal(0, s)":                                      "",    // its distribution is not that of data alone
		"mu - y ~ normal(0, s)":                                 "",
		"y - mu ~ normal(0, s)":                                 "",
		"y ~ multi_normal(v, S)":                                "y",
		"k ~ binomial_logit(5, mu)":                             "k",
		"density normal_lpdf(y | mu, s)":                        "y",
		"density sum(i in n) normal_lpdf(y[i] | mu, s)":         "y",
		"density -mu^2*s":                                       "",
		"generate {\n l[i in n] = normal_lpdf(z[i] | mu, s)\n}": "z",
	} {
		m, ds := Load("m.ham", head+body+"\n", Options{})
		if m == nil {
			t.Errorf("%s: %v", body, ds)
			continue
		}
		var got []string
		for _, d := range m.Observed() {
			got = append(got, d.ObjectName())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q is observed, want %q", body, s, want)
		}
	}
}
