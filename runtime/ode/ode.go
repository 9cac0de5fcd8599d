// Package ode solves initial value problems
//
//	y′ = f(t, y, u),  y(t₀) = y₀,
//
// with the explicit Runge–Kutta method DOP853 of Dormand & Prince, Hairer,
// Nørsett & Wanner (Solving Ordinary Differential Equations I, 2nd ed., 1993,
// sections II.5, II.6 and II.10): order 8, steps that adapt to an estimate of
// their error, and interpolation of order 7 to the times that are asked for.
// It is meant for systems that are not stiff, smooth, and small, like a model
// of a few states with its sensitivities to parameters.
//
// Slices that are too short are a programming error and panic; no content of
// a slice does, and whatever it is, a solve ends after a limited number of
// steps. Nothing allocates after NewSolver. Products are rounded before they
// are added, written float64(a*b) + c, and roots are square roots, so that a
// right-hand side that is the same on every architecture has the same solution
// on every architecture.
package ode

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// RHS writes the derivative dy/dt at time t and state y to dy. u holds the
// inputs of the system, its parameters say, as they were given to Solve. It
// must set all of dy, leave y as it is, and keep neither. A NaN or an infinity
// in dy says that the derivative is not defined there.
type RHS func(dy, y []float64, t float64, u []float64)

// Options are the settings of a Solver. What is not positive has its default.
type Options struct {
	// The error of a step is estimated and kept below
	//
	//	AbsTol + RelTol max(|y_j(t)|, |y_j(t+h)|)
	//
	// in every component j. Errors of steps add up and are carried along
	// by the system, so that the error of the result may be a multiple. By
	// default both are DefaultTolerance.
	RelTol, AbsTol float64

	// MaxSteps limits the steps of a Solve, accepted and rejected together.
	// By default it is DefaultMaxSteps.
	MaxSteps int
}

// The defaults of Options.
const (
	DefaultTolerance = 1e-8
	DefaultMaxSteps  = 100_000
)

// Status says how a Solve ended.
type Status uint8

// The statuses.
const (
	OK           Status = iota
	StepLimit           // MaxSteps steps did not reach the last time: stiff, or the tolerances are too small
	StepTooSmall        // the step does not advance the time any more: a singularity, or stiff
	NonFinite           // y₀ or the right-hand side is not finite, however small the step, or y overflows
	BadTimes            // the times decrease, precede t₀, or are not finite
	NumStatus           // the number of statuses
)

var statusNames = [NumStatus]string{"ok", "step_limit", "step_too_small", "non_finite", "bad_times"}

// String returns the name of s in snake case.
func (s Status) String() string {
	if s >= NumStatus {
		return fmt.Sprintf("Status(%d)", uint8(s))
	}
	return statusNames[s]
}

// Counts is the work of a Solve.
type Counts struct {
	Accepted    int // steps
	Rejected    int // steps that were repeated with a smaller size
	Evaluations int // calls of the right-hand side
}

// Solver holds the work space for one system. It serves one goroutine. What
// Solve computes depends on its arguments and the options only, not on former
// calls.
type Solver struct {
	rhs        RHS
	rtol, atol float64
	maxSteps   int
	counts     Counts

	y     []float64 // the solution at t
	ynew  []float64 // the solution at t + h
	point []float64 // where a stage evaluates
	e3    []float64 // the difference of ynew and a solution of order 3
	last  []float64 // a point of dense output
	zero  []float64

	first, second *kernel.Combination // of dense output
	k             []float64           // the derivatives k_1 … k_16 of the stages, one after the other
}

// NewSolver returns a Solver for a system of dim equations.
func NewSolver(dim int, rhs RHS, opt Options) *Solver {
	s := &Solver{
		rhs:      rhs,
		rtol:     DefaultTolerance,
		atol:     DefaultTolerance,
		maxSteps: DefaultMaxSteps,
		y:        make([]float64, dim),
		ynew:     make([]float64, dim),
		point:    make([]float64, dim),
		e3:       make([]float64, dim),
		last:     make([]float64, dim),
		zero:     make([]float64, dim),
		k:        make([]float64, 16*dim),
	}
	s.first, s.second = denseSums()
	if opt.RelTol > 0 {
		s.rtol = opt.RelTol
	}
	if opt.AbsTol > 0 {
		// So that 0 divided by it is 0, and an error of ordinary size finite.
		s.atol = max(opt.AbsTol, 0x1p-900)
	}
	if opt.MaxSteps > 0 {
		s.maxSteps = opt.MaxSteps
	}
	return s
}

