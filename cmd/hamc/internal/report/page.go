package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
)

//go:embed report.html
var htmlText string

//go:embed report.css
var cssText string

//go:embed report.js
var jsText string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(htmlText)) })

// page is what the template shows.
type page struct {
	Run     *Run
	Size    string // chains and draws, in words
	Because string // why nothing speaks against the draws, where nothing does
	Policy  string // content security policy
	Tiles   []tile
	Heads   []string // of the table, the name's left out
	Rows    []row    // of the parameters
	Others  []row    // of the generated quantities
	Blocks  []block

	RowsNote, PlotsNote, DrawsNote, EnergyNote, AuditNote string

	HasFlags bool   // the run tells which transitions failed
	Flagged  [3]int // how many diverged, failed, did not return
	Marked   int    // draws of which any of these holds
	HasLP    bool
	HasTree  bool
	Energy   *energy
	Audit    int // points
	Geometry *geometry

	Data template.JS
	CSS  template.CSS
	JS   template.JS
}

// geometry is the race as the page shows it.
type geometry struct {
	Why        string
	Candidates []candidate
}

// candidate is a row of it. The bars are on a scale of logarithms: metrics may differ by a factor of thousands.
type candidate struct {
	Name, Doubt           string
	Chosen                bool
	Width                 int // of the bar, of barWidth
	Merit, Steps, Trouble string
}

// barWidth is the width of the longest bar, as the picture on the page is wide; barDecades is how many powers of ten below it a bar vanishes.
const (
	barWidth   = 160
	barDecades = 4
)

// race fills the section on the choice of a metric.
func (p *page) race(g *Geometry) {
	if g == nil {
		return
	}
	p.Geometry = &geometry{Why: g.Why}
	most := 0.0
	for _, c := range g.Candidates {
		most = max(most, c.Merit)
	}
	two, one := terminal.Significant(2), terminal.Fixed(1)
	for _, c := range g.Candidates {
		row := candidate{Name: c.Name, Doubt: c.Doubt, Chosen: c.Chosen, Merit: two(c.Merit), Steps: one(c.Steps), Trouble: one(100*c.Trouble) + " %"}
		if part := 1 + math.Log10(c.Merit/most)/barDecades; part > 0 { // which NaN is not
			row.Width = int(math.Round(barWidth * part))
		}
		p.Geometry.Candidates = append(p.Geometry.Candidates, row)
	}
}

// tile is one number of the overview.
type tile struct {
	Label, Value, Of string
	Bad              bool
}

// row is one row of the table.
type row struct {
	Name  string
	Worst int // rank by badness, 0 being the worst
	Cells []cell
}

// payload is what the script reads. Arrays of numbers are little-endian; JSON
// has them in base64.
type payload struct {
	Chains     []int       `json:"chains"`
	Draws      int         `json:"draws"`
	Step       int         `json:"step"`
	Regular    int         `json:"regular"`
	Events     []int       `json:"events"`    // by chain, their number
	EventDraws []byte      `json:"eventDraw"` // uint32, chain by chain
	Flags      []byte      `json:"flags"`     // uint8: chain by chain, the shown draws
	Quantities []quantity  `json:"quantities"`
	Values     []byte      `json:"values"`  // uint16 codes: quantity by quantity, chain by chain, the shown draws
	Density    []byte      `json:"density"` // uint8, parts of the peak: quantity, chain, point
	Ranks      []byte      `json:"ranks"`   // uint32: quantity, chain, bin
	ACF        []byte      `json:"acf"`     // int16 of 32767: quantity, chain, lag; -32768 where undefined
	Points     int         `json:"points"`
	Bins       int         `json:"bins"`
	Lags       int         `json:"lags"`
	Pairs      []int       `json:"pairs"` // quantities of the first pairs plot
	LP         int         `json:"lp"`    // the quantity lp__, or -1
	Histograms []histogram `json:"histograms"`
	Energy     *energy     `json:"energy"`
	Audit      [][2]string `json:"audit"` // shortest decimals, which JSON's numbers need not keep
}

// quantity is what can be chosen for a plot.
type quantity struct {
	Name      string  `json:"name"`
	Scale     scale   `json:"scale"`
	Low       float64 `json:"low"` // ends of the density
	High      float64 `json:"high"`
	Outside   int     `json:"outside"`   // draws beyond them
	NotFinite int     `json:"notFinite"` // draws
}

// Columns is the number of columns of the table.
func (p *page) Columns() int { return 1 + len(p.Heads) }

