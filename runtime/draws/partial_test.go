package draws

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Columns read alone are those of the whole file, bit by bit.
func TestReadColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain_1.csv")
	w, err := Create(path, false, header)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, true)
	whole, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for set := range 1 << len(header.Columns) {
		for most := range 5 {
			var columns []int
			for k := range header.Columns {
				if set>>k&1 == 1 {
					columns = append(columns, k)
				}
			}
			got, err := ReadColumns(path, columns, most)
			if err != nil || len(got) != len(columns) {
				t.Fatalf("columns %v: %d of them, %v", columns, len(got), err)
			}
			for i, k := range columns {
				want := whole.Values[k][:min(most, 3)]
				if len(got[i]) != len(want) {
					t.Fatalf("columns %v, at most %d: %v, want %v", columns, most, got[i], want)
				}
				for d := range want {
					if math.Float64bits(got[i][d]) != math.Float64bits(want[d]) && !(math.IsNaN(got[i][d]) && math.IsNaN(want[d])) {
						t.Errorf("columns %v: draw %d of column %d is %v, want %v", columns, d, k, got[i][d], want[d])
					}
				}
			}
		}
	}
}

// Lines may be longer than any buffer, and the last may be cut short.
func TestReadColumnsOfLongLines(t *testing.T) {
	const n = 200_000
	var b strings.Builder
	b.WriteString("# a = b\n" + strings.Repeat("x,", n) + "y\n")
	for d := range 3 {
		for i := range n {
			fmt.Fprintf(&b, "%d,", 3*i+d)
		}
		fmt.Fprintf(&b, "%d\n# c\n\n", 7+d)
	}
	b.WriteString("1,2,3")
	path := filepath.Join(t.TempDir(), "chain_1.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := ReadColumns(path, []int{0, 5, n - 1, n}, 100)
	if want := "[[0 1 2] [15 16 17] [599997 599998 599999] [7 8 9]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

func TestErrorsOfReadColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain_1.csv")
	if _, err := ReadColumns(path, []int{0}, 1); err == nil {
		t.Error("a file that is not there")
	}
	if err := os.WriteFile(path, []byte("a,b,c\n1,2,3\n4,five\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 2} {
		if _, err := ReadColumns(path, []int{0, k}, 9); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("chain_1.csv:3: expected a draw with a number in column %d", k+1)) {
			t.Errorf("column %d: %v", k, err)
		}
	}
	if got, err := ReadColumns(path, []int{0}, 9); err != nil || len(got[0]) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}
