package interpret

import (
	"io"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/datafile"
)

// Datum is a declared datum with its value.
type Datum struct {
	Name    string
	Integer bool
	Shape   []int     // empty for a scalar
	Values  []float64 // row-major
}

// Data are the data of a model, read and checked.
type Data struct {
	values  map[string][]float64
	unknown []string
}

// Read reads the data of a model from a file in CmdStan's JSON form, and checks them; name is used in messages. A
// model without data takes a nil reader.
func Read(m *dsl.Model, r io.Reader, name string) (*Data, error) {
	set := &datafile.Set{}
	if r != nil {
		var err error
		if set, err = datafile.Read(r, name); err != nil {
			return nil, err
		}
	}
	values, err := readData(m, set)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, x := range m.Data {
		known = append(known, x.ObjectName())
	}
	for _, x := range m.Consts {
		known = append(known, x.ObjectName())
	}
	return &Data{values, set.Unknown(known...)}, nil
}

// Unknown returns the names in the data file that the model does not declare:
// perhaps misspelt.
func (d *Data) Unknown() []string { return d.unknown }

// Values returns the numbers by name, matrices row by row.
func (d *Data) Values() map[string][]float64 { return d.values }

// Size returns the value of an int datum.
func (d *Data) Size(name string) int { return int(d.values[name][0]) }

// ReadData returns the data of a model, in its order, as a file in CmdStan's JSON has them or by
// their defaults. Integers that are bound when the model is compiled come last. The name of the file
// is used in messages. Errors are those of New that are about data.
func ReadData(m *dsl.Model, r io.Reader, name string) ([]Datum, error) {
	data, err := Read(m, r, name)
	if err != nil {
		return nil, err
	}
	values := data.values
	var out []Datum
	for _, d := range m.Data {
		if d.Formula != nil {
			continue // it is not read
		}
		x := Datum{Name: d.ObjectName(), Integer: d.Type.Base == dsl.Int, Values: values[d.ObjectName()]}
		for _, e := range d.Type.Shape {
			n := e.Offset
			if e.Name != "" {
				n += int(values[e.Name][0])
			}
			x.Shape = append(x.Shape, n)
		}
		out = append(out, x)
	}
	for _, k := range m.Consts {
		if k.FromData {
			out = append(out, Datum{Name: k.ObjectName(), Integer: true, Values: []float64{k.Value}})
		}
	}
	return out, nil
}
