package differential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// A subject is one model of the corpus with its data.
type subject struct {
	name   string // of the file, and of the generated package
	text   string
	data   []byte // in CmdStan's JSON form
	consts []dsl.ConstBinding
	stan   []fixtures.DensityPoint // Stan's values, of the models of posteriordb
	points [][]float64             // where they are
	random bool                    // made up by an author
	given  bool                    // compared at its points alone, to givenTolerance

	derived *symbolic.Derived
	code    []byte
}

// bindMark starts the comment by which a model of the corpus binds a const or
// a size at compile time, as `hamc --const` does.
const bindMark = "// --const "

// nestMark starts the comment by which a model of the corpus says of integer data that they are a function of others, as `hamc run` finds in its data.
const nestMark = "// --function "

func nestings(text string) (of map[string]string) {
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, nestMark); ok {
			h, g, _ := strings.Cut(rest, " of ")
			if of == nil {
				of = map[string]string{}
			}
			of[h] = g
		}
	}
	return of
}

// bindings reads the comments of a model that bind consts.
func bindings(text string) ([]dsl.ConstBinding, error) {
	var out []dsl.ConstBinding
	for _, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(line, bindMark)
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(rest, "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, dsl.ConstBinding{Name: name, Value: v})
	}
	return out, nil
}

// stanModels are the models of the corpus whose data and densities are those of
// posteriordb, which package fixtures holds.
var stanModels = []string{
	"blr", "dugongs_model", "eight_schools_centered", "eight_schools_noncentered", "garch11",
	"kidscore_interaction", "low_dim_gauss_mix", "nes_logit_model", "radon_hierarchical_intercept_noncentered", "rats_model",
	"wells_interaction_c_model",
}

// read returns the models of the corpus, not yet compiled.
func read(t testing.TB) []*subject {
	t.Helper()
	// What is derived stays in memory: twice of the corpus, as the collector would let grow, is more than a small machine has.
	debug.SetGCPercent(campaign.Cases(t, 150, 40))
	files, err := filepath.Glob("testdata/models/*.ham")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	posteriors := map[string]*fixtures.Posterior{}
	for _, name := range stanModels {
		p, err := fixtures.LoadPosteriorDB(name)
		if err != nil {
			t.Fatal(err)
		}
		posteriors[name] = p
	}
	var all []*subject
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := &subject{name: strings.TrimSuffix(filepath.Base(f), ".ham"), text: string(text)}
		if s.consts, err = bindings(s.text); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if p := posteriors[s.name]; p != nil {
			s.data, s.stan = p.Data, p.Density.Points
			for _, pt := range s.stan {
				s.points = append(s.points, pt.Unconstrained)
			}
		} else {
			s.data, err = os.ReadFile(strings.TrimSuffix(f, ".ham") + ".data.json")
			if os.IsNotExist(err) {
				s.data, err = []byte("{}"), nil // a model without data
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, s)
	}
	return all
}

// compile derives the model and generates its package. A panic of the compiler
// is an error.
func (s *subject) compile() (err error) {
	defer panicked(&err)
	if err := s.derive(); err != nil {
		return err
	}
	opt := s.options()
	var broken error
	// The rules of loop programs hold after each pass. Asking it of all models takes as long as everything else, so most are asked at the end.
	last, each := pass.All[len(pass.All)-1].Name, crc32.ChecksumIEEE([]byte(s.name))%4 == 0
	opt.AfterPass = func(after string, p *loop.Program) {
		if !each && after != last {
			return
		}
		if err := loop.Verify(p); err != nil && broken == nil {
			broken = fmt.Errorf("after the pass %s: %w", after, err)
		}
	}
	s.code, err = codegen.Generate(s.derived, opt)
	return errors.Join(err, broken)
}

