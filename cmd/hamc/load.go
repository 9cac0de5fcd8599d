package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/datafile"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// model is a loaded .ham file.
type model struct {
	path    string
	text    string // with those of imported files, as a bundle
	consts  []dsl.ConstBinding
	checked *dsl.Model
	d       *symbolic.Derived // nil of one that is checked only
}

// name is the file's name without its ending.
func (m *model) name() string {
	return strings.TrimSuffix(filepath.Base(m.path), filepath.Ext(m.path))
}

// constFlag registers --const.
func constFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "const", nil, "bind a const or an int datum at compile time: `NAME=VALUE`")
}

func parseConsts(list []string) ([]dsl.ConstBinding, error) {
	var out []dsl.ConstBinding
	for _, s := range list {
		name, text, ok := strings.Cut(s, "=")
		v, err := strconv.ParseFloat(text, 64)
		if !ok || name == "" || err != nil || v-v != 0 {
			return nil, usage{fmt.Errorf("--const %s: write --const NAME=NUMBER, such as --const k=10", s)}
		}
		for _, o := range out {
			if o.Name == name {
				return nil, usage{fmt.Errorf("--const %s: %s is bound twice", s, name)}
			}
		}
		out = append(out, dsl.ConstBinding{Name: name, Value: v})
	}
	return out, nil
}

// readText reads a file, with errors in words.
func readText(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", problem{inWords(path, err)}
	}
	return string(b), nil
}

// readModel reads the file of a model and those that it imports, as a bundle, with errors in words.
func readModel(path string) (string, error) {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return "", problem{fmt.Errorf("%s is a directory, not a model", path)}
	}
	text, err := readText(path)
	if err != nil && !isFile(path) && isFile(path+".ham") {
		return "", problem{fmt.Errorf("%w; did you mean %s.ham?", err, path)}
	}
	if err != nil {
		return "", err
	}
	return withImports(filepath.Dir(path), text, os.ReadFile)
}

// withImports puts the files in dir that a model imports behind its text. One that is not there the checker tells of.
func withImports(dir, text string, read func(path string) ([]byte, error)) (string, error) {
	var failed error
	bundle := dsl.WithImports(text, func(name string) (string, bool) {
		path := filepath.Join(dir, name)
		b, err := read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && failed == nil {
			failed = problem{inWords(path, err)}
		}
		return string(b), err == nil
	})
	return bundle, failed
}

