// Package hamc is the root of the module. It holds the source of the runtime,
// which the command line compiles samplers against: an installed hamc needs no
// network and no checkout.
package hamc

import "embed"

// RuntimeSource holds the Go files of package runtime and its subpackages, and
// their assembly.
//
//go:embed runtime/*.go runtime/*/*.go runtime/*/*.s
var RuntimeSource embed.FS

// Examples holds the models of the examples.
//
//go:embed examples/*.ham
var Examples embed.FS
