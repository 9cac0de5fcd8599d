package draws

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parameter is a parameter of the model among the columns of a file.
type Parameter struct {
	Name string

	// Shape has the extents of a vector, matrix or array; it is empty for a
	// scalar.
	Shape []int

	// Columns are the columns of the elements, the last index fastest,
	// whatever their order in the file.
	Columns []int
}

// IsStatistic reports whether a column holds a statistic of the sampler: their
// names end in two underscores, and those of parameters do not.
func IsStatistic(column string) bool { return strings.HasSuffix(column, "__") }

// GeneratedSetting is the name of the setting of a file that lists the generated quantities among its
// columns, which are no parameters: their names, with blanks between.
const GeneratedSetting = "generated_quantities"

// Generated reports whether a column holds an element of a generated quantity, as far as the file tells.
func (c *Chain) Generated(column string) bool {
	list := c.Setting(GeneratedSetting)
	if list == "" || IsStatistic(column) {
		return false
	}
	name, _ := element(column)
	return slices.Contains(strings.Fields(list), name)
}

// classify finds out which columns are statistics and which are elements of
// which parameter.
func (c *Chain) classify() error {
	seen := make(map[string]bool)
	for i := 0; i < len(c.Columns); {
		if IsStatistic(c.Columns[i]) {
			c.Statistics = append(c.Statistics, i)
			i++
			continue
		}
		name, _ := element(c.Columns[i])
		end := i + 1
		for end < len(c.Columns) {
			if next, _ := element(c.Columns[end]); next != name {
				break
			}
			end++
		}
		if seen[name] {
			return fmt.Errorf("the columns of %s do not stand together", shorten(name))
		}
		seen[name] = true
		p, err := c.parameter(name, i, end)
		if err != nil {
			return err
		}
		c.Parameters = append(c.Parameters, p)
		i = end
	}
	return nil
}

// parameter returns the parameter whose elements are the columns from begin to
// end.
func (c *Chain) parameter(name string, begin, end int) (Parameter, error) {
	p := Parameter{Name: name, Columns: make([]int, end-begin)}
	indices := make([][]int, end-begin)
	for k := range indices {
		_, index := element(c.Columns[begin+k])
		indices[k] = index
		if len(index) != len(indices[0]) {
			return p, fmt.Errorf("%s and %s cannot be of one parameter", shorten(c.Columns[begin]), shorten(c.Columns[begin+k]))
		}
		if k == 0 {
			p.Shape = make([]int, len(index))
		}
		for d, i := range index {
			p.Shape[d] = max(p.Shape[d], i)
		}
	}
	// No two columns have the same name, so that they fill the shape if they
	// are as many as it has elements.
	size := 1
	for _, n := range p.Shape {
		if n > len(indices)/size {
			return p, fmt.Errorf("%s has a largest index of %v, but only %d columns: some are missing",
				shorten(name), p.Shape, len(indices))
		}
		size *= n
	}
	if size != len(indices) {
		return p, fmt.Errorf("%s has a largest index of %v, and %d columns", shorten(name), p.Shape, len(indices))
	}
	for k, index := range indices {
		at := 0
		for d, i := range index {
			at = at*p.Shape[d] + i - 1
		}
		p.Columns[at] = begin + k
	}
	return p, nil
}

// element splits the name of a column into that of the parameter and the
// indices of the element, from 1. What follows the first point is part of the
// name where it is anything but indices.
func element(column string) (name string, index []int) {
	name, rest, ok := strings.Cut(column, ".")
	for ok {
		var part string
		part, rest, ok = strings.Cut(rest, ".")
		i, err := strconv.ParseInt(part, 10, 32)
		if err != nil || i < 1 || part[0] < '1' || part[0] > '9' {
			return column, nil
		}
		index = append(index, int(i))
	}
	return name, index
}
