package sampler

import (
	"go/format"
	"testing"
)

// TestSamplerProgram: the program of a sampler is gofmt-clean Go.
func TestSamplerProgram(t *testing.T) {
	text := Source(mainProgram(), struct{ Path string }{"example.com/s"})
	clean, err := format.Source([]byte(text))
	if err != nil || string(clean) != text {
		t.Errorf("%v\n%s", err, text)
	}
}
