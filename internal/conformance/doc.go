// Package conformance holds no code but tests: they take the samplers that
// hamc generated from examples/*.ham, as they stand in generated/, and hold
// them to what is known of their models from elsewhere. Those are values of the
// code of Brofos & Lederman (2021), densities of Stan, models written by hand
// (package handwritten), finite differences, the theorems on the integrators,
// and posteriors known exactly.
package conformance
