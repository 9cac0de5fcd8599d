package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
)

// A mutant is a model with one to four mutations.
type mutant struct {
	Seed      uint64
	Origin    string
	Mutations []string
	Text      string
	// Unknown is a name that stands in one place of the text, of a reference; "" for none.
	Unknown string
}

// maxText bounds what mutations may make of a model: repetition of repetitions is for the front
// end's limits, which package dsl tests.
const maxText = 20_000

// careless is the number of mutants in ten whose mutations need not be accepted by the checker: of
// random changes it refuses nine in ten, and what is behind it would see little.
const careless = 2

// mutantOf makes the mutant of a seed. What the checker accepts, it is told by a function.
func mutantOf(origins []origin, seed uint64, accepted func(text string) bool) mutant {
	rng := rand.New(rand.NewPCG(seed, 12))
	o := &origins[rng.IntN(len(origins))]
	m := &maker{rng: rng, origins: origins, tokens: slices.Clone(o.tokens)}
	out := mutant{Seed: seed, Origin: o.name}
	careful := rng.IntN(10) >= careless
	for range 1 + rng.IntN(4) {
		for range 30 {
			k := rng.IntN(len(mutations))
			before, unknown := slices.Clone(m.tokens), m.unknown
			done := mutations[k].do(m)
			text := strings.Join(m.tokens, "")
			if !done || slices.Equal(before, m.tokens) || len(text) > maxText || careful && !accepted(text) {
				m.tokens, m.unknown = before, unknown
				continue
			}
			// What was made of several tokens is cut where the language cuts it.
			m.tokens = tokens(text)
			out.Mutations = append(out.Mutations, mutations[k].name)
			break
		}
	}
	out.Text = strings.Join(m.tokens, "")
	if m.unknown != "" && count(m.tokens, m.unknown) == 1 {
		out.Unknown = m.unknown
	}
	return out
}

func count(all []string, s string) (n int) {
	for _, t := range all {
		if t == s {
			n++
		}
	}
	return n
}

// maker mutates the tokens of one model.
type maker struct {
	rng     *rand.Rand
	origins []origin
	tokens  []string
	unknown string
}

// A mutation changes tokens; it is false where it finds nothing to change.
type mutation struct {
	name string
	do   func(*maker) bool
}

// mutations is the table of them.
var mutations = []mutation{
	{"delete a token", func(m *maker) bool { return m.at(m.solid(), func(i int) { m.tokens[i] = "" }) }},
	{"duplicate a token", func(m *maker) bool { return m.at(m.solid(), func(i int) { m.tokens[i] += " " + m.tokens[i] }) }},
	{"swap two tokens", (*maker).swap},
	{"replace by a token of its kind", func(m *maker) bool {
		return m.at(m.solid(), func(i int) { m.tokens[i] = m.foreign(kindOf(m.tokens[i])) })
	}},
	{"replace by a token of any kind", func(m *maker) bool {
		return m.at(m.solid(), func(i int) { m.tokens[i] = m.foreign(number + kind(m.rng.IntN(4))) })
	}},
	{"replace by a name of the model", func(m *maker) bool {
		return m.at(m.of(name), func(i int) { m.tokens[i] = m.tokens[m.pick(m.of(name))] })
	}},
	{"replace an operator", func(m *maker) bool {
		return m.at(m.where(func(i int) bool { return slices.Contains(arithmetic, m.tokens[i]) }), func(i int) { m.tokens[i] = m.choose(arithmetic) })
	}},
	{"change a number", func(m *maker) bool { return m.at(m.of(number), func(i int) { m.tokens[i] = m.choose(numbers) }) }},
	{"a number for a name", func(m *maker) bool { return m.at(m.of(name), func(i int) { m.tokens[i] = m.choose(numbers) }) }},
	{"rename", func(m *maker) bool { return m.at(m.of(name), func(i int) { m.rename(m.tokens[i], m.choose(ours)) }) }},
	{"break a reference", (*maker).unresolved},
	{"wrap in a function", func(m *maker) bool { return m.wrap(1) }},
	{"nest", func(m *maker) bool { return m.wrap(2 + m.rng.IntN(8)) }},
	{"nest deeply", func(m *maker) bool { return m.wrap(30) }},
	{"combine", (*maker).combine},
	{"repeat a statement", func(m *maker) bool { return m.repeat(30) }},
	{"double a statement", func(m *maker) bool { return m.repeat(2) }},
	{"swap statements", (*maker).exchange},
	{"a statement of another model", (*maker).graft},
	{"chain definitions", (*maker).chain},
	{"change a size", (*maker).resize},
	{"change a support", (*maker).support},
	{"change the metric", (*maker).metric},
	{"change a distribution", (*maker).distribution},
}