// inWords says what kept a file from being read.
func inWords(path string, err error) error {
	if fi, e := os.Stat(path); e == nil && fi.IsDir() {
		return fmt.Errorf("%s is a directory, not a file", path)
	}
	var cause *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: no permission to read it", path)
	case errors.As(err, &cause):
		return fmt.Errorf("%s: %w", path, cause.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// load reads, checks and derives a model, with the second derivatives for Newton's method if it is
// to be curved; diagnostics go to standard error, see tell.
func (e *env) load(path string, consts []string, curved bool) (*model, error) {
	bindings, err := parseConsts(consts)
	if err != nil {
		return nil, err
	}
	text, err := readModel(path)
	if err != nil {
		return nil, err
	}
	m, ds := derive(path, text, bindings, curved)
	return m, e.accept(path, m, ds)
}

// accept tells the messages about a model. It is an error if that is nil, because there are errors among them.
func (e *env) accept(path string, m *model, ds *dsl.Diagnostics) error {
	if len(ds.List) > 0 {
		e.tell(ds)
	}
	if m == nil && e.events != nil { // an event that ends the others
		errs := slices.DeleteFunc(slices.Clone(ds.List), func(d dsl.Diagnostic) bool { return d.Severity != dsl.Error })
		return problem{fmt.Errorf("%s: the model has %s", shownPath(path), plural(len(errs), "error"))}
	}
	if m == nil {
		return errReported
	}
	return nil
}

// tellScarce writes the warnings of parameters that the data at hand hardly inform, where load did
// not give them for data of any size.
func (e *env) tellScarce(m *model, data *interpret.Data) {
	always := map[dsl.Span]bool{}
	for _, d := range m.checked.Scarce(nil) {
		always[d.Span] = true
	}
	list := slices.DeleteFunc(m.checked.Scarce(data.Size), func(d dsl.Diagnostic) bool { return always[d.Span] })
	if len(list) > 0 {
		ds := m.diagnostics()
		ds.List = list
		e.tell(ds)
	}
}

// check checks a model, without deriving it. It is nil where the diagnostics hold errors.
func check(path, text string, consts []dsl.ConstBinding) (*model, *dsl.Diagnostics) {
	m, ds := dsl.Load(shownPath(path), text, dsl.Options{Consts: consts})
	if m == nil {
		return nil, ds
	}
	return &model{path: path, text: text, consts: consts, checked: m}, ds
}

// derivations counts the models that were derived, for tests.
var derivations atomic.Int64

// derive derives a model that was checked, with the second derivatives for Newton's method if it is to be
// curved, and reports whether there is a derived model.
func (m *model) derive(curved bool) (messages []dsl.Diagnostic, ok bool) {
	derivations.Add(1)
	if !curved {
		m.d, messages = symbolic.Derive(m.checked)
		return messages, m.d != nil
	}
	var curvature []dsl.Diagnostic
	if m.d, curvature = symbolic.DeriveCurved(m.checked); m.d != nil {
		return curvature, true
	}
	// What keeps it from being curved comes behind what is to be said of it in any case.
	d, messages := symbolic.Derive(m.checked)
	for _, x := range curvature {
		if x.Severity == dsl.Error && d != nil {
			messages = append(messages, x)
		}
	}
	return messages, false
}

// derive checks and derives a model, with the second derivatives for Newton's method if it is to
// be curved. It is nil where the diagnostics hold errors.
func derive(path, text string, consts []dsl.ConstBinding, curved bool) (*model, *dsl.Diagnostics) {
	m, ds := check(path, text, consts)
	if m == nil {
		return nil, ds
	}
	more, ok := m.derive(curved)
	ds.List = append(ds.List, more...)
	if !ok {
		return nil, ds
	}
	return m, ds
}

// fit derives the model for the sizes of its data, and reports whether that makes a difference.
func (m *model) fit(data *interpret.Data) bool {
	was := m.d
	if nested := coarsest(functions(m.d.Grouped(), data)); m.d.Apart > 0 && len(nested) > 0 {
		derivations.Add(1)
		m.d = m.d.Nest(nested)
	}
	if !m.d.Uncarried() && !m.d.Unsized {
		return m.d != was
	}
	d, sizes := m.d, map[string]int{}
	for _, d := range d.Model.Data {
		if d.IsSize {
			sizes[d.ObjectName()] = data.Size(d.ObjectName())
		}
	}
	// The sizes of small matrices are numbers, as if they were written so.
	bindings := slices.Clone(m.consts)
	for _, name := range m.d.Small(sizes) {
		bindings = append(bindings, dsl.ConstBinding{Name: name, Value: float64(sizes[name])})
	}
	if len(bindings) > len(m.consts) {
		if bound, _ := check(m.path, m.text, bindings); bound != nil { // no position is beyond such a size
			derivations.Add(1)
			if b, _ := symbolic.Derive(bound.checked); b != nil && len(b.Transports) > len(d.Transports) {
				d = b
			}
		}
	}
	derivations.Add(1)
	d = d.Fit(sizes, data.Values())
	m.d = d
	return d != was
}

// function says that integer data are a function of others that select more.
type function struct {
	of, by string
	groups int // how many there are of the others
}

// functions are all among some integer data, in the order of their declarations. None is of data that select one thing only.
func functions(among []*dsl.Data, data *interpret.Data) (list []function) {
	numbers := make([]int, len(among))
	for n, d := range among {
		numbers[n] = numberOfValues(data.Values()[d.Name])
	}
	for k, h := range among {
		for l, g := range among {
			if numbers[k] > 1 && numbers[l] > numbers[k] && g.Type.Shape[0] == h.Type.Shape[0] && isFunction(data.Values()[h.Name], data.Values()[g.Name]) {
				list = append(list, function{h.Name, g.Name, numbers[l]})
			}
		}
	}
	return list
}

// coarsest takes of the functions that some data are the one of the fewest groups: schools are those of classes, and classes of pupils.
func coarsest(list []function) map[string]string {
	of, least := map[string]string{}, map[string]int{}
	for _, f := range list {
		if n := least[f.of]; n == 0 || f.groups < n {
			of[f.of], least[f.of] = f.by, f.groups
		}
	}
	return of
}

// sparse is how many times as large as their number positions may be where they are those of groups.
const sparse = 100

// numberOfValues is how many of the positions from 1 on there are in x: 0 where the largest of them is far beyond their number.
func numberOfValues(x []float64) (n int) {
	if len(x) == 0 || slices.Max(x) > float64(sparse*len(x)) {
		return 0
	}
	seen := make([]bool, int(slices.Max(x))+1)
	for _, v := range x {
		if at := int(v); !seen[at] {
			seen[at] = true
			n++
		}
	}
	return n
}

// isFunction reports whether positions are a function of others, which are as many.
func isFunction(h, g []float64) bool {
	if len(h) != len(g) || len(g) == 0 {
		return false
	}
	by := make([]float64, int(slices.Max(g))+1)
	for i, v := range g {
		at := int(v)
		if by[at] != 0 && by[at] != h[i] {
			return false
		}
		by[at] = h[i]
	}
	return true
}

// diagnostics are none, of the model.
func (m *model) diagnostics() *dsl.Diagnostics { return dsl.NewDiagnostics(m.shown(), m.text) }

// shown is the name of the model's file in messages.
func (m *model) shown() string { return shownPath(m.path) }

// shownPath is the name of a file in messages: short, if it is below the working directory.
func shownPath(path string) string {
	if rel, ok := relative(path); ok {
		return rel
	}
	return path
}

// relative shortens a path below the working directory.
func relative(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return path, false
	}
	wd, err := os.Getwd()
	if err != nil {
		return path, false
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path, false
	}
	return rel, true
}

// beside returns the file beside the model that has its name with another ending,
// or "".
func (m *model) beside(ending string) string {
	path := strings.TrimSuffix(m.path, filepath.Ext(m.path)) + ending
	if !isFile(path) {
		return ""
	}
	return path
}

// dataPath returns the file of data: the one given, or MODEL.data.json beside
// the model. It is "" for a model without data.
func (m *model) dataPath(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	const ending = ".data.json"
	if beside := m.beside(ending); beside != "" {
		return beside, nil
	}
	for _, d := range m.checked.Data {
		if d.Default == nil {
			return "", problem{fmt.Errorf("the model %s needs data: give a file with --data, or put %s beside the model", m.checked.Name, m.name()+ending)}
		}
	}
	return "", nil
}

// interpreted returns the model on its data, evaluated without compiling.
func (m *model) interpreted(given string) (interpret.Posterior, error) {
	data, err := m.read(given)
	if err != nil {
		return nil, err
	}
	return m.on(data)
}

// modelData are the data of a model, and the file that they come from; "" for none.
type modelData struct {
	*interpret.Data
	path string
}

// read reads and checks the model's data.
func (m *model) read(given string) (*modelData, error) {
	path, err := m.dataPath(given)
	if err != nil {
		return nil, err
	}
	if path == "" {
		d, err := interpret.Read(m.checked, strings.NewReader("{}"), "no data")
		return &modelData{d, path}, wrap(err)
	}
	if err := fits(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		var fi fs.FileInfo
		if fi, err = f.Stat(); err == nil && fi.IsDir() {
			err = errors.New("a directory")
		}
	}
	if err != nil {
		return nil, problem{inWords(path, err)}
	}
	d, err := interpret.Read(m.checked, f, path)
	return &modelData{d, path}, dataError(path, err)
}

// on returns the model on data that were read for it.
func (m *model) on(d *modelData) (interpret.Posterior, error) {
	im, err := interpret.On(m.d, d.Data)
	return im, dataError(d.path, err)
}

// dataError is an error about the data in a file, with its name.
func dataError(path string, err error) error {
	var placed *datafile.Error
	if err != nil && path != "" && !errors.As(err, &placed) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return problem{err}
}

// dataMemory is how many bytes of memory the data take, at most, for each byte of their file: text, numbers,
// and what is computed of them once. Measured, it was 5 to 7.
const dataMemory = 8

// fits returns an error if there is too little memory for the data in a file, as far as is known before they
// are read: a program that the system gives no more memory to ends without a word of its own.
func fits(path string) error {
	fi, err := os.Stat(path)
	limit, limited := sampler.AddressLimit()
	if err != nil || !limited {
		return nil // what is wrong with the file, reading it tells
	}
	if need := leastAddress + dataMemory*fi.Size(); uint64(need) > limit {
		return problem{fmt.Errorf("%s: data of %s as text may need %s of address space, and `ulimit -v` allows %s: raise it with `ulimit -v %d`",
			path, sampler.Size(fi.Size()), sampler.Size(need), sampler.Size(int64(limit)), need/1024+1)}
	}
	return nil
}

// plain is the model in plain coordinates: those of a model whose parameters have no maps, which points are given in.
func (m *model) plain() *model {
	if len(m.d.Transports) == 0 {
		return m
	}
	of, block := *m.d.Model, *m.d.Model.Blocks[0]
	block.Metric = []*dsl.MetricTerm{{At: block.Metric[0].At, Kind: dsl.MetricIdentity}}
	of.Blocks = []*dsl.Block{&block}
	d, _ := symbolic.Derive(&of)
	if d == nil {
		return m // not reached: it is less than what has been derived
	}
	out := *m
	out.d = d
	return &out
}