func newPage(r *Run) (*page, error) {
	p := &page{
		Run:  r,
		Size: fmt.Sprintf("%s of %s, %s", plural(len(r.Chains), "chain"), plural(r.draws(), "draw"), r.columns()),
		CSS:  template.CSS(cssText),
		JS:   template.JS(jsText),
		// The page may run this script and use this style sheet, and nothing
		// else: no name in it can bring in another.
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(cssText), hash(jsText)),
	}
	order := r.byBadness()
	p.tiles(order)
	p.race(r.Geometry)
	p.table(order)

	plotted := worst(order, min(maxPlots, max(10, maxCurves/len(r.Chains))))
	flags, known := r.flags()
	p.HasFlags = known
	p.countFlags(flags)
	p.because()
	d := payload{Draws: r.draws(), Points: densityPoints, Bins: rankBins(r.draws()), Lags: lags(r.draws()), LP: -1}
	var data [][][]float64
	for _, k := range plotted {
		data = append(data, r.param(k))
		d.Quantities = append(d.Quantities, quantity{Name: r.Params[k]})
	}
	if lp := r.stat("lp__"); lp != nil {
		d.LP = len(data)
		p.HasLP = true
		data = append(data, lp)
		d.Quantities = append(d.Quantities, quantity{Name: "lp__"})
	}
	for _, k := range r.firstPairs(plotted, order) {
		d.Pairs = append(d.Pairs, slices.Index(plotted, k))
	}
	s := choose(len(data), flags)
	d.Step, d.Regular = s.step, s.regular
	for c := range r.Chains {
		d.Chains = append(d.Chains, r.Chains[c].Number)
		d.Events = append(d.Events, len(s.events[c]))
		for _, i := range s.events[c] {
			d.EventDraws = appendUint32(d.EventDraws, i)
		}
		for _, i := range s.draws(c) {
			d.Flags = append(d.Flags, flags[c][i])
		}
	}
	d.curves(data, s)
	p.notes(&d, plotted, s)

	p.blocks(&d)
	if p.Energy = r.energies(); p.Energy != nil {
		d.Energy = p.Energy
		if n := p.Energy.outside; n > 0 {
			p.EnergyNote = fmt.Sprintf("Outside the range shown: %s.", plural(n, "value"))
		}
	}
	p.audit(&d)

	text, err := json.Marshal(&d) // escapes <, > and &, and so cannot end the element it stands in
	if err != nil {
		return nil, err
	}
	p.Data = template.JS(text)
	return p, nil
}

// countFlags counts the draws that are marked, by what marks them.
func (p *page) countFlags(flags [][]uint8) {
	for c := range flags {
		for _, f := range flags[c] {
			for bit := range p.Flagged {
				p.Flagged[bit] += int(f >> bit & 1)
			}
			if f != 0 {
				p.Marked++
			}
		}
	}
}

// blocks adds what is known of the sampler, for each block.
func (p *page) blocks(d *payload) {
	names := p.Run.Blocks
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names { // of several blocks, those of the sweep are sums and means of theirs
		if b := p.Run.newBlock(name, &d.Histograms); len(b.Columns) > 0 {
			p.Blocks = append(p.Blocks, b)
		}
	}
}

func hash(text string) string {
	h := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}

func (p *page) write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// because says on what a good verdict rests, no more than was checked.
func (p *page) because() {
	if len(p.Run.Chains) > 1 {
		p.Because = "The chains agree, and the effective sample sizes suffice."
	} else {
		p.Because = "The two halves of the one chain agree, and the effective sample sizes suffice. Whether another chain would agree, one chain cannot tell."
	}
	switch {
	case !p.HasFlags:
		p.Because += " The files do not tell which transitions failed."
	case p.Marked == 0:
		p.Because += " No transition failed."
	default:
		p.Because += fmt.Sprintf(" Of %s, few failed: %d.", plural(len(p.Run.Chains)*p.Run.draws(), "transition"), p.Marked)
	}
}

