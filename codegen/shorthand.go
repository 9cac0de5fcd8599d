package codegen

import (
	"github.com/dave/jennifer/jen"
)

// Shorthands of jennifer.

func doc(text string, c jen.Code) jen.Code { return comment(text).Line().Add(c) }

var (
	id    = jen.Id
	sdot  = func(name string) *jen.Statement { return jen.Id("s").Dot(name) }
	fvec  = func() *jen.Statement { return jen.Index().Float64() }
	okay  = func() *jen.Statement { return rt("OK") }
	notOK = func(call *jen.Statement, then ...jen.Code) jen.Code {
		return jen.If(jen.Id("st").Op(":=").Add(call), jen.Id("st").Op("!=").Add(okay())).Block(then...)
	}
)