// derive derives the model, which is all that the interpreter needs.
func (s *subject) derive() (err error) {
	defer panicked(&err)
	if s.given { // large ones, for which Newton's method takes too long
		m, ds := dsl.Load(s.name+".ham", s.text, dsl.Options{})
		if m == nil {
			return ds
		}
		if s.derived, ds.List = symbolic.Derive(m); s.derived == nil {
			return ds
		}
		return nil
	}
	sizes, values := s.sizes()
	s.derived, err = derive(s.name+".ham", s.text, s.consts, sizes, values)
	return err
}

// panicked makes a panic of the compiler an error.
func panicked(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("panic: %v", e)
	}
}

func (s *subject) options() codegen.Options {
	opt := codegen.Options{Package: s.name, Source: s.name + ".ham", Text: s.text, Consts: s.consts}
	if len(s.name)%2 == 0 { // the methods of every second model are divided, which only large ones are otherwise
		opt.Largest = 40
	}
	return opt
}

// sizesMark is the comment by which a model of the corpus is derived for the sizes of its data, as `hamc run` does.
const sizesMark = "// --sizes from the data"

// sizes are those of the data, and values their numbers; nil where the model is not derived for them.
func (s *subject) sizes() (sizes map[string]int, values map[string][]float64) {
	if !strings.Contains(s.text, sizesMark) {
		return nil, nil
	}
	var all map[string]any
	if err := json.Unmarshal(s.data, &all); err != nil {
		panic(err)
	}
	sizes, values = map[string]int{}, map[string][]float64{}
	for name, v := range all {
		if n, ok := v.(float64); ok {
			sizes[name] = int(n)
		}
		values[name] = numbers(v)
	}
	return sizes, values
}

// numbers are those of a value of JSON, row by row.
func numbers(v any) (out []float64) {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		for _, x := range v {
			out = append(out, numbers(x)...)
		}
	}
	return out
}

// derive loads a model and derives its program, for these sizes if there are any.
func derive(file, text string, consts []dsl.ConstBinding, sizes map[string]int, values map[string][]float64) (*symbolic.Derived, error) {
	m, ds := dsl.Load(file, text, dsl.Options{Consts: consts})
	if m != nil {
		m.Nested = nestings(text)
	}
	if m == nil {
		return nil, ds
	}
	// Every second model, by its text, is compiled for Newton's method too; of those with
	// differential equations, which take long, two, and one with a structure of its own.
	half := crc32.ChecksumIEEE([]byte(text))&1 == 0 && len(m.Solves) == 0
	var d *symbolic.Derived
	if half || slices.Contains([]string{"ode_chain.ham", "ode_inside.ham", "metric_softabs_shaft.ham"}, file) {
		d, _ = symbolic.DeriveCurved(m)
	}
	if d == nil {
		var more []dsl.Diagnostic
		if d, more = symbolic.Derive(m); d == nil {
			ds.List = append(ds.List, more...)
			return nil, ds
		}
	}
	if sizes != nil {
		d = d.Fit(sizes, values)
	}
	return d, nil
}

// interpreted returns the model on its data, evaluated without generated code.
func (s *subject) interpreted() (runtime.Posterior, error) {
	return interpret.New(s.derived, s.reader(), s.dataName())
}

// hasODE reports whether the model solves differential equations.
func (s *subject) hasODE() bool { return len(s.derived.Model.Solves) > 0 }

// slow reports whether the interpreter takes long: of many data, and of differential
// equations.
func (s *subject) slow() bool { return len(s.data) > 5000 || s.hasODE() }

func (s *subject) reader() io.Reader { return bytes.NewReader(s.data) }

func (s *subject) dataName() string { return fmt.Sprintf("%s.data.json", s.name) }

// costly are models whose matrices of numbers the interpreter takes long over; a
// short campaign does without. Tests of cmd/hamc run a simplex.
var costly = []string{"truncated_shapes", "chain_vectors", "chain_softabs", "mixture_two", "names_single", "simplex_gather_hessian", "operator_rows"}

