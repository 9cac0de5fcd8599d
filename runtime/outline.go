package runtime

// An Outline is what Options.Validate asks of a posterior. It holds no code: it can be written down as JSON, and be
// of use where the posterior itself is not at hand.
type Outline struct {
	Info       Info
	Blocks     []BlockOutline // in the order of a sweep; one without a name of a Model
	Generated  []Quantity
	Priors     []string // that a PriorDrawer draws
	Tolerances bool     // there are tolerances of differential equations to set
}

// A BlockOutline is what Options.Validate asks of a block.
type BlockOutline struct {
	Name   string // "" of a Model
	Info   Info
	Curved bool // it is a Curved
}

// OutlineOf returns the outline of a posterior. It is an error if that is neither a Model nor a Gibbs, or if its
// blocks do not fit it.
func OutlineOf(p Posterior) (*Outline, error) {
	blocks, err := blocksOf(p)
	if err != nil {
		return nil, err
	}
	out := &Outline{Info: *p.Info(), Generated: quantities(p)}
	for _, b := range blocks {
		o := BlockOutline{Info: *b.system.Info()}
		if b.given != nil {
			o.Name = o.Info.Name
		}
		_, o.Curved = AsCurved(b.system)
		out.Blocks = append(out.Blocks, o)
	}
	if d, ok := p.(PriorDrawer); ok {
		out.Priors = d.Priors()
	}
	_, out.Tolerances = p.(solver)
	return out, nil
}
