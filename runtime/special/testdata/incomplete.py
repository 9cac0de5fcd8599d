"""Writes incomplete.txt: logarithms of incomplete gamma and beta functions and of Student's distribution function, with their slopes.

Each line is `function value argument...`; the arguments are exact (hexadecimal floating-point numbers), the value has 25 digits.

P and I are the series of positive terms, Q the continued fraction (Abramowitz & Stegun 6.5.29, 6.5.31, 26.5.4), in 400 bits; what they
leave is 1 less one of them where at most 30 of the 120 digits cancel. Slopes are central differences with steps of 2^-100.
"""
import random
import sys

import gmpy2
from gmpy2 import exp, expm1, lgamma, log, log1p, mpfr
from mpmath import mp, mpf, nstr

gmpy2.get_context().precision = 400
mp.dps = 60
random.seed(7)
uniform = random.uniform
LIMIT = 400_000  # terms
EPS = mpfr(2) ** -390


class Slow(Exception):
    pass


def gamma_ln(a):
    return lgamma(a)[0]


def series(ratio):
    total, term, k = mpfr(1), mpfr(1), 0
    while abs(term) > total * EPS or ratio(k) > 1:
        term *= ratio(k)
        total += term
        k += 1
        if k > LIMIT:
            raise Slow
    return total


def p_series(a, x):
    return exp(a * log(x) - x - gamma_ln(a + 1)) * series(lambda k: x / (a + 1 + k))


def q_fraction(a, x):
    b = x + 1 - a
    c = mpfr(10) ** 400
    d = 1 / b
    h = d
    for i in range(1, LIMIT):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= c * d
        if abs(c * d - 1) < EPS:
            return exp(a * log(x) - x - gamma_ln(a)) * h
    raise Slow


def gamma_pq(a, x):
    """P and Q, each with digits to spare."""
    if x > a + 2 and x > 3:
        q = q_fraction(a, x)
        return 1 - q, q
    p = p_series(a, x)
    if 1 - p < mpfr(10) ** -30:
        return p, q_fraction(a, x)
    return p, 1 - p


def i_series(a, b, x, y):
    return exp(a * log(x) + b * log(y) - (gamma_ln(a + 1) + gamma_ln(b) - gamma_ln(a + b))) * series(lambda k: x * (a + b + k) / (a + 1 + k))


def terms(a, b, x, y):
    """About how many terms the series has."""
    peak = max(0, ((a + b) * x - a - 1) / y)
    return 3 * peak + 300 / y if y > 0.1 else 3 * peak + min(300 / y, 30 * ((a + b) / y) ** 0.5 + 300 / y)


def beta_both(a, b, x, y):
    """I_x(a, b) and 1 less it."""
    def by(first):
        if first:
            i = i_series(a, b, x, y)
            return i, 1 - i
        j = i_series(b, a, y, x)
        return 1 - j, j
    first = terms(a, b, x, y) <= terms(b, a, y, x)
    for f in (first, not first):
        if (terms(a, b, x, y) if f else terms(b, a, y, x)) > LIMIT:
            continue
        i, j = by(f)
        if (j if f else i) > mpfr(10) ** -30:
            return i, j
        if f and a * y >= b * x or not f and b * x >= a * y:
            other = by(not f)
            return (i, other[1]) if f else (other[0], j)
    raise Slow


def sides(u):
    return 1 / (1 + exp(-u)), 1 / (1 + exp(u))


def student(nu, t):
    x, y = nu / (nu + t * t), t * t / (nu + t * t)
    i, j = beta_both(nu / 2, mpfr(1) / 2, x, y)
    # log F is small where t is large: log1p keeps its digits.
    return log(i / 2) if t < 0 else log1p(-i / 2)


def log_of(p, q):
    return log1p(-q) if q < p else log(p)


def slope(f, args, n):
    h = args[n] * mpfr(2) ** -100
    up, down = list(args), list(args)
    up[n] += h
    down[n] -= h
    return (f(*up) - f(*down)) / (2 * h)


def log_p(a, x):
    p, q = gamma_pq(a, x)
    return log_of(p, q)


def log_q(a, x):
    p, q = gamma_pq(a, x)
    return log_of(q, p)


def log_i(a, b, u):
    x, y = sides(u)
    i, j = beta_both(a, b, x, y)
    return log_of(i, j)


def size(lo, hi):
    return 10 ** uniform(lo, hi)