// compiledAmong compiles models, reports those that do not compile, and returns the others.
func compiledAmong(t testing.TB, all []*subject) (compiled []*subject) {
	t.Helper()
	failed := make([]error, len(all))
	beside(len(all), func(n int) { failed[n] = all[n].compile() })
	for n, s := range all {
		if failed[n] != nil {
			t.Errorf("%s does not compile:\n%v", s.name, failed[n])
			continue
		}
		compiled = append(compiled, s)
	}
	return compiled
}

// beside calls f for 0 to n−1, as many at a time as there are processors.
func beside(n int, f func(n int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	all.Wait()
}

// compiled returns the corpus, every model compiled, once for all tests; those
// that do not compile are reported and left out. A short campaign has one model in
// thirty-six, in the order of their names, which begin with what they are of, and one with quantities.
func compiled(t testing.TB) []*subject {
	t.Helper()
	compiledOnce.Do(func() {
		all := read(t)
		list := campaign.Sample(t, all, 36)
		if at := slices.IndexFunc(all, func(s *subject) bool { return s.name == "generate_constant" }); !slices.Contains(list, all[at]) {
			list = append(list, all[at])
		}
		if !campaign.Long(t) {
			list = slices.DeleteFunc(list, func(s *subject) bool { return slices.Contains(costly, s.name) })
		}
		compiledModels = compiledAmong(t, list)
	})
	return slices.Clone(compiledModels)
}

// sampled returns models of the corpus by their names, derived, each once for all tests: in a short campaign one in three of them, the same ones in
// whatever list they stand.
func sampled(t testing.TB, names ...string) []*subject {
	t.Helper()
	if campaign.Long(t) {
		return named(t, names...)
	}
	return named(t, slices.DeleteFunc(names, func(name string) bool { return crc32.ChecksumIEEE([]byte(name))%3 != 0 })...)
}

// named returns models of the corpus by their names, derived, each once for all tests.
func named(t testing.TB, names ...string) []*subject {
	t.Helper()
	derivedMutex.Lock()
	defer derivedMutex.Unlock()
	if derivedModels == nil {
		derivedModels = read(t)
	}
	var out []*subject
	for _, s := range derivedModels {
		if !slices.Contains(names, s.name) {
			continue
		}
		if s.derived == nil {
			if err := s.derive(); err != nil {
				t.Fatalf("%s is not derived:\n%v", s.name, err)
			}
		}
		out = append(out, s)
	}
	if len(out) != len(names) {
		t.Fatalf("the corpus has %d models of %d: %q", len(out), len(names), names)
	}
	return out
}

var (
	compiledOnce   sync.Once
	compiledModels []*subject

	derivedMutex  sync.Mutex
	derivedModels []*subject // the corpus, of which some are derived
)

// longModels are models with structured metrics, and the size that is made long to
// see that their memory is proportional to it.
var longModels = map[string]string{
	"blocks_volatility": "T", "blocks_volatility_hessian": "T", "band_ar2_poisson": "T", "band_explicit3": "T",
	"arrow_hessian": "J", "arrow_vector": "n", "bordered": "T", "bordered_two": "T", "parts": "T", "parts_two_chains": "T",
	"gather_band": "J", "gather_expected": "J",
}

const longSize = 100_000

// longData are the model's data with one size made long, and its arrays repeated.
func (s *subject) longData(t testing.TB, size string) []byte {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal(s.data, &data); err != nil {
		t.Fatal(err)
	}
	data[size] = longSize
	for _, d := range s.derived.Model.Data {
		if len(d.Type.Shape) == 0 || d.Type.Shape[0].Name != size {
			continue
		}
		short := data[d.ObjectName()].([]any)
		long := make([]any, longSize+d.Type.Shape[0].Offset)
		for i := range long {
			long[i] = short[i%len(short)]
		}
		data[d.ObjectName()] = long
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
