"""Writes special.txt: values of special functions at moderate and extreme points.

Each line is `function value argument...`; the arguments are exact (hexadecimal
floating-point numbers), the value has 25 digits.
"""
import random

from mpmath import (asinh, besseli, beta, binomial, diff, digamma, erfc, erfinv, exp, expm1, gamma, isinf, log, log1p, loggamma, mp, mpf,
                    nstr, psi, re, sin, sqrt, findroot, erf, pi)

mp.dps = 60
random.seed(2)
uniform, gauss = random.uniform, random.gauss


def phi(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def log_phi(x):
    return log1p(-phi(-x)) if x > 0 else log(phi(x))


def interval(x, w):
    y = x - w
    if x + y > 0: # the lower tail, which cancels little
        x, y = -y, -x
    return log(phi(x) - phi(y))


def inv_phi(p):
    q = min(p, 1 - p)
    if q == mpf(1) / 2:
        return mpf(0)
    start = -sqrt(-2 * log(q) - log(4 * pi * -log(q))) if q < 0.01 else (q - 0.5) * 3
    x = findroot(lambda t: log_phi(t) - log(q), start)
    return x if p < 0.5 else -x


def softplus(x):
    return max(x, 0) + log1p(exp(-abs(x)))


def lgamma(x):
    return log(abs(gamma(x))) if abs(x) < 1e5 else re(loggamma(x))


def log_beta(a, b):
    mp.dps = 90
    v = re(loggamma(a)) + re(loggamma(b)) - re(loggamma(a + b))
    mp.dps = 60
    return +v


def log_choose(n, k):
    return -log1p(n) - log_beta(n - k + 1, k + 1)


def student_information(nu):
    # By the digits that cancel, and those that are wanted.
    old, mp.dps = mp.dps, 480
    v = (psi(1, nu / 2) - psi(1, (nu + 1) / 2)) / 4 - (nu + 5) / (2 * nu * (nu + 1) * (nu + 3))
    mp.dps = old
    return +v


def student_information_slope(nu):
    old, mp.dps = mp.dps, 480
    v = (psi(2, nu / 2) - psi(2, (nu + 1) / 2)) / 8
    v -= (nu + 5) / (2 * nu * (nu + 1) * (nu + 3)) * (1 / (nu + 5) - 1 / nu - 1 / (nu + 1) - 1 / (nu + 3))
    mp.dps = old
    return +v


def any_size(n, lo, hi):
    """n numbers whose logarithms to base 10 are uniform on lo...hi."""
    return [10 ** uniform(lo, hi) for _ in range(n)]


real = [uniform(-3, 3) for _ in range(40)] + [gauss(0, 12) for _ in range(40)] + [uniform(-700, 700) for _ in range(40)]
real += [0.0, 1e-300, -1e-300, 1e-17, -1e-17, 36.7, -36.7, 745.0]
unit = [uniform(0, 1) for _ in range(60)] + any_size(40, -300, 0)
unit += [0.5 + s * d for s in (-1, 1) for d in any_size(20, -15, -0.7)]
unit += [1 - d for d in any_size(30, -15, 0)] + [0.25, 0.5, 0.75, 0.075, 0.925, 5e-324]
positive = any_size(60, -300, 300) + any_size(120, -3, 3) + [uniform(0.9, 2.1) for _ in range(60)]
positive += [uniform(0.01, 1.5) for _ in range(80)] + [1.192, 1.2, 1.2316, 0.192, 0.2]
positive += [1.4616321449683622, 1.4616321449683625, 1.46, 1.4617, 1.0, 2.0, 3.0, 9.999999, 10.0, 0.5, 170.6]
negative = [-uniform(0, 12) for _ in range(80)] + [-n + s * d for n in range(4) for s in (-1, 1) for d in (1e-3, 1e-9)]
negative = [x for x in negative if x < 0] + [-1e-300, -100.25, -1e6 - 0.375]
normal = [gauss(0, 3) for _ in range(80)] + [uniform(-37.4, 10) for _ in range(80)] + [0.0, 1e-300, -1e-17, -37.5, -1.4, -1.5]
far = normal + [-10**u for u in (1.4, 1.5772, 2, 3, 10, 100, 150)] + [-19.99, -20.01, 20.0, 38.0]
pairs = [(gauss(0, 3), gauss(0, 3)) for _ in range(60)] + [(gauss(0, 300), gauss(0, 300)) for _ in range(40)]
pairs += [(x, x + s * d) for x in (0.5, -700.0, 700.0, 1e5) for s in (-1, 1) for d in (1e-9, 1e-3, 0.6931, 0.6932, 40)]
shapes = [(a, b) for a in any_size(14, -8, 8) for b in any_size(14, -8, 8)] + [(uniform(0, 12), uniform(0, 12)) for _ in range(80)]
shapes += [(10.0, 10.0), (9.999, 10.0), (0.5, 0.5), (1e300, 1e300), (1e-200, 3.0), (2.0, 1e15)]
subsets = [(float(n), float(k)) for n in (1, 2, 3, 5, 8, 9, 10, 20, 67, 1000, 10**9) for k in (1, 2, 3, 4, 7, 19, 60, 500) if k < n]
subsets += [(1e15, 1.0), (1e15, 1e15 - 1), (1e15, 5e14), (7.5, 3.25), (30.5, 12.125), (0.5, 0.25), (40.0, -0.5), (40.0, 40.5)]

freedom = [10 ** (k / 4) for k in range(-80, 121)] + [31.9, 31.999, 32.0, 32.1, 33.5, 100.5, 1e75]

later, gauss_ = random.Random(3).uniform, random.Random(4).gauss  # so that the other points stay
concentrations = [10 ** later(-6, 6) for _ in range(80)] + [later(20, 40) for _ in range(20)] + [-x for x in (1e-3, 1.0, 29.0, 31.0)]
concentrations += [1e-9, 29.999999, 30.0, 1e12]
passages = [(10 ** later(-3, 1.5), later(0.01, 0.99)) for _ in range(80)] + [(later(0.1, 0.2), later(0.01, 0.99)) for _ in range(20)]
passages += [(u, w) for u in (1e-7, 1e-3, 0.05, 0.1499, 0.15, 0.4, 1.0, 30.0, 300.0) for w in (1e-6, 0.25, 0.5, 0.75, 0.999)]


def log_bessel(x):
    return log(besseli(0, x))


def bessel_ratio(x):
    return besseli(1, x) / besseli(0, x)


def bessel_ratio_slope(x):
    old, mp.dps = mp.dps, 200
    r = besseli(1, x) / besseli(0, x)
    v = 1 - r ** 2 - r / x
    mp.dps = old
    return +v


def log_first_passage(u, w):
    """By the series that the package does not take there, but for times that are too short for it."""
    if 1e-3 <= u < 0.15:
        terms = 1 + int(sqrt(3000 / u))
        return log(pi * sum(k * exp(-(k * pi) ** 2 * u / 2) * sin(k * pi * w) for k in range(1, terms)))
    terms = 2 + int(sqrt(2000 * u))
    return log(sum((w + 2 * k) * exp(-(w + 2 * k) ** 2 / (2 * u)) for k in range(-terms, terms + 1))) - log(2 * pi * u ** 3) / 2


def slope_of_passage(by_u, by_w):
    """A derivative, by central differences."""
    def f(u, w):
        old, mp.dps = mp.dps, 900
        h = mpf(10) ** -80
        at = lambda a, b: log_first_passage(u + a * h * u, w + b * h * w)
        if (by_u, by_w) == (0, 0):
            v = at(0, 0)
        elif by_u + by_w == 1:
            v = (at(by_u, by_w) - at(-by_u, -by_w)) / (2 * h * (u if by_u else w))
        elif by_u == by_w:
            v = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * h * u * w)
        else:
            v = (at(by_u / 2, by_w / 2) - 2 * at(0, 0) + at(-by_u / 2, -by_w / 2)) / (h * (u if by_u else w)) ** 2
        mp.dps = old
        return +v
    return f


