package export

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// Zarr writes the draws as a Zarr store, format 2, into a directory, which must
// exist and be empty. The layout is ArviZ's InferenceData: a group for the
// parameters and one for the statistics, which have ArviZ's names; the first two
// dimensions of each array are chain and draw, the others beta_dim_0, …, and
// each dimension has a coordinate of integers, from 0. Data have the dimensions y_dim_0, …
// only. The number of a chain is
// that of its file less one. The metadata of all arrays are consolidated in the
// store and again in each group. Counts and flags are compressed with zlib;
// reals, of which hardly a bit is redundant, are not.
//
// When ctx ends, so does the writing, with the error of ctx.
//
// Specifications: Zarr storage specification version 2, and the InferenceData
// schema of ArviZ.
func Zarr(ctx context.Context, dir string, s *draws.Set, o Options) error {
	l, err := newLayout(s, &o)
	if err != nil {
		return err
	}
	for i := range l.groups {
		if err := l.groups[i].checkCoordinates(); err != nil {
			return err
		}
	}
	if entries, err := os.ReadDir(dir); err != nil {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	z := &store{ctx: ctx, dir: dir, metadata: make(map[string]json.RawMessage)}
	z.json(".zgroup", zgroup{2})
	z.json(".zattrs", l.attributes(&o, true))
	for i := range l.groups {
		z.group(l, &l.groups[i], l.attributes(&o, l.groups[i].data))
	}
	z.consolidate("")
	return z.err
}

// checkCoordinates reports an array that has the name of a coordinate.
func (g *group) checkCoordinates() error {
	names := g.names()
	for _, c := range g.coordinates() {
		if slices.Contains(names, c.name) {
			what := "parameter"
			if g.data {
				what = "datum"
			}
			return fmt.Errorf("%s is the name of a %s and of a coordinate of ArviZ: rename the %s, or take another format", c.name, what, what)
		}
	}
	return nil
}

// coordinate is a dimension of a group's arrays besides chain and draw.
type coordinate struct {
	name string
	size int
}

// coordinates lists the dimensions of a group, chain and draw, where it has them, with size 0.
func (g *group) coordinates() []coordinate {
	var list []coordinate
	if !g.data {
		list = []coordinate{{name: "chain"}, {name: "draw"}}
	}
	for i := range g.arrays {
		a := &g.arrays[i]
		for d, n := range a.shape {
			list = append(list, coordinate{a.dimension(d), n})
		}
	}
	return list
}

// dimension returns ArviZ's name of a dimension of the array.
func (a *array) dimension(d int) string { return a.name + "_dim_" + strconv.Itoa(d) }

// attributes returns those of a group; common are those without draws, and those of the
// whole store.
func (l *layout) attributes(o *Options, common bool) map[string]any {
	m := make(map[string]any)
	for _, s := range l.set.Settings {
		m[s.Name] = s.Value
	}
	m["creation_library"] = "hamc"
	m["creation_library_language"] = "Go"
	m["inference_library"] = "hamc"
	if o.Version != "" {
		m["creation_library_version"] = o.Version
	}
	if n, err := strconv.Atoi(l.set.Setting("num_warmup")); err == nil {
		m["tuning_steps"] = n
	}
	if !common {
		m["sample_dims"] = []string{"chain", "draw"}
	}
	return m
}

// store is a Zarr store that is being written. The first error ends it.
type store struct {
	ctx      context.Context
	dir      string
	metadata map[string]json.RawMessage
	err      error
}

// zgroup is the metadata of a group.
type zgroup struct {
	Format int `json:"zarr_format"`
}

// zarray is the metadata of an array.
type zarray struct {
	Chunks     []int       `json:"chunks"`
	Compressor *compressor `json:"compressor"`
	Type       string      `json:"dtype"`
	// FillValue and Filters are null: all elements are written, and no value
	// stands for one that is missing.
	FillValue any    `json:"fill_value"`
	Filters   any    `json:"filters"`
	Order     string `json:"order"`
	Shape     []int  `json:"shape"`
	Format    int    `json:"zarr_format"`
}

type compressor struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
}

// file writes a file of the store.
func (z *store) file(key string, data []byte) {
	if z.err == nil {
		z.err = z.ctx.Err()
	}
	if z.err == nil {
		z.err = os.WriteFile(filepath.Join(z.dir, filepath.FromSlash(key)), data, 0o666)
	}
}

// mkdir makes the directory of a group or an array.
func (z *store) mkdir(key string) {
	if z.err == nil {
		z.err = os.Mkdir(filepath.Join(z.dir, filepath.FromSlash(key)), 0o777)
	}
}

// json writes metadata, and keeps them for consolidation.
func (z *store) json(key string, value any) {
	text := z.marshal(value)
	z.metadata[key] = text
	z.file(key, text)
}

