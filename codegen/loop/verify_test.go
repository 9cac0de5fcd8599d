package loop

import (
	"strings"
	"testing"
)

// TestVerify: programs that break one rule each are refused, for that rule; the same programs without the
// mistake are not.
func TestVerify(t *testing.T) {
	for _, x := range []struct{ name, good, bad, want string }{
		{"undeclared", "func f(out[n], a)\n\tlet x = a\n\tout[0] = x\n\tend", "func f(out[n], a)\n\tout[0] = a\n\tfor i in 0 : n {\n\t\tlet x = a\n\t}\n\tout[0] = x\n\tend", "x is used where it is not declared"},
		{"a bound", "func f(out[n])\n\tfor i in 0 : n {\n\t\tout[i] = 1\n\t}\n\tend", "func f(out[n])\n\tfor i in 0 : n + 1 {\n\t\tout[i] = 1\n\t}\n\tend", "out[i] is read beyond its last element"},
		{"a bound below", "func f(out[n], x[n])\n\tfor i in 1 : n {\n\t\tout[i] = x[i - 1]\n\t}\n\tend", "func f(out[n], x[n])\n\tfor i in 0 : n {\n\t\tout[i] = x[i - 1]\n\t}\n\tend", "x[i - 1] is read below its first element"},
		{"a bound in a branch", "func f(out[n], x[n])\n\tfor i in 0 : n {\n\t\tif i < n - 1 {\n\t\t\tout[i] = x[i + 1]\n\t\t}\n\t}\n\tend", "func f(out[n], x[n])\n\tfor i in 0 : n {\n\t\tif i >= 1 {\n\t\t\tout[i] = x[i + 1]\n\t\t}\n\t}\n\tend", "x[i + 1] is read beyond its last element"},
		{"a constant", "func f(out[3])\n\tout[2] = 1\n\tend", "func f(out[3])\n\tout[3] = 1\n\tend", "out[3] is read beyond"},
		{"dimensions", "func f(out[n], w[n, n])\n\tout[0] = w[0, 0]\n\tend", "func f(out[n], w[n, n])\n\tout[0] = w[0]\n\tend", "1 subscripts of w, which has 2 dimensions"},
		{"a number as an array", "func f(out[n])\n\tfield a[n]\n\tout[0] = a[0]\n\tend", "func f(out[n])\n\tfield a\n\tout[0] = a[0]\n\tend", "1 subscripts of a, which has 0 dimensions"},
		{"an array as a number", "func f(out[n], a)\n\tout[0] = a\n\tend", "func f(out[n], a[n])\n\tout[0] = a\n\tend", "a is used as a number"},
		{"ints", "func f(out[n])\n\tfield int g[n]\n\tout[g[0]] = 1\n\tend", "func f(out[n])\n\tfield g[n]\n\tout[g[0]] = 1\n\tend", "g is of another type"},
		{"data", "func f()\n\tfield a[n]\n\ta[0] = 1\n\tend", "func f()\n\tfield data a[n]\n\ta[0] = 1\n\tend", "a is set, but is of the data"},
		{"aliases", "func f()\n\tfield data x[n, k]\n\tfield b[k]\n\tfield c[n]\n\tc = call kernel.MulVec(x, b)\n\tend", "func f()\n\tfield data x[k, k]\n\tfield b[k]\n\tb = call kernel.MulVec(x, b)\n\tend", "fills b, which it reads"},
		{"parts", "func f()\n\tfield x[n, k]\n\tfield b[n, k]\n\tfor i in 0 : n {\n\t\tb[i] = call kernel.Exp(x[i])\n\t}\n\tend", "func f()\n\tfield x[n, k]\n\tfield b[n, k]\n\tfor i in 0 : n {\n\t\tb[i] = call kernel.Exp(x[i + 1])\n\t}\n\tend", "x[i + 1] is read beyond its last element"},
		{"parts of parts", "func f(k)\n\tfield factor l[n, n, n]\n\tfield b[n]\n\tfor i in 0 : n {\n\t\tb[i] = call linalg.LogDet(l[i])\n\t}\n\tend", "func f(k)\n\tfield factor l[n, n, n]\n\tfield b[n]\n\tfor i in 0 : n {\n\t\tb[i, i] = call linalg.LogDet(l[i])\n\t}\n\tend", "2 subscripts of b, which has 1 dimensions"},
		{"keeping", "func f(a)\n\tlet field x = a\n\tkeep x\n\tend", "func f(a)\n\tlet x = a\n\tkeep x\n\tend", "x is kept, but is no number of the model"},
		{"fits", "func f(y[n])\n\tfit fit1(1 : n, 1, none, y)\n\tlet r = fitpart fit1.Rest()\n\tend", "func f(y[n])\n\tlet r = fitpart fit1.Rest()\n\tend", "a part of fit1 is read before"},
		{"names", "func f(a)\n\tend\n\nfunc g(a)\n\tend", "func f(a)\n\tend\n\nfunc f(a)\n\tend", "two functions are called f"},
	} {
		t.Run(x.name, func(t *testing.T) {
			check := func(text string) error {
				p, err := Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				return Verify(p)
			}
			if err := check(x.good); err != nil {
				t.Errorf("the good program: %v", err)
			}
			if err := check(x.bad); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("the bad program: %v, want %q", err, x.want)
			}
		})
	}
}

// TestDeclaredTwice: the text form cannot say it, but a pass could make it.
func TestDeclaredTwice(t *testing.T) {
	v := &Var{Name: "x"}
	f := &Func{Name: "f", Body: []Stmt{&Let{v, Number(1)}, &Let{v, Number(2)}}}
	if err := Verify(&Program{Funcs: []*Func{f}}); err == nil || !strings.Contains(err.Error(), "declared twice") {
		t.Errorf("%v", err)
	}
	f.Body = f.Body[:1]
	if err := Verify(&Program{Funcs: []*Func{f}}); err != nil {
		t.Error(err)
	}
}

// TestParseErrors: a text that is no program is an error, never a panic, and the place is told.
func TestParseErrors(t *testing.T) {
	good := "func f(out[n], a)\n\tfor i in 0 : n {\n\t\tif i >= 1 and i < n {\n\t\t\tout[i] = -2*a^-0.5*(a + 1) - math.Exp(a)\n\t\t}\n\t}\n\tend\n"
	if _, err := Parse(good); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := Parse(good[:n]); err == nil && n > 0 && n < len(good)-2 {
			t.Errorf("no error in %q", good[:n])
		}
	}
}