def stirling(n):
    """What Stirling's formula lacks, and its derivatives."""
    def f(x):
        old, mp.dps = mp.dps, 260
        x = mpf(x)
        v = [lambda: re(loggamma(x)) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2,
             lambda: psi(0, x) - log(x) + 1 / (2 * x),
             lambda: psi(1, x) - 1 / x - 1 / (2 * x * x)][n]()
        mp.dps = old
        return +v
    return f


def mills(x):
    """φ(x)/Φ(x) + x, and what cancels in it has as many digits as the result."""
    old, mp.dps = mp.dps, 200
    x = mpf(x)
    if x > -60:
        v = exp(-x * x / 2) / sqrt(2 * pi) / phi(x) + x
    else:  # an asymptotic series for the reciprocal of Mills' ratio
        terms, t = mpf(1), mpf(1)
        for k in range(1, 400):
            t *= -(2 * k - 1) / (x * x)
            if abs(t) < mpf(10) ** -190:
                break
            terms += t
        v = -x * (1 / terms - 1)
    mp.dps = old
    return +v


def tilted(z, r):
    old, mp.dps = mp.dps, 900
    z, r = mpf(z), mpf(r)
    u = z - r
    v = log_phi(u) + r * r / 2 - r * z if u > -1000 else -z * z / 2 - log(-u + mills(u)) - log(2 * pi) / 2
    mp.dps = old
    return +v


