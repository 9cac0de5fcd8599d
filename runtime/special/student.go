package special

import "math"

// The expected information of Student's t about its degrees of freedom,
//
//	J(ν) = ¼ (ψ′(ν/2) − ψ′((ν+1)/2)) − (ν + 5)/(2 ν (ν+1) (ν+3)),
//
// is some 7/(2ν⁴) for large ν, what is left of terms of size 1/ν². As it stands it has no digit from
// ν = 1e5 on. By the recurrence of ψ′ it falls by
//
//	J(ν) − J(ν+2) = (28ν² + 66ν + 30) / (ν² (ν+1)² (ν+2) (ν+3) (ν+5)),
//
// in which nothing cancels; from studentShift on its asymptotic series in 1/ν is accurate, which
// follows from that of ψ′, Abramowitz & Stegun 6.4.12.
const studentShift = 32

// studentSeries holds the coefficients of ν⁻⁴, ν⁻⁵, … in J.
var studentSeries = [...]float64{
	7.0 / 2, -13, 79.0 / 2, -119, 727.0 / 2, -1101, 6559.0 / 2, -9763, 59047.0 / 2, -89609,
	531439.0 / 2, -778047, 4782967.0 / 2, -7639237, 43046719.0 / 2, -50159771, 387420487.0 / 2,
}

// StudentInformation returns J(ν) for ν > 0, to a relative error of a few 1e-16; +Inf at 0.
func StudentInformation(nu float64) float64 {
	sum := 0.0
	for ; nu < studentShift; nu += 2 {
		sum += (30 + float64(nu*(66+float64(28*nu)))) / (nu * nu * (nu + 1) * (nu + 1) * (nu + 2) * (nu + 3) * (nu + 5))
	}
	z, s := 1/nu, 0.0
	for k := len(studentSeries) - 1; k >= 0; k-- {
		s = float64(s*z) + studentSeries[k]
	}
	z = float64(z * (z))
	return sum + float64(s*z*z)
}

// StudentInformationSlope returns J′(ν) for ν > 0; −Inf at 0.
func StudentInformationSlope(nu float64) float64 {
	sum := 0.0
	for ; nu < studentShift; nu += 2 {
		top := 30 + float64(nu*(66+float64(28*nu)))
		bottom := float64(nu * nu * (nu + 1) * (nu + 1) * (nu + 2) * (nu + 3) * (nu + 5))
		fall := 2/nu + 2/(nu+1) + 1/(nu+2) + 1/(nu+3) + 1/(nu+5) - (66+float64(56*nu))/top
		sum += float64(top / bottom * fall)
	}
	if math.IsInf(sum, 1) {
		return -sum
	}
	z, s := 1/nu, 0.0
	for k := len(studentSeries) - 1; k >= 0; k-- {
		s = float64(s*z) + float64(float64(k+4)*studentSeries[k])
	}
	s = float64(s * (z))
	z = float64(z * (z))
	return -(sum + float64(s*z*z))
}