var (
	arithmetic = []string{"+", "-", "*", "/", "^", ".*", "./", ".^"}
	numbers    = []string{"0", "1", "-1", "2", "0.5", "-0.5", "3", "30", "1e308", "1e-308", "1000000000", "1e9", "9007199254740993", "1e400"}
	// Names of Go, of emitted code and of the language.
	ours = strings.Fields("func type range map select go defer interface struct var package chan switch if else return string len append float64 int any nil iota true error init main new " +
		"Model Data Params New math runtime linalg special m q p d w i j k n L G lp grad sum exp log normal x_ _ __ T1 a1 t0 String Metric Gradient pi e size delta metric fisher over at from")
	wrappers = functions()
	geometry = []string{"metric fisher", "metric identity", "metric hessian", "metric softabs(alpha = 1)", "metric softabs(alpha = 1e6)", "metric fisher + identity", "metric hessian + identity",
		"metric fisher(prior = expected)", "metric 2*fisher + 0.5*identity", "metric identity/3", "metric -hessian", "metric fisher + hessian", "metric softabs(alpha = 1)*2", "metric softabs(alpha = 0)"}
	supports = []string{"> 0", "< 0", ">= 0", "in (0, 1)", "in [0, 1]", "in (-1, 1)", "< 1e308", "> 1e308", "in (1, 0)", "in (0, 0)", "in {0, 1}", "in {}", "in 1..3", "> -1", "= 3", "in (0, 1e-308)"}
)

// functions are the ways to wrap an operand, which stands for %.
func functions() []string {
	out := []string{"(%)", "-%", "-(%)", "(%)^2", "(%)^3", "(%)^0.5", "(%)^-1", "(%)'", "(%).^2", "1/(%)", "sum(zi in 3) %", "pow(%, 2)", "pow(2, %)", "(% + 1)", "0*%", "1e308*(%)", "(% - %)", "(%/%)"}
	for _, f := range dsl.Functions {
		switch {
		case f.Arity == 2:
			out = append(out, f.Name+"(%, %)", f.Name+"(%, 0.5)")
		case f.Arity != 0:
			out = append(out, f.Name+"(%)")
		}
	}
	return out
}

func (m *maker) choose(s []string) string { return s[m.rng.IntN(len(s))] }

func (m *maker) pick(at []int) int { return at[m.rng.IntN(len(at))] }

// at changes the token at one of the places.
func (m *maker) at(places []int, do func(i int)) bool {
	if len(places) == 0 {
		return false
	}
	do(m.pick(places))
	return true
}

// where lists the places of tokens.
func (m *maker) where(is func(i int) bool) (out []int) {
	for i := range m.tokens {
		if is(i) {
			out = append(out, i)
		}
	}
	return out
}

// solid lists the tokens that the grammar sees.
func (m *maker) solid() []int {
	return m.where(func(i int) bool { return kindOf(m.tokens[i]) > line })
}

// of lists those of a kind.
func (m *maker) of(k kind) []int {
	return m.where(func(i int) bool { return kindOf(m.tokens[i]) == k })
}