def tilted_slope(z, r):
    return mills(mpf(z) - mpf(r)) - mpf(z)


tilts = [(gauss_(0, 3), abs(gauss_(0, 5))) for _ in range(80)] + [(gauss_(0, 2), 10 ** later(0, 10)) for _ in range(60)] + [(10 ** later(0, 6), later(0, 2)) for _ in range(30)]

table = [
    ("inv_logit", lambda x: 1 / (1 + exp(-x)), real),
    ("logit", lambda p: log(p / (1 - p)), [p for p in unit if p < 1]),
    ("log1p_exp", softplus, real),
    ("log1m", lambda x: log1p(-x), [p for p in unit if p < 1] + [-x for x in any_size(20, -300, 300)]),
    ("log1m_exp", lambda x: log(-expm1(x)) if x > -1 else log1p(-exp(x)), [-abs(x) for x in real if x] + [-0.6931, -0.6932]),
    ("asinh", asinh, real),
    ("log_inv_logit", lambda x: -softplus(-x), real),
    ("log1m_inv_logit", lambda x: -softplus(x), real),
    ("log_sum_exp", lambda a, b: max(a, b) + softplus(-abs(a - b)), pairs),
    ("log_diff_exp", lambda a, b: a + (log(-expm1(b - a)) if b - a > -1 else log1p(-exp(b - a))), [p for p in pairs if p[0] > p[1]]),
    ("lgamma", lgamma, positive + negative + [5e-324, 1e-310]),
    ("digamma", digamma, positive + negative),
    ("trigamma", lambda x: psi(1, x), [x for x in positive + negative if 1e-150 < abs(x) < 1e150]),
    ("tetragamma", lambda x: psi(2, x), [x for x in positive + negative if 1e-100 < abs(x) < 1e100]),
    ("student_information", student_information, freedom),
    ("student_information_slope", student_information_slope, freedom),
    ("lbeta", log_beta, shapes),
    ("lchoose", log_choose, subsets),
    ("phi", phi, normal),
    ("log_phi", log_phi, far),
    ("inv_phi", inv_phi, unit),
    ("log_bessel_i0", log_bessel, concentrations),
    ("bessel_ratio", bessel_ratio, concentrations),
    ("bessel_ratio_slope", bessel_ratio_slope, concentrations),
    ("log_first_passage", slope_of_passage(0, 0), passages),
    ("log_first_passage_u", slope_of_passage(1, 0), passages),
    ("log_first_passage_w", slope_of_passage(0, 1), passages),
    ("log_first_passage_uu", slope_of_passage(2, 0), passages),
    ("log_first_passage_uw", slope_of_passage(1, 1), passages),
    ("log_first_passage_ww", slope_of_passage(0, 2), passages),
    ("stirling_rest", stirling(0), [x for x in positive if 1e-100 < x < 1e100]),
    ("stirling_slope", stirling(1), [x for x in positive if 1e-100 < x < 1e100]),
    ("stirling_curvature", stirling(2), [x for x in positive if 1e-75 < x < 1e75]),
    ("mills_excess", mills, normal + [-10**u for u in (1.5, 2, 3, 5, 8)] + [-4.99999, -5.00001, -6.0, 40.0]),
    ("log_phi_tilted", tilted, tilts),
    ("log_phi_tilted_slope", tilted_slope, tilts),
    ("log_phi_interval", interval, [(uniform(-9, 9), uniform(0, 6)) for _ in range(150)] + [(gauss(0, 3), 10**uniform(-12, 0)) for _ in range(150)]
     + [(-10**uniform(1.3, 3), 10**uniform(-6, 1)) for _ in range(60)] + [(10**uniform(1.3, 3), 10**uniform(-6, 1)) for _ in range(60)]),
]

with open("special.txt", "w") as out:
    for name, f, points in table:
        for point in points:
            args = point if isinstance(point, tuple) else (point,)
            value = f(*map(mpf, args))
            out.write(" ".join([name, nstr(value, 25)] + [float(a).hex() for a in args]) + "\n")
