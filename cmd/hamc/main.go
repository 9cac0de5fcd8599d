package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

func main() {
	b, _ := os.ReadFile(os.Args[1])
	m, ds := dsl.Load(os.Args[1], string(b), dsl.Options{})
	fmt.Print(ds)
	if m == nil {
		os.Exit(1)
	}
	d, list := symbolic.Derive(m)
	ds.List = list
	fmt.Print(ds)
	name := strings.TrimSuffix(filepath.Base(os.Args[1]), ".ham")
	src, err := codegen.Generate(d, codegen.Options{Package: name, Source: filepath.Base(os.Args[1]), Text: string(b)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.MkdirAll("generated/"+name, 0o777)
	os.WriteFile("generated/"+name+"/"+name+".go", src, 0o666)
}
