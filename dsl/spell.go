package dsl

import "strings"

// maxSpelled is the length of the longest word worth a suggestion.
const maxSpelled = 64

// suggest returns the candidate nearest to a misspelt word, or "" if none is
// near: at most a third of the letters may differ (Damerau–Levenshtein).
func suggest(word string, candidates []string) string {
	if len(word) > maxSpelled {
		return ""
	}
	best, least := "", len(word)/3+1
	// Any letter is near any other: of one letter only the case may differ.
	if len(word) < 3 {
		least = len(word) - 1
	}
	for _, c := range candidates {
		// The lengths alone may show that too many letters differ.
		if c == word || len(c) > len(word)+least || len(word) > len(c)+least {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if d <= least && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours between a and b.
func distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
