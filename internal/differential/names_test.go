package differential

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/typecheck"
	"github.com/hamc-dev/hamc/symbolic"
)

// A shape is a model whose names are open: words that start with $.
type shape struct {
	name   string
	curved bool // with the second derivatives
	text   string
}

// shapes are models of every kind of code that the compiler emits.
var shapes = []shape{
	{"scalar", true, `model $model
data $size int
data $datum real[$size]
param $par real > 0
$datum ~ normal($par^2, $par)
metric fisher`},
	{"flat", true, `model $model
data $size int
data $datum real[$size]
data $scale real > 0
param $par, $other real
let $mean = $par + $other^2
$datum ~ normal($mean, $scale)
$par, $other ~ normal(0, 2)
metric fisher
generate { $drawn[$i in $size] = normal_rng($mean, $scale) }`},
	{"dense", false, `model $model
data $size, $rows int
data $datum real[$rows]
data $matrix real[$rows, $size]
data $count int[$rows] in {0, 1}
param $par real[$size]
param $other real > 0
let $mean = $matrix*$par
$count ~ bernoulli_logit($mean)
$datum ~ normal($mean, $other)
$par ~ normal(0, 1)
$other ~ lognormal(0, 1)
metric fisher + identity
generate {
  $drawn[$i in $rows, $j in $size] = normal_rng($mean[$i]*$par[$j], $other)
  $same = $other
}`},
	{"curved", true, `model $model
data $size int
data $datum real[$size]
param $par real[$size]
$datum ~ normal($par.^2, 1)
metric fisher + identity`},
	{"hessian", true, `model $model
data $size int
data $datum real[$size]
param $par real[$size]
param $other real
$other ~ normal(0, 3)
$par ~ normal($datum, exp(-$other/2))
metric softabs(alpha = 1)`},
	{"constant", false, `model $model
data $size int
data $datum, $zeros real[$size]
data $cov cov[$size]
param $par real[$size] in (0, 1)
param $other real < 3
$datum ~ normal($par*$other, 1)
$par ~ multi_normal($zeros, $cov)
metric identity`},
	{"gathered", false, `model $model
data $size, $rows int
data $which int[$rows] in 1..$size
data $datum real[$rows]
param $par real[$size]
param $other, $spread real
$datum[$i] ~ normal($par[$which[$i]], exp($spread)) for $i in $rows
$par ~ normal($other, exp($spread))
$other, $spread ~ normal(0, 2)
metric fisher(prior = expected) + identity`},
	{"blocks", false, `model $model
data $size int
data $datum real[$size]
param $par real[$size]
param $walk real in (-1, 1)
let $mean = exp($walk)
$par[1] ~ normal(0, 1)
$par[$i] ~ normal($walk*$par[$i-1], 1) for $i in 2..$size
$datum ~ normal(0, $mean*exp($par/2))
block $series($par) metric fisher
block $rest($walk) metric [1]
generate { $drawn = normal_rng($par, $mean) }`},
	{"equations", false, `model $model
data $size int
data $time, $datum real[$size]
param $par, $other real
ode $system($first, $second) over $now {
  $first' = -$par*$first + $other*sin($now)
  $second' = $first - $par*$second
}
let $path = solve $system($first = $other, $second = 0) from 0 at $time
let $again = solve $system($first = 1, $second = 0) from 0 at $time
$datum ~ normal($path.$first + $again.$second, 0.5)
$par, $other ~ normal(0, 1)
metric identity`},
}

var chosen = regexp.MustCompile(`\$[a-z]+`)

// TestNamesAnyoneChooses gives every identifier that the emitted code knows, from its own
// variables, methods and packages to Go's keywords and predeclared names, to everything in a model
// that has a name, and has the type checker look at what comes out. Four roles at a time have one
// identifier in four spellings: what is several names in the language may be one in Go. What only Go
// has is tried in the first shape. A short campaign begins with one identifier in twenty, which the groups
// of roles take from different places.
func TestNamesAnyoneChooses(t *testing.T) {
	t.Parallel()
	models := 0
	for n, shape := range shapes {
		var roles []string
		for _, r := range chosen.FindAllString(shape.text, -1) {
			if !slices.Contains(roles, r) {
				roles = append(roles, r)
			}
		}
		code, err := shape.emitted(chosen.ReplaceAllStringFunc(shape.text, func(r string) string { return "zz" + r[1:] }))
		if err != nil {
			t.Fatalf("%s: %v", shape.name, err)
		}
		all := own(t, code)
		if n == 0 {
			all = append(all, ofGo()...)
		}
		groups := (len(roles) + 3) / 4
		for k := 0; k < len(all); k += campaign.Cases(t, 20, 1) {
			names := choose(roles, func(role int) string { return all[(k+role/4*(len(all)/groups+1))%len(all)] }, k)
			text := chosen.ReplaceAllStringFunc(shape.text, func(r string) string { return names[r] })
			code, err := shape.emitted(text)
			if err == nil {
				err = typecheck.Check(code)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", shape.name, err, text)
			}
			models++
		}
		t.Logf("%s: %d roles, %d identifiers", shape.name, len(roles), len(all))
	}
	t.Logf("%d models", models)
}

