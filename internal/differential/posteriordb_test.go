package differential

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// givenPoints is the number of points that a model of package posteriordb is compared at.
const givenPoints = 3

// posteriors returns the models as people write them, of internal/posteriordb, with their data: in the coordinates that hamc chooses and, in a long
// campaign, in those of the declarations. `hamc log-prob` has no part in `hamc run`: only code that is built shows that its gradient is right, and two
// of these models had wrong ones. It is one model in four, since everything that is compared stays in memory: all of them took 20 GB beside the corpus.
func posteriors(t testing.TB) (all []*subject) {
	t.Helper()
	const root = "../posteriordb/"
	people, err := filepath.Glob(root + "people/*.ham")
	if err != nil || len(people) == 0 {
		t.Fatalf("no models of people: %v", err)
	}
	chapters, err := filepath.Glob(root + "chapters/models/*.ham")
	if err != nil || len(chapters) == 0 {
		t.Fatalf("no models of chapters: %v", err)
	}
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var some []string
	for n, f := range append(people, chapters...) {
		if n%4 == 0 {
			some = append(some, f)
		}
	}
	for _, f := range campaign.Sample(t, some, 5) {
		type point struct{ Q []float64 }
		var points []point
		s := &subject{text: string(read(f)), given: true}
		name := strings.TrimSuffix(filepath.Base(f), ".ham")
		if chapter := root + "chapters/"; strings.HasPrefix(filepath.ToSlash(f), chapter) {
			var with struct{ Points []point }
			s.name, s.data = "chapters_"+name, read(chapter+"data/"+name+".json")
			err = json.Unmarshal(read(chapter+"points/"+name+".json"), &with)
			points = with.Points
		} else {
			s.name, s.data = "people_"+name, read(root+"people/"+name+".data.json")
			err = json.Unmarshal(read(root+"people/"+name+".points.json"), &points)
		}
		if err != nil || len(points) < givenPoints {
			t.Fatalf("%s: %d points: %v", s.name, len(points), err)
		}
		for _, p := range points[:givenPoints] {
			s.points = append(s.points, p.Q)
		}
		all = append(all, s)
		if campaign.Long(t) && !strings.Contains(s.text, "\nmetric ") {
			plain := *s
			plain.name, plain.text = s.name+"_plain", s.text+"\nmetric identity\n"
			all = append(all, &plain)
		}
	}
	return compiledAmong(t, all)
}
