package codegen

import "github.com/dave/jennifer/jen"

// flat reports whether the model is small enough for steps in scalar locals.
func (g *generator) flat() bool { return false }

func (g *generator) flatMethods() []jen.Code { return nil }