// TestOnePackage: models with prefixes stand in one package, whatever they are, and models without do not.
func TestOnePackage(t *testing.T) {
	t.Parallel()
	files := func(prefix func(shape) string) (all [][]byte) {
		for _, s := range shapes {
			d, err := s.derived(chosen.ReplaceAllStringFunc(s.text, func(r string) string { return "a_" + r[1:] }))
			if err != nil {
				t.Fatal(err)
			}
			code, err := codegen.Generate(d, codegen.Options{Package: "m", Prefix: prefix(s), Source: "m.ham"})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, code)
		}
		return all
	}
	if err := typecheck.Check(files(func(s shape) string { return codegen.PrefixOf(s.name) })...); err != nil {
		t.Error(err)
	}
	if err := typecheck.Check(files(func(shape) string { return "" })...); err == nil {
		t.Error("several models without prefixes: the type checker says nothing")
	}
}

// choose gives each role a spelling of its identifier that no other has.
func choose(roles []string, identifier func(role int) string, from int) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for r, role := range roles {
		for _, s := range spellings(identifier(r), (from+r)%4) {
			if !taken[s] && choosable(s) {
				names[role], taken[s] = s, true
				break
			}
		}
	}
	return names
}

// own lists the identifiers of emitted code that the names of a model may meet, but of those that
// are numbered, a1, a2, …, only the first two.
func own(t *testing.T, code []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name != "_" && !many.MatchString(id.Name) && !ast.IsExported(id.Name) && !strings.Contains(id.Name, "zz") && types.Universe.Lookup(id.Name) == nil {
			all[id.Name] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(all))
}

var many = regexp.MustCompile(`([3-9]|[0-9][0-9])b?$`)

// ofGo lists the keywords and predeclared names, and those that every package here declares.
func ofGo() []string {
	all := append(types.Universe.Names(), "data", "params", "model", "quantities", "new", "readData", "init", "main")
	for k := token.BREAK; k <= token.VAR; k++ {
		all = append(all, k.String())
	}
	return slices.DeleteFunc(all, func(s string) bool { return !token.IsIdentifier(s) && !token.IsKeyword(s) })
}

// spellings are names of the language that Go spells like an identifier, from one of them on.
func spellings(id string, from int) []string {
	all := []string{id, strings.ToUpper(id[:1]) + id[1:], id + "_", "_" + id, "__" + id, strings.ToUpper(id[:1]) + id[1:] + "_", "_" + id + "_", "___" + id}
	return append(all[from:len(all):len(all)], all[:from]...)
}

// choosable reports whether a word may be a name of the language.
func choosable(s string) bool {
	ok, known := words[s]
	if !known {
		m, _ := dsl.Load("m.ham", fmt.Sprintf("model m\nparam %s real\n%[1]s ~ normal(0, 1)\nmetric fisher", s), dsl.Options{})
		ok = m != nil
		words[s] = ok
	}
	return ok
}

// words remembers which are choosable.
var words = map[string]bool{}

// emitted compiles a text.
func (s *shape) emitted(text string) ([]byte, error) {
	d, err := s.derived(text)
	if err != nil {
		return nil, err
	}
	return codegen.Generate(d, codegen.Options{Package: "m", Source: "m.ham", Text: text})
}

// derived derives a text.
func (s *shape) derived(text string) (*symbolic.Derived, error) {
	m, list := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		return nil, fmt.Errorf("no model: %v", list.List)
	}
	derive := symbolic.Derive
	if s.curved {
		derive = symbolic.DeriveCurved
	}
	d, more := derive(m)
	if d == nil {
		return nil, fmt.Errorf("not derived: %v", more)
	}
	return d, nil
}
