package dsl_test

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// Symmetric holds of products that read the same from both ends, and of what is made of symmetric matrices; those named so are not.
func TestSymmetric(t *testing.T) {
	const text = `model m
data n, k int
data A, D real[n, n]
data B, E real[n, k]
data S cov[n]
data T cov[k]
data v real[n]
param R corr[k]
param c real
let F = B*R
let yes1 = B*T*B'
let yes2 = B*R*B' + diag(v)
let yes3 = c*A*A'
let yes4 = (A + A')/2
let yes5 = inverse(S)*c - S/3
let yes6 = F*F'
let yes7 = B*(cholesky(R)*cholesky(R)')*B'
let yes8 = (B*cholesky(R))*(B*cholesky(R))'
let yes9 = A'*S*A .* S
let yes10 = (B*R*B')'
let yes11 = B*R*E' + E*R*B'
let yes12 = if c > 0 then S else B*B'
let yes13 = S*A*S*A'*S
let not1 = B*E'
let not2 = A*S
let not3 = B*R*E'
let not4 = A*A
let not5 = A*B*B'
let not6 = B*R*B' + A
let not7 = A - A'
let not8 = S*D*S*A'*S
let not9 = B*cholesky(R)*B'
c ~ normal(0, 1)
R ~ lkj_corr(1)
`
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	for _, l := range m.Lets {
		if name := l.ObjectName(); name != "F" && dsl.Symmetric(l.Value) != strings.HasPrefix(name, "yes") {
			t.Errorf("%s = %s: symmetric is %v", name, dsl.Text(l.Value), dsl.Symmetric(l.Value))
		}
	}
}
