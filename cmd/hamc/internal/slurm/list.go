package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// compact writes ascending numbers as sbatch takes the indices of an array:
// 0-4,7,9-10.
func compact(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if j > i {
			fmt.Fprintf(&b, "-%d", numbers[j])
		}
		i = j + 1
	}
	return b.String()
}

// expand reads what squeue writes of the indices of an array that have not been
// started: 0-4,7,20-40:2%10, where :2 is a step and %10 the limit of those that run at
// once.
func expand(list string) ([]int, error) {
	var numbers []int
	list, _, _ = strings.Cut(list, "%")
	for item := range strings.SplitSeq(list, ",") {
		span, by, stepped := strings.Cut(item, ":")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		if !stepped {
			by = "1"
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		step, err3 := strconv.Atoi(by)
		if err1 != nil || err2 != nil || err3 != nil || first < 0 || step < 1 || last-first > 10_000_000 {
			return nil, fmt.Errorf("%q is not a list of indices of an array", list)
		}
		for n := first; n <= last; n += step {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}