// Counts returns the work of the last Solve.
func (s *Solver) Counts() Counts { return s.counts }

// Solve integrates from y0 at t0 and writes component j at times[n] to
// out[j*len(times)+n]. The times do not decrease; those equal to t0 get y0. The
// right-hand side is evaluated between t0 and the last time only. If the status
// is not OK, out is NaN throughout.
//
// The steps do not end at the times, but at the last one, so that many times
// cost little more than a few.
func (s *Solver) Solve(out, y0 []float64, t0 float64, times, u []float64) Status {
	s.counts = Counts{}
	out = out[:len(s.y)*len(times)]
	copy(s.y, y0[:len(s.y)])
	st := s.solve(out, t0, times, u)
	if st != OK {
		for i := range out {
			out[i] = math.NaN()
		}
	}
	return st
}

// solve is Solve from the state s.y.
func (s *Solver) solve(out []float64, t0 float64, times, u []float64) Status {
	if len(out) == 0 {
		return OK
	}
	if !ascending(t0, times) {
		return BadTimes
	}
	if !finite(s.y) {
		return NonFinite
	}
	next := 0 // the first time that has no output yet
	for next < len(times) && times[next] == t0 {
		s.write(out[next:], len(times), s.y)
		next++
	}
	if next == len(times) {
		return OK
	}

	n := len(s.y)
	t, end := t0, times[len(times)-1]
	s.rhs(s.k[:n:n], s.y, t, u)
	s.counts.Evaluations++
	if !finite(s.k[:n]) {
		return NonFinite
	}
	h := s.initialStep(t, end, u)
	c := newController()
	undefined, cause := 0, StepTooSmall // of the last rejected step
	for s.counts.Accepted+s.counts.Rejected < s.maxSteps {
		// The last step is stretched a little rather than leave a tiny one.
		target, last := t+h, t+float64(1.01*h) >= end
		switch {
		case last:
			target, h = end, end-t
		case t+float64(0.1*h) == t:
			return cause
		}
		err := s.step(t, h, target, u)
		if err > 1 && err <= math.MaxFloat64 {
			s.counts.Rejected++
			undefined, cause = 0, StepTooSmall
			h = float64(h * (c.reject(err)))
			continue
		}
		dense := times[next] < target
		if !(err <= 1) || !s.complete(t, h, target, u, dense) {
			s.counts.Rejected++
			if undefined++; undefined > maxUndefined {
				return NonFinite
			}
			cause = NonFinite
			h = float64(h * (c.undefined()))
			continue
		}
		undefined = 0
		s.counts.Accepted++
		if dense {
			for ; times[next] < target; next++ {
				s.interpolate(out[next:], len(times), h, (times[next]-t)/h)
			}
		}
		for ; next < len(times) && times[next] == target; next++ {
			s.write(out[next:], len(times), s.ynew)
		}
		if next == len(times) {
			return OK
		}
		s.y, s.ynew = s.ynew, s.y
		copy(s.k[:n], s.k[12*n:13*n])
		t = target
		h = float64(h * (c.accept(err)))
	}
	return StepLimit
}

// ascending reports whether t0 and the times after it are finite, do not
// decrease, and span a finite interval.
func ascending(t0 float64, times []float64) bool {
	last := t0
	for _, t := range times {
		if !(t >= last) {
			return false
		}
		last = t
	}
	return last-t0 <= math.MaxFloat64
}

// write sets out[j*stride] = y_j.
func (s *Solver) write(out []float64, stride int, y []float64) {
	for j, v := range y {
		out[j*stride] = v
	}
}

// finite reports whether no component of x is infinite or NaN.
func finite(x []float64) bool {
	var a, b, c, d float64 // so that one need not wait for the other
	for ; len(x) >= 4; x = x[4:] {
		a, b = a+(x[0]-x[0]), b+(x[1]-x[1])
		c, d = c+(x[2]-x[2]), d+(x[3]-x[3])
	}
	for _, v := range x {
		a += v - v
	}
	return a+b+c+d == 0
}