// consolidate writes the metadata of everything below a group into one file.
func (z *store) consolidate(prefix string) {
	below := make(map[string]json.RawMessage)
	for key, text := range z.metadata { // marshal sorts them
		if prefix == "" {
			below[key] = text
		} else if len(key) > len(prefix) && key[:len(prefix)+1] == prefix+"/" {
			below[key[len(prefix)+1:]] = text
		}
	}
	z.file(path.Join(prefix, ".zmetadata"), z.marshal(struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
		Format   int                        `json:"zarr_consolidated_format"`
	}{below, 1}))
}

// marshal returns a line of JSON, with maps in the order of their keys.
func (z *store) marshal(value any) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); z.err == nil {
		z.err = err
	}
	return b.Bytes()
}

// group writes a group with its coordinates.
func (z *store) group(l *layout, g *group, attributes map[string]any) {
	z.mkdir(g.name)
	z.json(g.name+"/.zgroup", zgroup{2})
	z.json(g.name+"/.zattrs", attributes)
	for _, c := range g.coordinates() {
		var values []byte
		n := c.size
		switch {
		case !g.data && c.name == "chain":
			n = len(l.chains)
			for _, c := range l.chains {
				values = binary.LittleEndian.AppendUint64(values, uint64(c.Number-1))
			}
		case !g.data && c.name == "draw":
			n = l.draws
			fallthrough
		default:
			for i := range n {
				values = binary.LittleEndian.AppendUint64(values, uint64(i))
			}
		}
		z.whole(g.name+"/"+c.name, count, []int{n}, []string{c.name}, values)
	}
	for i := range g.arrays {
		z.array(l, g.name, &g.arrays[i])
	}
	z.consolidate(g.name)
}

// describe writes the metadata of an array.
func (z *store) describe(key string, k kind, shape, chunks []int, dimensions []string) {
	z.mkdir(key)
	m := zarray{Shape: shape, Chunks: chunks, Type: kinds[k].descr, Order: "C", Format: 2}
	if k != real {
		m.Compressor = &compressor{"zlib", zlibLevel}
	}
	z.json(key+"/.zarray", m)
	z.json(key+"/.zattrs", struct {
		Dimensions []string `json:"_ARRAY_DIMENSIONS"`
	}{dimensions})
}

// whole writes an array as one chunk. One without elements has none.
func (z *store) whole(key string, k kind, shape []int, dimensions []string, data []byte) {
	chunks := make([]int, len(shape))
	name := "0"
	for d, n := range shape {
		chunks[d] = max(n, 1)
		if d > 0 {
			name += ".0"
		}
	}
	z.describe(key, k, shape, chunks, dimensions)
	if len(data) > 0 {
		z.chunk(key+"/"+name, k, data)
	}
}

const (
	// chunkSize is about the size of the chunks, before compression, of
	// arrays that are larger.
	chunkSize = 4 << 20
	zlibLevel = 1
)

// array writes an array: as one chunk if it is small or a datum, else in chunks of some
// draws of one chain.
func (z *store) array(l *layout, group string, a *array) {
	shape := l.shape(a)
	dimensions := []string{}
	if a.columns != nil {
		dimensions = append(dimensions, "chain", "draw")
	}
	for d := range a.shape {
		dimensions = append(dimensions, a.dimension(d))
	}
	if a.columns == nil {
		z.whole(group+"/"+a.name, a.kind, shape, dimensions, a.encodeDatum(nil))
		return
	}
	// Chunks are as long in the last place as anywhere: what is beyond the
	// array is zeros that nobody reads.
	chains, step := len(l.chains), l.draws
	if chains*step*a.bytes() > chunkSize {
		chains, step = 1, min(l.draws, max(1, chunkSize/a.bytes()))
	}
	key := group + "/" + a.name
	z.describe(key, a.kind, shape, append([]int{chains, step}, a.shape...), dimensions)
	ends := ""
	for range a.shape {
		ends += ".0"
	}
	buf := make([]byte, 0, chains*step*a.bytes())
	for i := 0; i < len(l.chains) && z.err == nil; i += chains {
		for from := 0; from < l.draws && z.err == nil; from += step {
			buf = buf[:0]
			for _, c := range l.chains[i : i+chains] {
				buf = a.encode(buf, c, from, min(from+step, l.draws))
			}
			n := len(buf)
			buf = buf[:cap(buf)]
			clear(buf[n:])
			z.chunk(fmt.Sprintf("%s/%d.%d%s", key, i/chains, from/step, ends), a.kind, buf)
		}
	}
}

// chunk writes a chunk, compressed if its type asks for it.
func (z *store) chunk(key string, k kind, data []byte) {
	if k == real || z.err != nil {
		z.file(key, data)
		return
	}
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlibLevel)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	z.err = err
	z.file(key, b.Bytes())
}
