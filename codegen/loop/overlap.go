package loop

// Where arrays overlap: arrays are places of one storage where they are views of one.

// stretch is the part of a storage that an array is: all of it where from is nil.
type stretch struct {
	root     *Var
	from, to *Int
}

// storage is where an array is kept. Of a view of a view only the outer storage is known, and that it is some part of it.
func storage(v *Var) stretch {
	switch {
	case v.Home != View || v.Of == nil:
		return stretch{root: v}
	case v.Of.Home == View:
		return stretch{root: storage(v.Of).root}
	case v.To == nil:
		return stretch{v.Of, v.From, v.From.Plus(1)}
	}
	return stretch{v.Of, v.From, v.To}
}

// overlaps reports whether two arrays may share elements. Views of one array share none where one ends before the other begins, as far as
// the views that the program has, one behind the other, tell.
func (c *checker) overlaps(v, w *Var) bool {
	a, b := storage(v), storage(w)
	switch {
	case a.root != b.root:
		return false
	case v == w || a.from == nil || b.from == nil:
		return true
	}
	return !c.before(a.to, b.from, a.root) && !c.before(b.to, a.from, a.root)
}

// before reports whether one place of a storage is not behind another one.
func (c *checker) before(a, b *Int, root *Var) bool {
	seen := map[*Var]bool{}
	for {
		if !below(b, a) && below(a, b.Plus(1)) {
			return true
		}
		next := a
		for _, v := range c.views {
			if s := storage(v); !seen[v] && s.root == root && s.from != nil && s.from.Equal(a) {
				seen[v], next = true, s.to
				break
			}
		}
		if next == a {
			return false
		}
		a = next
	}
}

// distinct reports whether two lists of subscripts lead to different parts: whether they differ, at one place, by a number.
func distinct(a, b []*Int) bool {
	for n := range min(len(a), len(b)) {
		x, i := a[n].Base()
		y, j := b[n].Base()
		if x.Equal(y) && i != j {
			return true
		}
	}
	return false
}

// sameInts reports whether two lists are equal.
func sameInts(a, b []*Int) bool {
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		if !a[n].Equal(b[n]) {
			return false
		}
	}
	return true
}