// tiles fills the overview.
func (p *page) tiles(order []int) {
	r := p.Run
	p.Tiles = append(p.Tiles, tile{Label: "draws", Value: strconv.Itoa(len(r.Chains) * r.draws()), Of: fmt.Sprintf("%d × %d", len(r.Chains), r.draws())})
	extreme := func(label string, format terminal.Format, sign float64, limit float64, of func(k int) float64) {
		at := -1
		for k := range r.Summary[:r.judged()] {
			v := sign * of(k)
			if at < 0 || math.IsNaN(v) && !math.IsNaN(of(at)) || v > sign*of(at) {
				at = k
			}
		}
		v := of(at)
		p.Tiles = append(p.Tiles, tile{Label: label, Value: format(v), Of: r.Params[at], Bad: !(sign*v <= sign*limit)})
	}
	extreme("largest R-hat", terminal.Fixed(3), 1, r.Limits.RHat, func(k int) float64 { return r.Summary[k].RHat })
	extreme("least bulk ESS", terminal.Fixed(0), -1, r.Limits.ESS, func(k int) float64 { return r.Summary[k].ESSBulk })
	extreme("least tail ESS", terminal.Fixed(0), -1, r.Limits.ESS, func(k int) float64 { return r.Summary[k].ESSTail })
	total := len(r.Chains) * r.draws()
	count := func(label, stat string, bad func(n int) bool) {
		x := r.stat(stat)
		if x == nil {
			return
		}
		n := 0
		for _, c := range x {
			for _, v := range c {
				if v != 0 {
					n++
				}
			}
		}
		p.Tiles = append(p.Tiles, tile{Label: label, Value: strconv.Itoa(n), Of: "of " + plural(total, "transition"), Bad: bad(n)})
	}
	count("divergent", "divergent__", func(n int) bool { return n > 0 })
	many := func(n int) bool { return float64(n) > r.Limits.Share*float64(total) }
	count("solver failures", "failure__", many)
	count("irreversible", "irreversible__", many)
	if v := r.leastEBFMI(); !math.IsNaN(v) {
		p.Tiles = append(p.Tiles, tile{Label: "least E-BFMI", Value: terminal.Fixed(2)(v), Of: fmt.Sprintf("of %s", plural(len(r.Chains), "chain")), Bad: v < r.Limits.EBFMI})
	}
}

// table fills the summary table.
func (p *page) table(order []int) {
	r := p.Run
	p.Heads = []string{"Mean", "MCSE", "sd"}
	for _, q := range r.Probabilities {
		p.Heads = append(p.Heads, strconv.FormatFloat(100*q, 'g', 6, 64)+" %")
	}
	p.Heads = append(p.Heads, "ESS bulk", "ESS tail", "R-hat")
	place := make([]int, len(order))
	for i, k := range order {
		place[k] = i
	}
	number, whole, three := terminal.Significant(4), terminal.Fixed(0), terminal.Fixed(3)
	for _, k := range worst(order, maxRows) {
		s := &r.Summary[k]
		generated := k >= r.judged()
		bad := func(good bool) bool { return !good && !generated }
		of := func(format terminal.Format, v float64) string {
			if generated && math.IsNaN(v) {
				return ""
			}
			return format(v)
		}
		cells := []cell{{Text: number(s.Mean)}, {Text: of(terminal.Significant(2), s.MCSE)}, {Text: number(s.SD)}}
		for _, q := range s.Quantiles {
			cells = append(cells, cell{Text: number(q)})
		}
		cells = append(cells,
			cell{of(whole, s.ESSBulk), bad(s.ESSBulk >= r.Limits.ESS)},
			cell{of(whole, s.ESSTail), bad(s.ESSTail >= r.Limits.ESS)},
			cell{of(three, s.RHat), bad(s.RHat <= r.Limits.RHat)})
		if generated && s.Constant {
			cells[len(cells)-1].Text = "constant"
		}
		line := row{Name: s.Name, Worst: place[k], Cells: cells}
		if generated {
			p.Others = append(p.Others, line)
		} else {
			p.Rows = append(p.Rows, line)
		}
	}
	if n := len(p.Rows) + len(p.Others); n < len(r.Params) {
		p.RowsNote = fmt.Sprintf("The table holds the %d worst of %d %s; hamc summary --all prints all of them.", n, len(r.Params), r.noun())
	}
}

// noun says what the rows of the table are.
func (r *Run) noun() string {
	if r.Generated > 0 {
		return "parameters and generated quantities"
	}
	return "parameters"
}

// columns counts the parameters and the generated quantities.
func (r *Run) columns() string {
	text := plural(r.judged(), "parameter")
	switch {
	case r.Generated == 1:
		text += ", 1 generated quantity"
	case r.Generated > 1:
		text += fmt.Sprintf(", %d generated quantities", r.Generated)
	}
	return text
}

