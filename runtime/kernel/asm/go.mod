// The generator of the assembly in runtime/kernel. It is a module of its own so
// that no user of the runtime downloads what it needs.
module github.com/hamc-dev/hamc/runtime/kernel/asm

go 1.26.0

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

require golang.org/x/tools v0.52.0 // indirect; the one avo asks for does not build with Go 1.26
