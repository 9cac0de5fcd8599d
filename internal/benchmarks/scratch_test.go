package benchmarks
import ("testing";"math";"math/rand/v2";"slices";"time"
"github.com/hamc-dev/hamc/runtime"
"github.com/hamc-dev/hamc/runtime/random"
)
type rec struct{ q,p []float64 }
func TestScratch(t *testing.T){
 for _,k:=range []runtime.Integrator{runtime.GLFb,runtime.IMb}{
 for _,L:=range []int{5,10,50}{
 for pi,pol:=range []struct{n string;s runtime.Solver;r runtime.ReverseCheck}{
  {"a",runtime.Solver{Tolerance:1e-6,MaxIterations:1000},0},
  {"b",runtime.Solver{Tolerance:1e-6,MaxIterations:1000,StopStalled:true},0},
  {"c",runtime.Solver{Tolerance:1e-6,MaxIterations:1000,StopStalled:true},runtime.ReverseSuspect},
  {"a+suspect",runtime.Solver{Tolerance:1e-6,MaxIterations:1000},runtime.ReverseSuspect},
  {"d",runtime.Solver{Tolerance:1e-6,MaxIterations:25},0},
 }{
  _=pi
  var acc,failT,revfail int; var errs,perr []float64; n:=0
  var okI,badI []int
  var byStatus [runtime.NumStatus]int
  began:=time.Now()
  var irrK int
  for d:=0;d<10;d++{
   m,_:=Banana(100,uint64(d+1))
   back:=m.Clone().(runtime.System)
   h,_:=runtime.NewHMC(m,k)
   inner:=h.Step
   bs,_:=runtime.Stepper(back,k)
   var calls int; var q1,p1 [2]float64
   h.Step=func(q,p []float64,e float64,s *runtime.Solver) runtime.StepResult{
     r:=inner(q,p,e,s); calls++
     if calls<=L { if r.Status==runtime.OK {okI=append(okI,r.Iterations)} else {badI=append(badI,r.Iterations)} }
     if calls==L {copy(q1[:],q);copy(p1[:],p)}
     return r}
   h.StepSize=.1;h.Length=runtime.Length{Steps:L};h.Solver=pol.s;h.Reverse=pol.r
   st:=random.New(uint64(d+1),0); rng:=rand.New(st)
   q:=BananaStart()
   for i:=0;i<2000;i++{
     st.Seek(0,uint64(i)); calls=0
     q0:=[2]float64{q[0],q[1]}
     tr:=h.Transition(q,rng); n++
     if tr.Failure!=runtime.OK {failT++; byStatus[tr.Failure]++}
     if tr.Irreversible {irrK++}
     if tr.Accepted {acc++
       x,y:=q1,[2]float64{-p1[0],-p1[1]}
       tt:=runtime.Integrate(bs,x[:],y[:],.1,L,&pol.s)
       if tt.Status!=runtime.OK {revfail++} else {
        errs=append(errs,max(math.Abs(x[0]-q0[0]),math.Abs(x[1]-q0[1])))
       }
     }
   }
  }
  _=perr
  slices.Sort(errs)
  cnt:=func(tol float64)int{c:=0;for _,e:=range errs{if !(e<=tol){c++}};return c}
  f:=100000/float64(n)
  st:=func(x []int)(float64,int){slices.Sort(x);s:=0;for _,v:=range x{s+=v};if len(x)==0{return 0,0};return float64(s)/float64(len(x)),x[int(float64(len(x)-1)*.999)]}
  om,o9:=st(okI);bm,b9:=st(badI)
  t.Logf("%v L=%d %-9s acc %.3f failT %.1f%% kernelIrr/1e5 %.0f | rev fails %.0f  >1e-4 %.0f >1e-3 %.0f >3e-3 %.0f >1e-2 %.0f >.1 %.0f | ok %.1f %d bad %.0f %d  %v %v",k,L,pol.n,float64(acc)/float64(n),100*float64(failT)/float64(n),f*float64(irrK),f*float64(revfail),f*float64(cnt(1e-4)),f*float64(cnt(1e-3)),f*float64(cnt(3e-3)),f*float64(cnt(1e-2)),f*float64(cnt(.1)),om,o9,bm,b9,byStatus,time.Since(began).Round(time.Millisecond))
 }}}
}
