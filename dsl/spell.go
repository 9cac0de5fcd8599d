package dsl

import "strings"

// maxSpelled is the length of the longest word worth a suggestion.
const maxSpelled = 64

// suggest returns the candidate that a word is a misspelling of, or "". Candidates are
// of one kind. Words that differ in case and underscores only are the same; otherwise
// one letter in four may differ (Damerau–Levenshtein), the first letters of words of up to four
// letters agree, and of two letters only the order may be wrong.
func suggest(word string, candidates []string) string {
	if len(word) > maxSpelled {
		return ""
	}
	best, least := "", allowed(len(word))+1
	lower := strings.ToLower(word)
	for _, c := range candidates {
		if c == word {
			continue
		}
		if bare := plain(c); bare != "" && bare == plain(word) {
			return c
		}
		// The lengths alone may show that too many letters differ.
		if len(c) >= len(word)+least || len(word) >= len(c)+least {
			continue
		}
		other := strings.ToLower(c)
		d := distance(lower, other)
		if swap := swapped(lower, other); !swap && (len(word) < 3 || len(word) <= 4 && lower[0] != other[0]) {
			continue
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// allowed is how many letters of a word of n may differ.
func allowed(n int) int {
	switch {
	case n < 2:
		return 0
	case n < 4:
		return 1
	}
	return n / 4
}

// swapped reports whether two words differ in the order of their first letters.
func swapped(a, b string) bool {
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
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
