package differential

import (
	"math"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The distributions of wholes, by gonum or by the sentence that defines them: what the probabilities of all categories are, and how often each was seen.

// family is the log density of a distribution that is a function of wholes.
func family(name string, y array, args []array) float64 {
	switch name {
	case "categorical", "categorical_logit", "ordered_logistic", "ordered_probit":
		return math.Log(categories(name, args)[int(y.v[0])-1])
	case "multinomial", "multinomial_logit":
		l, n := 0.0, 0.0
		for k, p := range categories(name, args) {
			l -= lgamma(y.v[k] + 1)
			if n += y.v[k]; y.v[k] > 0 {
				l += y.v[k] * math.Log(p)
			}
		}
		return l + lgamma(n+1)
	case "dirichlet_multinomial":
		return urn(y, args[0].v)
	case "multi_normal_prec":
		inv := mat.NewDense(len(y.v), len(y.v), nil)
		if err := inv.Inverse(dense(args[1])); err != nil {
			return math.NaN()
		}
		return multiNormal(y.v, args[0].v, inv.RawMatrix().Data)
	case "multi_normal_cholesky":
		n := len(y.v)
		l := mat.NewTriDense(n, mat.Lower, append([]float64(nil), args[1].v...))
		var s mat.Dense
		s.Mul(l, l.T())
		return multiNormal(y.v, args[0].v, s.RawMatrix().Data)
	case "lkj_corr_cholesky":
		return lkjFactor(y, args[0].v[0])
	case "lkj_corr":
		// By the constant of the density of the factor, and its Jacobian.
		k := y.shape[0]
		f := cholesky(y)
		l := family("lkj_corr_cholesky", f, args)
		for i := 1; i < k; i++ {
			l -= float64(k-1-i) * math.Log(f.v[i*k+i])
		}
		return l
	case "wishart", "inv_wishart":
		return wishart(name, y, args)
	case "wishart_cholesky", "inv_wishart_cholesky":
		k := y.shape[0]
		squared := func(a array) array {
			var s mat.Dense
			s.Mul(dense(a), dense(a).T())
			return array{a.shape, s.RawMatrix().Data}
		}
		l := family(strings.TrimSuffix(name, "_cholesky"), squared(y), []array{args[0], squared(args[1])})
		for i := range k {
			l += math.Log(2) + float64(k-i)*math.Log(y.v[i*k+i])
		}
		return l
	case "multi_student_t_cholesky":
		n := len(y.v)
		l := mat.NewTriDense(n, mat.Lower, append([]float64(nil), args[2].v...))
		var s mat.Dense
		s.Mul(l, l.T())
		return family("multi_student_t", y, []array{args[0], args[1], {args[2].shape, s.RawMatrix().Data}})
	case "multi_student_t":
		n, nu := len(y.v), args[0].v[0]
		var r, solved mat.VecDense
		r.SubVec(mat.NewVecDense(n, y.v), mat.NewVecDense(n, args[1].v))
		if err := solved.SolveVec(dense(args[2]), &r); err != nil {
			return math.NaN()
		}
		far := mat.Dot(&r, &solved)
		return math.Log(math.Gamma((nu+float64(n))/2)/(math.Gamma(nu/2)*math.Pow(nu*math.Pi, float64(n)/2)*math.Sqrt(mat.Det(dense(args[2]))))) -
			(nu+float64(n))/2*math.Log(1+far/nu)
	}
	panic("no family " + name)
}

// urn is the log density of the Dirichlet-multinomial distribution.
func urn(y array, colours []float64) float64 {
	// The urn of Pólya: a draw adds a ball of its colour. Every order of the draws is as likely.
	l, n, balls := 0.0, 0.0, 0.0
	for _, a := range colours {
		balls += a
	}
	for k, a := range colours {
		for seen := range int(y.v[k]) {
			l += math.Log((a+float64(seen))/(balls+n)) + math.Log(n+1) - math.Log(float64(seen)+1)
			n++
		}
	}
	return l
}

// lkjFactor is that of the factor of a correlation matrix.
func lkjFactor(y array, eta float64) float64 {
	// With the determinant of the correlation matrix, and the Jacobian of the map from its factor: 2^(K-1) Π L_kk^(K-k+1), less what the
	// diagonal, which the others determine, has of it.
	k := y.shape[0]
	l, det := 0.0, 1.0
	for i := range k {
		det *= y.v[i*k+i] * y.v[i*k+i]
		if i > 0 {
			l += float64(k-i-1) * math.Log(y.v[i*k+i])
		}
	}
	l += (eta - 1) * math.Log(det)
	for i := 1; i < k; i++ { // of the vine: Beta distributions of partial correlations
		b := eta + float64(k-1-i)/2
		l -= float64(k-i) * ((2*b-1)*math.Ln2 + 2*lgamma(b) - lgamma(2*b))
	}
	return l
}

// wishart is that of a covariance matrix, or of its inverse.
func wishart(name string, y array, args []array) float64 {
	// The density of the squares of normal numbers by Bartlett: of the factor T of S^{-1/2} y S^{-1/2} the diagonal is chi, the rest normal.
	k, nu := y.shape[0], args[0].v[0]
	if name == "inv_wishart" {
		inv, s := inverted(y), inverted(args[1])
		// y → 1/y has the Jacobian det(y)^-(k+1).
		return family("wishart", inv, []array{args[0], s}) - float64(k+1)*logDet(y)
	}
	if !(nu > float64(k-1)) {
		return math.Inf(-1)
	}
	f, g := cholesky(y), cholesky(args[1])
	var t mat.Dense
	if err := t.Solve(dense(g), dense(f)); err != nil {
		return math.NaN()
	}
	l := 0.0
	for i := range k {
		n := nu - float64(i)
		d := t.At(i, i)
		l += math.Log(2) - n/2*math.Ln2 - lgamma(n/2) + (n-1)*math.Log(d) - d*d/2
		for j := range i {
			l -= t.At(i, j)*t.At(i, j)/2 + math.Log(2*math.Pi)/2
		}
		l -= float64(i+1) * math.Log(g.v[i*k+i])             // from T to f
		l -= math.Log(2) + float64(k-i)*math.Log(f.v[i*k+i]) // from f to y
	}
	return l
}

// cholesky is the lower triangular factor of a symmetric positive definite matrix.
func cholesky(a array) array {
	n := a.shape[0]
	out := array{a.shape, make([]float64, n*n)}
	var f mat.Cholesky
	if !f.Factorize(mat.NewSymDense(n, append([]float64(nil), a.v...))) {
		for i := range out.v {
			out.v[i] = math.NaN()
		}
		return out
	}
	var l mat.TriDense
	f.LTo(&l)
	for i := range n {
		for j := range i + 1 {
			out.v[i*n+j] = l.At(i, j)
		}
	}
	return out
}

// inverted is the inverse of a matrix.
func inverted(a array) array {
	var inv mat.Dense
	if err := inv.Inverse(dense(a)); err != nil {
		return array{a.shape, make([]float64, len(a.v))}
	}
	return array{a.shape, inv.RawMatrix().Data}
}

// logDet is the logarithm of the determinant of a symmetric positive definite matrix.
func logDet(a array) float64 {
	l, _ := mat.LogDet(dense(a))
	return l
}

// categories are the probabilities of all categories.
func categories(name string, args []array) []float64 {
	switch name {
	case "categorical", "multinomial":
		return args[0].v
	case "categorical_logit", "multinomial_logit":
		var p []float64
		sum := 0.0
		for _, b := range args[0].v {
			p = append(p, math.Exp(b))
			sum += math.Exp(b)
		}
		for k := range p {
			p[k] /= sum
		}
		return p
	}
	// A latent number eta + noise falls between two cuts.
	below := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	if name == "ordered_probit" {
		below = distuv.UnitNormal.CDF
	}
	var p []float64
	last := 0.0
	for _, c := range args[1].v {
		p = append(p, below(c-args[0].v[0])-last)
		last = below(c - args[0].v[0])
	}
	return append(p, 1-last)
}

// familyInformation is the expected information about the first argument.
func familyInformation(name string, args []array) [][]float64 {
	y, z := args[0], args[1:]
	switch name {
	case "categorical", "categorical_logit", "multinomial", "multinomial_logit":
		// The variance of the slopes of log p_k, of which the mean is 0 or a multiplier that no change of a simplex sees.
		n := 1.0
		if len(y.shape) > 0 {
			n = 0
			for _, v := range y.v {
				n += v
			}
		}
		p := categories(name, z)
		info := make([][]float64, len(p))
		for i := range p {
			info[i] = make([]float64, len(p))
			for j := range p {
				for k := range p {
					slope := func(at int) float64 {
						own := 0.0
						if at == k {
							own = 1
						}
						if name == "categorical" || name == "multinomial" {
							return own / p[at]
						}
						return own - p[at]
					}
					info[i][j] += n * p[k] * slope(i) * slope(j)
				}
			}
		}
		return info
	case "multi_normal_prec":
		return rows(z[1])
	case "multi_normal_cholesky":
		n := len(y.v)
		l := mat.NewTriDense(n, mat.Lower, append([]float64(nil), z[1].v...))
		var s, inv mat.Dense
		s.Mul(l, l.T())
		if err := inv.Inverse(&s); err != nil {
			panic(err)
		}
		return rows(array{z[1].shape, inv.RawMatrix().Data})
	}
	return nil
}

func rows(a array) [][]float64 {
	var out [][]float64
	for i := range a.shape[0] {
		out = append(out, a.v[i*a.shape[1]:][:a.shape[1]])
	}
	return out
}

// informFamily adds the information of a distribution of wholes, given the slopes of its arguments by the coordinates; it reports whether that is known.
func informFamily(g []float64, slopes [][]float64, start int, t *dsl.Term, args []array) bool {
	info := familyInformation(t.Dist.Name, args)
	n := len(slopes)
	for i := range n {
		for j := range n {
			for r := range info {
				for s := range info {
					g[i*n+j] += slopes[i][start+r] * info[r][s] * slopes[j][start+s]
				}
			}
		}
	}
	return info != nil
}
