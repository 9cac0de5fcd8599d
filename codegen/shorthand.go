package codegen

import (
	"github.com/dave/jennifer/jen"
)

// Shorthands of jennifer.

// lines puts statements on lines of their own where one is expected.
func lines(list ...jen.Code) *jen.Statement {
	s := jen.Null()
	for i, c := range list {
		if i > 0 {
			s = s.Line()
		}
		s = s.Add(c)
	}
	return s
}

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
