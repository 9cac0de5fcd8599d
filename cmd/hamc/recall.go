package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// The derivation of a model and the emission of its code take most of the time of a small run, and all that comes of them in the
// end is the sampler in the cache. So what a run needs to know of the derived model is kept beside the sampler: a
// posterior that a note tells of is checked, its data are read and checked, and it is derived only where something asks for more.

// posterior is what a run samples: a checked model on its data.
type posterior struct {
	*model
	data   *modelData
	told   []dsl.Diagnostic // of the check
	curved bool             // with the second derivatives for Newton's method
	facts

	note  string              // the subject of the note; "" where none is wanted
	known string              // the ID of the sampler, if a note tells it
	im    interpret.Posterior // nil until it is asked for
}

// facts are what a run tells of the derived model, and asks of it.
type facts struct {
	Messages []dsl.Diagnostic // of the derivation
	Outline  *runtime.Outline
	Form     string // as describe says it
	NoPriors string // the parameters that do not start from the prior, and why
	Solves   bool   // differential equations
	Lines    int    // of code; 0 where it is not emitted yet
}

// openPosterior opens a model and its data. Where an earlier run has built its sampler, and that is
// wanted, the facts are those of the earlier run; else it is derived. Messages go to standard error, see tell.
func (e *env) openPosterior(ctx context.Context, path, given string, consts []string, curved, declared, compile bool) (*posterior, error) {
	bindings, err := parseConsts(consts)
	if err != nil {
		return nil, err
	}
	text, err := readModel(path)
	if err != nil {
		return nil, err
	}
	m, ds := check(path, text, bindings)
	if m == nil {
		return nil, e.accept(path, m, ds)
	}
	m.checked.Declared = declared
	p := &posterior{model: m, curved: curved, told: ds.List}
	var wrong error // with the data, which is told after what is to be said of the model
	if p.data, wrong = m.read(given); wrong == nil && compile && p.recall(ctx) {
		ds.List = append(ds.List, p.Messages...)
		return p, e.accept(path, m, ds)
	}
	var ok bool
	p.Messages, ok = m.derive(curved)
	if ds.List = append(ds.List, p.Messages...); !ok {
		m = nil
	}
	if err := e.accept(path, m, ds); err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, wrong
	}
	if p.im, err = m.on(p.data); err != nil {
		return nil, err
	}
	if m.fit(p.data.Data) {
		if p.im, err = m.on(p.data); err != nil {
			return nil, err
		}
	}
	return p, p.find()
}

// find sets the facts of a derived model.
func (p *posterior) find() error {
	var err error
	if p.Outline, err = runtime.OutlineOf(p.im); err != nil {
		return problem{err}
	}
	p.Form, p.NoPriors, p.Solves = describe(p.model, &p.Outline.Info), p.noPriors(), p.solves()
	return nil
}

// recall sets the facts to those of an earlier run whose sampler is that of this one, and reports whether there are such.
func (p *posterior) recall(ctx context.Context) bool {
	// All that the derivation and the code depend on, but for what the note itself is found by: the name of the file is in the code.
	var b strings.Builder
	fmt.Fprintf(&b, "model %q, curved %v, declared %v\n", filepath.Base(p.path), p.curved, p.checked.Declared)
	for _, c := range p.consts {
		fmt.Fprintf(&b, "const %s %x\n", c.Name, math.Float64bits(c.Value))
	}
	for _, d := range p.checked.Data {
		if d.Type.Base == dsl.Int && d.Type.IsScalar() { // a size, or what may be one
			fmt.Fprintf(&b, "int %s %d\n", d.ObjectName(), p.data.Size(d.ObjectName()))
		}
	}
	var groups []*dsl.Data
	for _, d := range p.checked.Data {
		if lo, _, ok := d.Values(); ok && d.Type.Base == dsl.Int && len(d.Type.Shape) == 1 && lo == dsl.Fixed(1) {
			groups = append(groups, d)
		}
	}
	for _, f := range functions(groups, p.data.Data) {
		fmt.Fprintf(&b, "%s is a function of %s\n", f.of, f.by)
	}
	p.note = b.String() + "text\n" + p.text
	n := sampler.Recall(ctx, p.note)
	if n == nil {
		return false
	}
	var f facts
	in := json.NewDecoder(bytes.NewReader(n.Text))
	in.DisallowUnknownFields()
	if in.Decode(&f) != nil || f.Outline == nil || f.Lines == 0 {
		return false
	}
	p.facts, p.known = f, n.ID
	return true
}

// remember keeps the facts beside the sampler that was built, unless they came from there.
func (p *posterior) remember(ctx context.Context, b *sampler.Binary) {
	if p.note == "" || b.ID == p.known {
		return
	}
	if text, err := json.Marshal(p.facts); err == nil {
		b.Remember(ctx, p.note, text)
	}
}

// evaluator is the model on its data, evaluated without compiling.
func (p *posterior) evaluator() (interpret.Posterior, error) {
	if p.im != nil {
		return p.im, nil
	}
	if _, ok := p.derive(p.curved); !ok {
		return nil, internal{fmt.Errorf("%s was derived once, and now is not", p.shown())}
	}
	p.fit(p.data.Data)
	var err error
	p.im, err = p.on(p.data)
	return p.im, err
}

// code is the code of the sampler.
func (p *posterior) code() ([]byte, error) {
	if _, err := p.evaluator(); err != nil {
		return nil, err
	}
	text, err := p.generate("model")
	p.Lines = bytes.Count(text, []byte("\n"))
	return text, err
}