// foreign returns a token of a kind from any model.
func (m *maker) foreign(k kind) string {
	for {
		all := m.origins[m.rng.IntN(len(m.origins))].tokens
		if s := all[m.rng.IntN(len(all))]; kindOf(s) == k {
			return s
		}
	}
}

func (m *maker) swap() bool {
	return m.at(m.solid(), func(i int) {
		j := m.pick(m.solid())
		m.tokens[i], m.tokens[j] = m.tokens[j], m.tokens[i]
	})
}

// rename gives everything of a name another one.
func (m *maker) rename(from, to string) {
	for i, t := range m.tokens {
		if t == from {
			m.tokens[i] = to
		}
	}
}

// unresolved gives one mention of something that is mentioned elsewhere too a name of its own.
func (m *maker) unresolved() bool {
	places := m.where(func(i int) bool { return kindOf(m.tokens[i]) == name && count(m.tokens, m.tokens[i]) > 1 })
	return m.at(places, func(i int) {
		m.unknown = "zq" + strconv.Itoa(m.rng.IntN(1000))
		m.tokens[i] = m.unknown
	})
}

// operand returns the extent of one: a number, a name with what stands in brackets behind it, or
// what stands in brackets. Names in declarations are too, which makes mistakes of them.
func (m *maker) operand() (from, to int, ok bool) {
	places := m.where(func(i int) bool {
		k := kindOf(m.tokens[i])
		return k == number || k == name || m.tokens[i] == "("
	})
	if len(places) == 0 {
		return 0, 0, false
	}
	from = m.pick(places)
	to = from + 1
	if m.tokens[from] == "(" {
		to = from
	}
	for kindOf(m.tokens[from]) != number && to < len(m.tokens) && (m.tokens[to] == "(" || m.tokens[to] == "[") {
		depth := 0
		for ; to < len(m.tokens); to++ {
			switch m.tokens[to] {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if to++; to > len(m.tokens) {
			return 0, 0, false
		}
	}
	return from, to, true
}

// put replaces tokens by a text.
func (m *maker) put(from, to int, text string) {
	m.tokens = slices.Replace(m.tokens, from, to, text)
}

// wrap puts functions around an operand.
func (m *maker) wrap(times int) bool {
	from, to, ok := m.operand()
	if !ok {
		return false
	}
	text := strings.Join(m.tokens[from:to], "")
	form := m.choose(wrappers)
	for range times {
		if times < 10 {
			form = m.choose(wrappers)
		}
		if next := strings.ReplaceAll(form, "%", text); len(next) < maxText/4 {
			text = next
		}
	}
	m.put(from, to, text)
	return true
}

// combine joins an operand with another one of the model.
func (m *maker) combine() bool {
	from, to, ok := m.operand()
	a, b, other := m.operand()
	if !ok || !other {
		return false
	}
	m.put(from, to, "("+strings.Join(m.tokens[from:to], "")+m.choose(arithmetic)+strings.Join(m.tokens[a:b], "")+")")
	return true
}

// statements returns the extents of the lines that are not empty.
func (m *maker) statements() (out [][2]int) {
	from := 0
	for i := range len(m.tokens) + 1 {
		if i == len(m.tokens) || m.tokens[i] == "\n" {
			if strings.TrimSpace(strings.Join(m.tokens[from:i], "")) != "" {
				out = append(out, [2]int{from, i})
			}
			from = i + 1
		}
	}
	return out
}

// statement returns one of them.
func (m *maker) statement() (from, to int, text string) {
	all := m.statements()
	if len(all) == 0 {
		return 0, 0, ""
	}
	s := all[m.rng.IntN(len(all))]
	return s[0], s[1], strings.Join(m.tokens[s[0]:s[1]], "")
}

func (m *maker) repeat(times int) bool {
	from, to, text := m.statement()
	if text == "" {
		return false
	}
	m.put(from, to, strings.TrimSuffix(strings.Repeat(text+"\n", times), "\n"))
	return true
}

func (m *maker) exchange() bool {
	a, b, first := m.statement()
	c, d, second := m.statement()
	if first == "" || a >= c {
		return false
	}
	m.put(c, d, first)
	m.put(a, b, second)
	return true
}

func (m *maker) graft() bool {
	from, to, text := m.statement()
	if text == "" {
		return false
	}
	other := maker{rng: m.rng, tokens: m.origins[m.rng.IntN(len(m.origins))].tokens}
	_, _, more := other.statement()
	m.put(from, to, text+"\n"+more)
	return true
}

// chain defines an operand by thirty definitions, each of which mentions the one before twice.
func (m *maker) chain() bool {
	from, to, ok := m.operand()
	if !ok {
		return false
	}
	start := from
	for start > 0 && m.tokens[start-1] != "\n" {
		start--
	}
	var b strings.Builder
	form := m.choose([]string{"%[1]s*%[1]s", "%[1]s + %[1]s", "%[1]s + %[1]s^2", "exp(%[1]s)*%[1]s", "sin(%[1]s) - cos(%[1]s)", "log1p_exp(%[1]s)/%[1]s", "%[1]s'*%[1]s", "%[1]s.*%[1]s", "%[1]s + 1", "exp(-%[1]s)", "log_sum_exp(%[1]s, -%[1]s)"})
	last := strings.Join(m.tokens[from:to], "")
	for k := range 2 + 28*m.rng.IntN(2) {
		fmt.Fprintf(&b, "let zc%d = "+form+"\n", k, last)
		last = "zc" + strconv.Itoa(k)
	}
	m.put(from, to, last)
	m.put(start, start, b.String())
	return true
}

// resize changes a number or name in brackets.
func (m *maker) resize() bool {
	depth := 0
	places := m.where(func(i int) bool {
		switch m.tokens[i] {
		case "[":
			depth++
		case "]":
			depth--
		}
		return depth > 0 && kindOf(m.tokens[i]) >= number && kindOf(m.tokens[i]) != operator
	})
	return m.at(places, func(i int) {
		sizes := []string{"1", "2", "3", "0", "1000000000", m.tokens[i] + "+1", m.tokens[i] + "-1", "2*" + m.tokens[i], m.tokens[i] + "," + m.tokens[i], m.tokens[i] + "..3"}
		if all := m.of(name); len(all) > 0 {
			sizes = append(sizes, m.tokens[m.pick(all)])
		}
		m.tokens[i] = m.choose(sizes)
	})
}

// support changes that of a declaration, or adds one.
func (m *maker) support() bool {
	places := m.where(func(i int) bool { return m.tokens[i] == "real" || m.tokens[i] == "int" })
	return m.at(places, func(i int) {
		to := i + 1
		if to < len(m.tokens) && m.tokens[to] == "[" {
			for to < len(m.tokens) && m.tokens[to] != "]" && m.tokens[to] != "\n" {
				to++
			}
			to = min(to+1, len(m.tokens))
		}
		end := to
		for end < len(m.tokens) && m.tokens[end] != "\n" {
			end++
		}
		m.put(to, end, " "+m.choose(supports))
	})
}

// metric puts another metric in place of one, or adds one.
func (m *maker) metric() bool {
	text := m.choose(geometry)
	for _, s := range m.statements() {
		if m.tokens[s[0]] == "metric" {
			m.put(s[0], s[1], text)
			return true
		}
	}
	if i := slices.Index(m.tokens, "metric"); i >= 0 { // of a block
		to := i
		for to < len(m.tokens) && m.tokens[to] != "\n" {
			to++
		}
		m.put(i, to, text)
		return true
	}
	m.tokens = append(m.tokens, "\n"+text+"\n")
	return true
}

// distribution replaces one.
func (m *maker) distribution() bool {
	places := m.where(func(i int) bool { return dsl.LookupDistribution(m.tokens[i]) != nil })
	return m.at(places, func(i int) { m.tokens[i] = dsl.Distributions[m.rng.IntN(len(dsl.Distributions))].Name })
}
