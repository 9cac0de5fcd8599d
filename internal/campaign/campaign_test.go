package campaign

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for value, want := range map[string]int{"": 0, "short": 0, "long": 1, "1": 1, "10": 10} {
		if n, err := parse(value); n != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", value, n, err, want)
		}
	}
	for _, value := range []string{"0", "-1", "lang", "Long", "1.5"} {
		if _, err := parse(value); err == nil {
			t.Errorf("%q is taken", value)
		}
	}
}

func TestCampaigns(t *testing.T) {
	list := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		value  string
		long   bool
		cases  int
		sample []int
	}{{"", false, 3, []int{0, 2, 4}}, {"short", false, 3, []int{0, 2, 4}}, {"long", true, 30, list}, {"2", true, 30, list}} {
		t.Setenv(Variable, c.value)
		if Long(t) != c.long || Cases(t, 3, 30) != c.cases || !slices.Equal(Sample(t, list, 2), c.sample) {
			t.Errorf("%q: %v, %d cases, %v", c.value, Long(t), Cases(t, 3, 30), Sample(t, list, 2))
		}
	}
}