gammas = [(a, a * size(-3, 2)) for a in (size(-3, 2) for _ in range(160))]
gammas += [(a, max(a + z * a**0.5, a * 1e-3)) for a, z in ((size(-1, 7), random.gauss(0, 3)) for _ in range(120))]
gammas += [(a, x) for a, x in ((size(-3, 0), size(-8, 0.3)) for _ in range(60))]
gammas += [(a, a * z) for a in (30.0, 1e3, 3e4) for z in (0.05, 0.3, 0.9, 1.1, 2.0, 5.0, 30.0)]
gammas += [(1.0, 1.0), (1.0, 1e-9), (1.0, 1e4), (0.999, 0.999), (1e-3, 1.0), (1e-3, 0.999), (9.99, 9.5), (10.0, 10.5), (1e7, 1e7), (1e8, 1e8 + 3e4), (1e8, 1e8 - 3e4),
           (1e8, 1e8), (1e5, 2.5e5), (1e5, 4e4), (2.5, 1e5), (1e-10, 0.5), (1e-10, 3.0), (0.5, 1e-200), (3.0, 1e-100), (1e-300, 1e-3)]


def logit_of(x):
    return float(mp.log(mpf(x)) - mp.log1p(-mpf(x)))


def around(a, b, z):
    """A logit at z standard deviations of it."""
    return float(mp.log(mpf(a) / mpf(b))) + z * (1 / a + 1 / b) ** 0.5


betas = [(a, b, logit_of(x)) for a, b, x in ((size(-3, 2), size(-3, 2), uniform(0.001, 0.999)) for _ in range(160))]
betas += [(a, b, around(a, b, random.gauss(0, 3))) for a, b in ((size(-1, 7), size(-1, 7)) for _ in range(160))]
betas += [(a, b, random.gauss(0, 6)) for a, b in ((size(-3, 3), size(-3, 3)) for _ in range(120))]
betas += [(a, b, random.gauss(0, 0.5)) for a, b in ((size(3, 5), size(3, 5)) for _ in range(40))]
betas += [(float(k), b, u) for k in (1, 2, 7, 40) for b in (0.05, 0.7, 3.0, 400.0, 1e5) for u in (-9.0, -2.0, 0.5, 6.0)]
betas += [(1.0, 1.0, 0.0), (0.5, 0.5, 0.0), (1e-3, 1e-3, 0.0), (1e7, 1e7, 0.0), (1e7, 1e7, 1e-3), (1e7, 2.0, 15.0), (9.99, 10.01, 0.1), (3.0, 4.0, -300.0), (3.0, 4.0, 300.0),
          (0.5, 0.5, 700.0), (1e-10, 0.5, 1.0), (0.5, 1e-10, 1.0), (2.0, 1e-10, 3.0)]
students = [(nu, random.choice((-1, 1)) * size(-3, 2)) for nu in (size(-2, 7) for _ in range(200))]
students += [(nu, t) for nu in (0.5, 1.0, 2.0, 4.0, 29.9, 30.1, 31.0, 100.0, 1e3, 1e6) for t in (-40.0, -6.0, -2.0, -1.0, -0.99, -0.3, -1e-9, 1e-6, 0.2, 1.01, 3.0, 12.0)]
students += [(1e-3, 1.0), (1e-3, -1e5), (3.0, -1e30), (7.0, -1e9), (7.0, 1e9), (1e7, -450.0), (1e7, 2.0)]

def gamma_density(a, x):
    return (a - 1) * log(x) - x - gamma_ln(a)


def beta_density(a, b, u):
    x, y = sides(u)
    return a * log(x) + b * log(y) - (gamma_ln(a) + gamma_ln(b) - gamma_ln(a + b))


table = [
    ("log_gamma_density", gamma_density, gammas), ("log_beta_density_logit", beta_density, betas),
    ("log_gamma_p", log_p, gammas), ("log_gamma_q", log_q, gammas),
    ("log_gamma_p_slope", lambda a, x: slope(log_p, (a, x), 0), gammas), ("log_gamma_q_slope", lambda a, x: slope(log_q, (a, x), 0), gammas),
    ("log_inc_beta_logit", log_i, betas),
    ("log_inc_beta_logit_slope1", lambda a, b, u: slope(log_i, (a, b, u), 0), betas), ("log_inc_beta_logit_slope2", lambda a, b, u: slope(log_i, (a, b, u), 1), betas),
    ("log_student", student, students), ("log_student_slope", lambda nu, t: slope(student, (nu, t), 0), students),
]


def decimal(v):
    return "{0:.25g}".format(v)


with open("incomplete.txt", "w") as out:
    for name, f, points in table:
        slow = 0
        for point in points:
            args = [float(a) for a in point]
            try:
                value = f(*map(mpfr, args))
            except Slow:
                slow += 1
                continue
            if not -mpfr(10) ** 300 < value < mpfr(10) ** 300:
                continue
            out.write(" ".join([name, decimal(value)] + [a.hex() for a in args]) + "\n")
        out.flush()
        print(name, len(points), "points,", slow, "too slow", file=sys.stderr)
