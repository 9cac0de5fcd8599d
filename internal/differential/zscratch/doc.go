// Package differential holds no code but tests: they compare what the code
// generator emits with the interpreter of the same derived program (package
// interpret), over a corpus of models that covers the language. All models are
// generated into one module, built once, and probed by the same code that
// probes the interpreter (package probe).
package differential
