package interpret

// image is what the metric is of the numbers that its storage keeps, at one position.
type image interface {
	// metric writes G.
	metric(g []float64)
	// weights returns M with ⟨W, ∂G⟩ = ⟨M, ∂B⟩, for the elements of B that the storage keeps.
	weights(w []float64) []float64
	// mapJacobian replaces ∂B_ij/∂q_k in out[(i·n+j)·n+k] by ∂G_ij/∂q_k.
	mapJacobian(out []float64)
	// addCurvature adds to out what ½⟨W, ∂²G⟩ has beside ½⟨M, ∂²B⟩.
	addCurvature(out, w []float64)
}

// images has the image of each storage whose metric is another one than the elements that it keeps, by its name. The file of
// the storage adds it.
var images = map[string]func(m *Model, q []float64) image{}

// image is that of the metric at q.
func (m *Model) image(q []float64) image {
	if made := images[m.d.Metric.Storage.Name]; made != nil {
		return made(m, q)
	}
	return elements{m, q}
}

// elements is the image of a storage of the elements of the metric itself.
type elements struct {
	m *Model
	q []float64
}

func (e elements) metric(g []float64)            { e.m.base(g, e.q) }
func (e elements) weights(w []float64) []float64 { return w }
func (e elements) mapJacobian([]float64)         {}
func (e elements) addCurvature(_, _ []float64)   {}
