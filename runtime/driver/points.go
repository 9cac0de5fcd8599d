package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Number is a float64 whose JSON form keeps full precision and knows NaN and
// the infinities, as strings.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	v := float64(x)
	switch {
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// Numbers returns the numbers of a vector.
func Numbers(x []float64) []Number {
	out := make([]Number, len(x))
	for i, v := range x {
		out[i] = Number(v)
	}
	return out
}

// square returns the rows of an n × n matrix.
func square(x []float64, n int) [][]Number {
	out := make([][]Number, n)
	for i := range out {
		out[i] = Numbers(x[i*n : i*n+n])
	}
	return out
}

// Point is a point of phase space on the unconstrained scale.
type Point struct {
	Q []float64 `json:"q"`
	P []float64 `json:"p,omitempty"` // may be left out
}

// Evaluated is what there is to say of a model at a point.
type Evaluated struct {
	LogDensity     Number       `json:"log_density"`
	Gradient       []Number     `json:"gradient"`
	Metric         [][]Number   `json:"metric,omitempty"`
	MetricJacobian [][][]Number `json:"metric_jacobian,omitempty"`
	LogDetMetric   *Number      `json:"log_det_metric,omitempty"`
	Hamiltonian    *Number      `json:"hamiltonian,omitempty"`
	GradQ          []Number     `json:"grad_q_hamiltonian,omitempty"`
	GradP          []Number     `json:"grad_p_hamiltonian,omitempty"`
	Failure        string       `json:"failure,omitempty"`
}

// MaxTensor is the largest dimension whose metric Jacobian is told unasked.
const MaxTensor = 50

// Evaluate returns density, gradient, metric and, where the point has a momentum, Hamiltonian of a
// system at a point: L, ∂L/∂q, G, ∂G_ij/∂q_k, log det G, H and its derivatives. The metric Jacobian is left
// out above MaxTensor coordinates, and where it is 0, unless tensor is set. The status tells how the system failed before.
func Evaluate(s *runtime.GenericSystem, at Point, st runtime.Status, tensor bool) Evaluated {
	var out Evaluated
	n := len(at.Q)
	grad, g := make([]float64, n), make([]float64, n*n)
	out.LogDensity = Number(s.Gradient(grad, at.Q))
	out.Gradient = Numbers(grad)
	s.Metric(g, at.Q)
	out.Metric = square(g, n)
	chol := linalg.NewCholesky(n)
	if st == runtime.OK {
		st = runtime.FactorStatus(chol.Factor(g))
	}
	logDet := Number(math.NaN())
	if st == runtime.OK {
		logDet = Number(chol.LogDet())
	} else {
		out.Failure = st.String()
	}
	out.LogDetMetric = &logDet
	if tensor || n <= MaxTensor {
		dg := make([]float64, n*n*n)
		s.MetricJacobian(dg, at.Q)
		if tensor || slices.ContainsFunc(dg, func(v float64) bool { return v != 0 }) {
			for i := range n {
				out.MetricJacobian = append(out.MetricJacobian, square(dg[i*n*n:(i+1)*n*n], n))
			}
		}
	}
	if at.P == nil || st != runtime.OK {
		return out
	}
	h, _, _ := s.Energy(at.Q, at.P)
	hn := Number(h)
	out.Hamiltonian = &hn
	dq, dp := make([]float64, n), make([]float64, n)
	if st := s.VectorField(dq, dp, at.Q, at.P); st != runtime.OK {
		out.Failure = st.String()
	}
	out.GradQ, out.GradP = Numbers(dq), Numbers(dp)
	return out
}

// PointsCommand is the argument with which a compiled sampler does not sample, but evaluates its model. It
// then reads a PointsRequest from standard input, answers with a PointsInfo, reads the points, a
// JSON list of Point, and answers with the list of what it found, Evaluated: for a model in blocks no more
// than density and gradient. Each but the last is a line.
const PointsCommand = "points"

// PointsRequest asks for a model to be evaluated.
type PointsRequest struct {
	Data   string `json:"data"` // path of the data file; "" for a model without data
	Tensor bool   `json:"tensor"`
}

// PointsInfo says what points the model has, or why there is no model.
type PointsInfo struct {
	Model  string          `json:"model"`
	Params []runtime.Param `json:"params"`
	Error  string          `json:"error,omitempty"`
}

// servePoints answers for PointsCommand.
func servePoints(load Load, stdin io.Reader, stdout io.Writer) error {
	in, out := json.NewDecoder(bufio.NewReader(stdin)), json.NewEncoder(stdout)
	var request PointsRequest
	if err := in.Decode(&request); err != nil {
		return fmt.Errorf("request on standard input: %w", err)
	}
	m, err := loadModel(load, request.Data)
	if err != nil {
		return out.Encode(PointsInfo{Error: err.Error()})
	}
	if err := out.Encode(PointsInfo{Model: m.Info().Name, Params: m.Info().Params}); err != nil {
		return err
	}
	var points []Point
	if err := in.Decode(&points); err != nil {
		return fmt.Errorf("points on standard input: %w", err)
	}
	var system *runtime.GenericSystem
	if whole, ok := m.(runtime.Model); ok {
		system = runtime.Generic(whole)
	}
	results := make([]Evaluated, len(points))
	for i, p := range points {
		if system != nil {
			results[i] = Evaluate(system, p, runtime.OK, request.Tensor)
			continue
		}
		grad := make([]float64, len(p.Q))
		results[i] = Evaluated{LogDensity: Number(m.Gradient(grad, p.Q)), Gradient: Numbers(grad)}
	}
	out.SetIndent("", "  ")
	return out.Encode(results)
}
