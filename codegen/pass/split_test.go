package pass

import (
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// TestDecide: a question of where a loop's variable stands has an answer in the interior if bounds differ by numbers. The interior of split
// answers most of them by the way it is chosen, so that no program can have all answers.
func TestDecide(t *testing.T) {
	i, n, m := &loop.Var{Name: "i", Home: loop.Local, Int: true}, &loop.Var{Name: "n", Home: loop.Size, Int: true}, &loop.Var{Name: "m", Home: loop.Size, Int: true}
	at := loop.At(i)
	in := bounds{[]*loop.Int{loop.Const(1)}, []*loop.Int{loop.At(n).Plus(-1)}} // 1, …, n − 2
	for _, x := range []struct {
		c    loop.Cond
		want int
	}{
		{loop.Cond{X: at, Op: loop.AtLeast, Y: loop.Const(1)}, yes},
		{loop.Cond{X: at, Op: loop.AtLeast, Y: loop.Const(2)}, open},
		{loop.Cond{X: at.Plus(1), Op: loop.AtLeast, Y: loop.Const(2)}, yes},
		{loop.Cond{X: at, Op: loop.AtLeast, Y: loop.At(m)}, open},
		{loop.Cond{X: at, Op: loop.Below, Y: loop.At(n).Plus(-1)}, yes},
		{loop.Cond{X: at, Op: loop.Below, Y: loop.At(n).Plus(-2)}, open},
		{loop.Cond{X: at, Op: loop.Below, Y: loop.Const(5)}, open},
		{loop.Cond{X: at, Op: loop.AtLeast, Y: loop.At(n).Plus(-1)}, no},
		{loop.Cond{X: at, Op: loop.Below, Y: loop.Const(1)}, no},
		{loop.Cond{X: at, Op: loop.Equals, Y: loop.Const(0)}, no},
		{loop.Cond{X: at, Op: loop.Equals, Y: loop.Const(1)}, open},
		{loop.Cond{X: at, Op: loop.Equals, Y: loop.At(n).Plus(-1)}, no},
		{loop.Cond{X: at, Op: loop.Equals, Y: loop.At(n).Plus(-2)}, open},
		{loop.Cond{X: at, Op: loop.Equals, Y: loop.At(m)}, open},
		{loop.Cond{X: loop.At(n), Op: loop.AtLeast, Y: loop.Const(1)}, open},
	} {
		if got := decide(x.c, i, in); got != x.want {
			t.Errorf("%s: %d where %d is right", x.c, got, x.want)
		}
	}
}
