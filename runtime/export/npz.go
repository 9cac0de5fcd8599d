package export

import (
	"archive/zip"
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// NPZ writes the draws as NumPy's npz: an uncompressed archive with an array of
// shape chains × draws × that of the parameter for each of them. Statistics, and
// parameters of groups other than Posterior, have the group's name and a point
// before theirs: sample_stats.diverging. So have data, observed_data.y, whose arrays have
// their own shape. Reals are float64, counts int64, flags bool.
//
// Format: numpy.lib.format, version 1.0; the archive tells sizes and checksums
// before the arrays, as readers without random access want it.
func NPZ(w io.Writer, s *draws.Set, o Options) error {
	l, err := newLayout(s, &o)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	z := zip.NewWriter(out)
	names := make(map[string]bool)
	for i := range l.groups {
		g := &l.groups[i]
		for k := range g.arrays {
			a := &g.arrays[k]
			name := a.name
			if g.name != Posterior {
				name = g.name + "." + name
			}
			if names[name] {
				return fmt.Errorf("there are two arrays %s", name)
			}
			names[name] = true
			if err := l.writeNPY(z, name+".npy", a); err != nil {
				return err
			}
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// writeNPY adds an array to an archive.
func (l *layout) writeNPY(z *zip.Writer, name string, a *array) error {
	header := npyHeader(a.kind, l.shape(a))
	sum := crc32.NewIEEE()
	sum.Write(header)
	if err := l.stream(sum, a); err != nil {
		return err
	}
	size := uint64(len(header)) + uint64(kinds[a.kind].size)*elements(l.shape(a))
	h := &zip.FileHeader{
		Name:               name,
		Method:             zip.Store,
		CRC32:              sum.Sum32(),
		CompressedSize64:   size,
		UncompressedSize64: size,
	}
	//lint:ignore SA1019 CreateRaw writes this field and takes no notice of Modified
	h.ModifiedDate = 1<<5 | 1 // 1 January 1980, the least there is
	if strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		h.Flags |= 0x800 // the name is UTF-8
	}
	w, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	return l.stream(w, a)
}

// stream writes all elements of an array in pieces.
func (l *layout) stream(w io.Writer, a *array) error {
	if a.columns == nil {
		_, err := w.Write(a.encodeDatum(nil))
		return err
	}
	const piece = 64 << 10
	step := max(1, piece/a.bytes())
	var buf []byte
	for _, c := range l.chains {
		for from := 0; from < l.draws; from += step {
			buf = a.encode(buf[:0], c, from, min(from+step, l.draws))
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// elements returns the number of elements of a shape.
func elements(shape []int) uint64 {
	n := uint64(1)
	for _, extent := range shape {
		n *= uint64(extent)
	}
	return n
}

// npyHeader returns what stands before the elements of an array.
func npyHeader(k kind, shape []int) []byte {
	var dims strings.Builder
	for _, n := range shape {
		dims.WriteString(strconv.Itoa(n) + ", ")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kinds[k].descr, strings.TrimSuffix(dims.String(), " "))
	const before, align = 10, 64
	pad := (align - (before+len(text)+1)%align) % align
	text += strings.Repeat(" ", pad) + "\n"
	return append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), byte(len(text) >> 8)}, text...)
}
