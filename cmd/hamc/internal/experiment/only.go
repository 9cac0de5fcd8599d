package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// Only keeps the cells of a plan that filters of the form NAME=VALUE,… leave: NAME is cells, model,
// replicate or a setting, and all filters have to hold. What is left has the numbers that it has in
// the whole plan.
func Only(p *grid.Plan, filters []string) error {
	for _, f := range filters {
		name, text, ok := strings.Cut(f, "=")
		if !ok || text == "" {
			return fmt.Errorf("--only %s: expected NAME=VALUE,…, such as steps=5,10", f)
		}
		value := func(c *grid.Cell) string { return "" }
		switch s := settingNamed(name); {
		case s != nil:
			value = func(c *grid.Cell) string { return s.get(&c.Settings) }
		case name == "cells":
			value = func(c *grid.Cell) string { return c.Group }
		case name == "model":
			value = func(c *grid.Cell) string { return p.Models[c.Model].Name }
		case name == "replicate":
			value = func(c *grid.Cell) string { return strconv.Itoa(c.Replicate) }
		default:
			return fmt.Errorf("--only %s: there is no setting %s; expected cells, model, replicate, %s", f, name, settingNames())
		}
		values := strings.Split(text, ",")
		p.Cells = slices.DeleteFunc(p.Cells, func(c grid.Cell) bool {
			v := value(&c)
			return !slices.ContainsFunc(values, func(w string) bool { return sameValue(v, strings.TrimSpace(w)) })
		})
		if len(p.Cells) == 0 {
			return fmt.Errorf("--only %s leaves no cell of the grid", f)
		}
	}
	for i := range p.Cells {
		p.Cells[i].Index = i
	}
	return nil
}

// sameValue reports whether two texts are the same, or the same number.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

func settingNames() string {
	var names []string
	for i := range settings {
		names = append(names, settings[i].name)
	}
	return strings.Join(names, ", ")
}
