package differential

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"runtime"
)

func TestQuickRandom(t *testing.T) {
	var lo, hi int
	fmt.Sscanf(os.Getenv("SEEDS"), "%d-%d", &lo, &hi)
	kinds := map[string]int{}
	for seed := lo; seed < hi; seed++ {
		s := randomModel(fmt.Sprintf("r%d", seed), uint64(seed))
		t0 := time.Now()
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		err := s.compile()
		runtime.ReadMemStats(&m1)
		if d := time.Since(t0); d > 2*time.Second {
			t.Logf("SLOW %d: %v, %d MB, %d bytes of code", seed, d, (m1.TotalAlloc-m0.TotalAlloc)>>20, len(s.code))
		}
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			if i := strings.Index(first, "error["); i >= 0 { first = first[i:min(i+60,len(first))] }
			kinds[first]++
			if kinds[first] <= 2 { t.Logf("seed %d: %v\n%s", seed, err, s.text) }
			continue
		}
		im, err := s.interpreted()
		if err != nil { t.Errorf("seed %d: %v", seed, err); continue }
		ok := t.Run(s.name, func(t *testing.T) { opinion(t, im, s) })
		if !ok { t.Log(s.text) }
	}
	for k, n := range kinds { t.Logf("%4d %s", n, k) }
}