// notes says what the plots leave out.
func (p *page) notes(d *payload, plotted []int, s shown) {
	r := p.Run
	if len(plotted) < len(r.Params) {
		p.PlotsNote = fmt.Sprintf("There are plots of the %d worst of %d %s.", len(plotted), len(r.Params), r.noun())
	}
	if s.step > 1 {
		var b strings.Builder
		fmt.Fprintf(&b, "To keep this page small, traces and pairs show every %s draw: %d of %d of each chain.", ordinal(s.step), s.regular, r.draws())
		events := 0
		for _, n := range d.Events {
			events += n
		}
		if events > 0 {
			fmt.Fprintf(&b, " %s that diverged, failed or did not return are shown besides", plural(events, "transition"))
			if s.dropped > 0 {
				fmt.Fprintf(&b, "; %d more are not", s.dropped)
			}
			b.WriteByte('.')
		}
		b.WriteString(" Everything else is computed from all draws.")
		p.DrawsNote = b.String()
	}
}

// audit adds the audited draws to the data.
func (p *page) audit(d *payload) {
	zero, bad := 0, 0
	for _, a := range p.Run.Audit {
		switch {
		case !finite(a.Reversibility) || !finite(a.Volume) || a.Reversibility < 0 || a.Volume < 0:
			bad++
			continue
		case a.Reversibility == 0 || a.Volume == 0:
			zero++
		}
		d.Audit = append(d.Audit, [2]string{strconv.FormatFloat(a.Reversibility, 'g', 4, 64), strconv.FormatFloat(a.Volume, 'g', 4, 64)})
	}
	p.Audit = len(d.Audit)
	var parts []string
	if zero > 0 {
		parts = append(parts, fmt.Sprintf("An error of exactly 0 has no place on a logarithmic axis; it is on the axis itself, for %s.", plural(zero, "draw")))
	}
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("Left out, without finite errors: %s.", plural(bad, "draw")))
	}
	p.AuditNote = strings.Join(parts, " ")
}

// curves computes what the plots of every quantity need. Quantities are computed
// in parallel; the result does not depend on it.
func (d *payload) curves(data [][][]float64, s shown) {
	type encoded struct{ values, density, ranks, acf []byte }
	out := make([]encoded, len(data))
	work := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(data)) {
		workers.Go(func() {
			for k := range work {
				q, chains, e := &d.Quantities[k], data[k], &out[k]
				sorted := sortedFinite(chains)
				q.NotFinite = len(chains)*d.Draws - len(sorted)
				q.Scale = newScale(sorted)
				for c, x := range chains {
					for _, i := range s.draws(c) {
						e.values = appendUint16(e.values, q.Scale.code(x[i]))
					}
				}
				v := interval{low: -1, high: 1}
				if len(sorted) > 0 {
					v = centralInterval(sorted)
				}
				q.Low, q.High, q.Outside = v.low, v.high, v.outside
				e.density = encodeDensities(chains, v)
				e.ranks = encodeRanks(chains, d.Bins)
				e.acf = encodeACF(chains, d.Lags)
			}
		})
	}
	for k := range data {
		work <- k
	}
	close(work)
	workers.Wait()
	for _, e := range out {
		d.Values = append(d.Values, e.values...)
		d.Density = append(d.Density, e.density...)
		d.Ranks = append(d.Ranks, e.ranks...)
		d.ACF = append(d.ACF, e.acf...)
	}
}

// encodeDensities encodes the densities of all chains as parts of their common
// peak. A chain without a density has zeros.
func encodeDensities(chains [][]float64, v interval) []byte {
	all := make([][]float64, len(chains))
	peak := 0.0
	for c, x := range chains {
		if all[c] = density(x, v); all[c] != nil {
			peak = max(peak, slices.Max(all[c]))
		}
	}
	var out []byte
	for _, y := range all {
		for i := range densityPoints {
			code := 0.0
			if y != nil && peak > 0 {
				code = math.Round(math.MaxUint8 * y[i] / peak)
			}
			out = append(out, byte(code))
		}
	}
	return out
}

func encodeRanks(chains [][]float64, bins int) []byte {
	counts := rankCounts(chains, bins)
	if counts == nil {
		return make([]byte, 4*bins*len(chains))
	}
	var out []byte
	for _, c := range counts {
		for _, n := range c {
			out = appendUint32(out, n)
		}
	}
	return out
}

func encodeACF(chains [][]float64, lags int) []byte {
	var out []byte
	for _, x := range chains {
		y := autocorrelation(x)
		for lag := range lags {
			code := int16(math.MinInt16)
			if y != nil {
				code = int16(math.Round(math.MaxInt16 * y[lag]))
			}
			out = appendUint16(out, uint16(code))
		}
	}
	return out
}

// plural returns "1 noun" or "n nouns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ordinal returns 2nd, 3rd, 4th, …
func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
