"""Values of the log densities and their derivatives at and near the ends of
supports and arguments, of the transforms of parameters, and of the expected informations of
the arguments, computed with 700 digits, the latter with 220.

    pip install mpmath
    python3 edges.py > edges.txt

A line is the name, the arguments (of a distribution the value first), then after
a colon, result and size by turns: the log density and its derivatives by the
arguments. Sizes are what the results would be if their terms had one sign: rounding
errors are relative to them. A line `fisher` has the lower triangle of the information of the
arguments about which it is known in place of these, from the derivatives of expected log densities or by quadrature. The arguments are the doubles that their text
names.
"""
import mpmath as mp

mp.mp.dps = 700


def xlogy(x, y):
    return mp.mpf(0) if x == 0 else x * mp.log(y)


def half_log_2pi():
    return mp.log(2 * mp.pi) / 2


def student(y, nu, m, s):
    # As a whole: at large nu its terms are much larger than it is.
    return [mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi) / 2, -mp.log(s), -(nu + 1) / 2 * mp.log1p(((y - m) / s) ** 2 / nu)]


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def log_choose(n, k):
    return [-mp.log(n + 1), -log_beta(n - k + 1, k + 1)]


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def negative_binomial(y, e, f):
    """Of the logarithm of the mean."""
    return [rising(f, y), -mp.loggamma(y + 1), y * e, -(y + f) * softplus(e - mp.log(f))]


def rising(x, y):
    """log Γ(x + y) − log Γ(x) − y log x, which is small at large x."""
    return mp.loggamma(x + y) - mp.loggamma(x) - y * mp.log(x)


def log_mills(x):
    """The logarithm of the normal distribution function."""
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def skew_laplace(y, m, s, t):
    return [mp.log(2), mp.log(t), mp.log1p(-t), -mp.log(s), -2 * ((1 - t) * (m - y) if y < m else t * (y - m)) / s]


def inverse_gaussian(y, m, l):
    return [mp.log(l) / 2, -half_log_2pi(), -mp.mpf(3) / 2 * mp.log(y), -l * y / (2 * m * m), l / m, -l / (2 * y)]


def inflated(theta, first, others):
    """A distribution of counts with more zeros: first is the log probability of 0."""
    return [mp.log(theta + (1 - theta) * mp.exp(first))] if others is None else [mp.log1p(-theta)] + others


def poisson(y, l):
    return [y * mp.log(l), -l, -mp.loggamma(y + 1)]


def log_first_passage(u, w):
    """By the method of images for early times, and by the eigenfunctions for late ones."""
    if u < 3:
        terms = [(w + 2 * k) * mp.exp(-((w + 2 * k) ** 2) / (2 * u)) for k in range(-40, 41)]
        return mp.log(mp.fsum(terms)) - mp.log(2 * mp.pi * u**3) / 2
    return mp.log(mp.pi * mp.fsum([k * mp.exp(-(((k * k) - 1) * mp.pi**2) * u / 2) * mp.sin(k * mp.pi * w) for k in range(1, 40)])) - mp.pi**2 * u / 2


DENSITIES = {
    # name: (terms, whole: how many of the first numbers are whole and no variables)
    "normal": (lambda y, m, s: [-((y - m) / s) ** 2 / 2, -mp.log(s), -half_log_2pi()], False),
    "student_t": (student, False),
    "cauchy": (lambda y, m, s: [-mp.log(mp.pi), -mp.log(s), -mp.log1p(((y - m) / s) ** 2)], False),
    "exponential": (lambda y, b: [mp.log(b), -b * y], False),
    "gamma": (lambda y, a, b: [a * mp.log(b), -mp.loggamma(a), (a - 1) * mp.log(y), -b * y], False),
    "inv_gamma": (lambda y, a, b: [a * mp.log(b), -mp.loggamma(a), -(a + 1) * mp.log(y), -b / y], False),
    "inv_chi_square": (lambda y, n: [-n / 2 * mp.log(2), -mp.loggamma(n / 2), -(n / 2 + 1) * mp.log(y), -1 / (2 * y)], False),
    "scaled_inv_chi_square": (lambda y, n, s: [n / 2 * mp.log(n / 2), -mp.loggamma(n / 2), n * mp.log(s), -(n / 2 + 1) * mp.log(y), -n * s * s / (2 * y)], False),
    "beta": (lambda y, a, b: [(a - 1) * mp.log(y), (b - 1) * mp.log1p(-y), -mp.loggamma(a), -mp.loggamma(b), mp.loggamma(a + b)], False),
    "lognormal": (lambda y, m, s: [-((mp.log(y) - m) / s) ** 2 / 2, -mp.log(y), -mp.log(s), -half_log_2pi()], False),
    "uniform": (lambda y, a, b: [0 * y, -mp.log(b - a)], False),
    "logistic": (lambda y, m, s: [-(y - m) / s, -mp.log(s), -2 * softplus(-(y - m) / s)], False),
    "gumbel": (lambda y, m, b: [-(y - m) / b, -mp.log(b), -mp.exp(-(y - m) / b)], False),
    "chi_square": (lambda y, n: [-n / 2 * mp.log(2), -mp.loggamma(n / 2), (n / 2 - 1) * mp.log(y), -y / 2], False),
    "weibull": (lambda y, a, s: [mp.log(a), -mp.log(s), (a - 1) * mp.log(y), -(a - 1) * mp.log(s), -((y / s) ** a)], False),
    "frechet": (lambda y, a, s: [mp.log(a), -mp.log(s), -(a + 1) * mp.log(y), (a + 1) * mp.log(s), -((y / s) ** -a)], False),
    "rayleigh": (lambda y, s: [mp.log(y), -2 * mp.log(s), -((y / s) ** 2) / 2], False),
    "beta_proportion": (lambda y, m, k: [m * k * mp.log(y), -mp.log(y), (1 - m) * k * mp.log1p(-y), -mp.log1p(-y), -mp.loggamma(m * k), -mp.loggamma((1 - m) * k), mp.loggamma(k)], False),
    "bernoulli": (lambda y, t: [xlogy(y, t), xlogy(1 - y, 1 - t)], True),
    "bernoulli_logit": (lambda y, e: [y * e, -(mp.log1p(mp.exp(e)) if e < 0 else e + mp.log1p(mp.exp(-e)))], True),
    "poisson": (lambda y, l: [xlogy(y, l), -l, -mp.loggamma(y + 1)], True),
    "poisson_log": (lambda y, e: [y * e, -mp.exp(e), -mp.loggamma(y + 1)], True),
    "binomial": (lambda y, n, t: log_choose(n, y) + [xlogy(y, t), xlogy(n - y, 1 - t)], 2),
    "binomial_logit": (lambda y, n, e: log_choose(n, y) + [y * e, -n * softplus(e)], 2),
    "beta_binomial": (lambda y, n, a, b: log_choose(n, y) + [rising(a, y), rising(b, n - y), -rising(a + b, n), -y * mp.log1p(b / a), -(n - y) * mp.log1p(a / b)], 2),
    "neg_binomial": (lambda y, a, b: [rising(a, y), y * mp.log(a), -mp.loggamma(y + 1), -a * mp.log1p(1 / b), -y * mp.log1p(b)], 1),
    "neg_binomial_2": (lambda y, m, f: negative_binomial(y, mp.log(m), f), 1),
    "neg_binomial_2_log": (negative_binomial, 1),
    "std_normal": (lambda y: [-y * y / 2, -half_log_2pi()], False),
    "double_exponential": (lambda y, m, s: [-mp.log(2), -mp.log(s), -abs(y - m) / s], False),
    "skew_double_exponential": (skew_laplace, False),
    "skew_normal": (lambda y, x, w, a: [mp.log(2), -mp.log(w), -((y - x) / w) ** 2 / 2, -half_log_2pi(), log_mills(a * (y - x) / w)], False),
    "exp_mod_normal": (lambda y, m, s, l: [mp.log(l), l * (m - y) + (l * s) ** 2 / 2 + log_mills((y - m) / s - l * s)], False),
    "von_mises": (lambda y, m, k: [k * mp.cos(y - m), -mp.log(mp.besseli(0, k)), -mp.log(2 * mp.pi)], False),
    "wiener": (lambda y, a, t, b, d: [d * a * (1 - b), -d * d * (y - t) / 2, -2 * mp.log(a), log_first_passage((y - t) / a**2, 1 - b)], False),
    "half_normal": (lambda y, s: [mp.log(2), -half_log_2pi(), -mp.log(s), -((y / s) ** 2) / 2], False),
    "half_cauchy": (lambda y, s: [mp.log(2), -mp.log(mp.pi), -mp.log(s), -mp.log1p((y / s) ** 2)], False),
    "half_student_t": (lambda y, n, s: [mp.log(2)] + student(y, n, 0, s), False),
    "pareto": (lambda y, m, a: [mp.log(a), -mp.log(y), a * mp.log(m), -a * mp.log(y)], False),
    "pareto_type_2": (lambda y, m, l, a: [mp.log(a), -mp.log(l), -(a + 1) * mp.log1p((y - m) / l)], False),
    "loglogistic": (lambda y, a, b: [mp.log(b), -mp.log(y), -b * mp.log(y), b * mp.log(a), -2 * softplus(-b * (mp.log(y) - mp.log(a)))], False),
    "inv_gaussian": (inverse_gaussian, False),
    "logit_normal": (lambda y, m, s: [-((mp.log(y) - mp.log1p(-y) - m) / s) ** 2 / 2, -mp.log(y), -mp.log1p(-y), -mp.log(s), -half_log_2pi()], False),
    "kumaraswamy": (lambda y, a, b: [mp.log(a), mp.log(b), (a - 1) * mp.log(y), (b - 1) * mp.log(1 - y**a)], False),
    "geometric": (lambda y, t: [mp.log(t), xlogy(y, 1 - t)], 1),
    "beta_neg_binomial": (lambda y, r, a, b: [mp.loggamma(y + r), -mp.loggamma(r), -mp.loggamma(y + 1), log_beta(a + r, b + y), -log_beta(a, b)], 1),
    "zero_inflated_poisson": (lambda y, t, l: inflated(t, -l, poisson(y, l) if y > 0 else None), 1),
    "zero_inflated_neg_binomial_2": (lambda y, t, m, f: inflated(t, -f * mp.log1p(m / f), negative_binomial(y, mp.log(m), f) if y > 0 else None), 1),
    "hurdle_poisson": (lambda y, t, l: [mp.log(t)] if y == 0 else [mp.log1p(-t)] + poisson(y, l) + [-mp.log(1 - mp.exp(-l))], 1),
}
# By which argument the derivative of a term is itself a difference, and what of: digammas, or logarithms of what is near 1.
DIGAMMAS = {
    ("student_t", 1): lambda y, n, m, s: [1 / n, mp.log1p(((y - m) / s) ** 2 / n)],
    ("half_student_t", 1): lambda y, n, s: [1 / n, mp.log1p((y / s) ** 2 / n)],
    ("beta_binomial", 2): lambda y, n, a, b: [y / a, n / (a + b)],
    ("beta_binomial", 3): lambda y, n, a, b: [(n - y) / b, n / (a + b)],
    ("neg_binomial", 1): lambda y, a, b: [y / a],
    ("exp_mod_normal", 2): lambda y, m, s, l: [l * (y - m) / s],
    ("neg_binomial_2", 2): lambda y, m, f: [y / f, mp.log1p(m / f)],
    ("neg_binomial_2_log", 2): lambda y, e, f: [y / f, softplus(e - mp.log(f))],
}
DIGAMMAS["beta_neg_binomial", 2] = lambda y, r, a, b: [mp.digamma(a), mp.digamma(a + r), mp.digamma(a + b), mp.digamma(a + b + r + y)]
DIGAMMAS["beta_neg_binomial", 3] = lambda y, r, a, b: [mp.digamma(b), mp.digamma(b + y), mp.digamma(a + b), mp.digamma(a + b + r + y)]
DIGAMMAS["beta_neg_binomial", 1] = lambda y, r, a, b: [mp.digamma(r), mp.digamma(y + r), mp.digamma(a + r), mp.digamma(a + b + r + y)]
DIGAMMAS["zero_inflated_neg_binomial_2", 3] = lambda y, t, m, f: [
    mp.log1p(m / f) / (1 + t / (1 - t) * mp.exp(f * mp.log1p(m / f)))] if y == 0 else [y / f, mp.log1p(m / f)]
POINTS = {
    "normal": ["0 0 1", "0.5 0.25 1e-8", "1e100 0 1e95", "1e9 1000000001 1", "3 0 1e100", "1e-100 0 1e-100", "-1e8 3 2", "0 0 1e-100"],
    "student_t": ["0 3 0 1", "1e200 3 0 1", "1e300 0.5 0 1e5", "2 1e8 1 2", "2 1e15 1 2", "2 1e300 1 2", "1 1e-8 0 1", "5 5 5 1e-80", "-1e160 1 0 1e3"],
    "cauchy": ["0 0 1", "1e200 0 1", "-1e300 0 1e5", "1e155 1 1", "3 1 1e-80", "1 1 1e-9", "1e8 0 1e-9"],
    "exponential": ["1e-300 2", "5e-324 1e-5", "1e8 1e-8", "700 1", "1e300 1e-300"],
    "gamma": ["1e-300 1 2", "1e-300 0.5 2", "3 1e-8 1", "5e-324 1 3", "1e8 1e8 1", "1 1e8 1e8", "1e-5 2 1e5"],
    "inv_gamma": ["1e-8 1 2", "1e300 1 2", "3 1e-8 1", "1e8 2 1e8", "1e-3 2 1e-3"],
    "inv_chi_square": ["1e-8 1", "1e300 2", "1 1e8", "1 1e-8"],
    "scaled_inv_chi_square": ["1e-8 1 1e-4", "1e300 2 1e100", "1 1e8 1", "1 1e-8 1"],
    "beta": ["1e-300 1 1", "0.9999999999999999 1 1", "1e-300 0.5 2", "0.9999999999999999 3 0.5", "0.5 1e8 1e8", "1e-9 1 1e9", "0.25 1e-8 1e-8"],
    "lognormal": ["1e-300 0 1", "1e300 0 1", "5e-324 -700 3", "1 0 1e-8", "1e-300 -600 30"],
    "uniform": ["0.5 0 1", "5e-324 0 1", "0.9999999999999999 0 1", "1e300 -1e300 1.1e300", "1.0000000000000002 1 1.0000000000000004"],
    "bernoulli": ["1 1", "0 0", "1 1e-300", "0 1e-300", "0 0.9999999999999999", "1 0.9999999999999999", "0 1e-17", "1 5e-324"],
    "bernoulli_logit": ["1 40", "0 40", "1 -40", "0 -40", "1 700", "0 700", "1 -800", "0 800", "0 -800", "1 1e300", "0 -1e300"],
    "poisson": ["0 0", "0 1e-300", "3 1e-300", "1 5e-324", "0 700", "1000000 1000000", "5 1e8"],
    "poisson_log": ["0 -800", "3 -800", "0 -1e300", "0 700", "1000000 13.815510557964274", "2 -40"],
    "logistic": ["0 0 1", "800 0 1", "-800 0 1", "1e300 0 1", "-1e300 0 1e5", "0.5 0.25 1e-8", "3 0 1e100", "1e9 1000000001 1"],
    "gumbel": ["0 0 1", "700 0 1", "-700 0 1", "1e300 0 1", "0.5 0.25 1e-2", "3 0 1e100", "-5 2 3"],
    "chi_square": ["1e-300 1", "1e8 1e8", "1 1e8", "1e-5 2", "1 1e-8", "1e300 2"],
    "weibull": ["1e-50 1 2", "1 1 1", "5e-324 1e-3 1", "2 50 1.9", "1e-8 1e8 1e-8", "3 0.5 1e100", "1e10 20 1e10", "1e-300 0.5 1e300"],
    "frechet": ["1e300 1 2", "1 1 1", "5e-324 1e-3 1", "2 50 1.9", "1e-8 1e8 1e-8", "1e100 0.5 3", "1e10 20 1e10", "1e300 0.5 1e-300"],
    "rayleigh": ["1e-300 1", "1e100 1e95", "5e-324 1e-5", "3 1e100", "40 1"],
    "beta_proportion": ["1e-300 0.5 2", "0.9999999999999999 0.5 2", "0.5 0.3 1e8", "1e-9 1e-9 1e9", "0.25 0.5 1e-8", "0.3 0.999 3"],
    "binomial": ["0 5 0", "5 5 1", "0 5 1e-300", "3 10 0.25", "0 7 0.9999999999999999", "7 7 1e-17", "1000000 2000000 0.5", "1 3 5e-324", "0 0 0.3"],
    "binomial_logit": ["0 5 40", "5 5 40", "5 5 -800", "0 5 -800", "1000000 2000000 0.1", "1 3 1e300", "0 0 2"],
    "beta_binomial": ["0 5 1 1", "5 5 0.5 2", "3 10 1e-8 1e-8", "3 10 1e8 1e8", "3 10 1e14 2e14", "500000 1000000 2 3", "0 0 1 2", "1 3 1e-300 1"],
    "neg_binomial": ["0 1 1", "3 2 1e-300", "1000000 10 1e-5", "5 1e8 1e8", "2 1e-8 1", "0 1e-8 1e300", "1 2 1e15", "1000 2.5e13 2.5e10"],
    "neg_binomial_2": ["0 1e-50 2", "3 1e-300 2", "0 5e-324 1", "1000000 1e6 10", "5 3 1e8", "5 3 1e15", "1100 1000 2.58e13", "2 3 1e-8", "0 1e300 0.5", "7 1e100 3", "1000000 3 1e8", "4 3 2"],
    "neg_binomial_2_log": ["0 -800 2", "3 -800 2", "0 700 1", "1000000 13.815510557964274 10", "5 1 1e8", "1100 7 2.58e13", "1100 7 1e16", "5 1 1e100", "2 1 1e-8", "4 1 2"],
    "std_normal": ["0", "1e-100", "-40", "1e100"],
    "double_exponential": ["0 1 1", "0.5 0.25 1e-8", "1e300 0 1", "-1e300 0 1e5", "1e9 1000000001 1", "3 0 1e100"],
    "skew_double_exponential": ["0 1 1 0.5", "0.5 0.25 1e-8 0.999", "1e300 0 1 1e-300", "-1e300 0 1e5 0.3", "1e9 1000000001 1 0.9999999999999999", "3 0 1e100 1e-9"],
    "skew_normal": ["0 0 1 2", "0.5 0.25 1e-8 -1e-8", "8 0 1 -1", "-5 1 2 3", "1e100 0 1e95 1e-95", "1e9 1000000001 1 1", "3 1 1e-3 1e3", "40 0 1 2"],
    "exp_mod_normal": ["0 0 1 1", "1e3 0 1 1", "-3 1 2 0.5", "-4 0 1 3", "0.5 0.25 1e-2 3", "1e8 0 1 1e-8", "2 1 3 1e-10", "0.3 0 1 1e4", "-0.7 0.1 2 1e8", "3 0 1 1e12", "-20 0 1 1", "30 0 1 40"],
    "von_mises": ["0 0 1", "3 -3 1e-8", "0.25 0.5 1e8", "-3.1 3.1 50", "1 1 30", "100.25 -2 700"],
    "wiener": ["0.7 1 0.2 0.5 0.3", "0.2001 1 0.2 0.5 -3", "30 1.5 0 0.25 0.125", "0.5 3 0.25 0.875 10", "0.4 1 0.25 0.5 0", "2 1e-2 1 0.75 -2"],
    "half_normal": ["1e-300 1", "40 1", "1e100 1e95", "3 1e100", "5e-324 1e-5"],
    "half_cauchy": ["1e-300 1", "1e200 1", "1e155 3", "3 1e-80", "5e-324 1e-5"],
    "half_student_t": ["1e-300 3 1", "1e200 3 1", "1e300 0.5 1e5", "2 1e8 2", "2 1e300 2", "1 1e-8 1", "5 5 1e-80"],
    "pareto": ["2 1 3", "1.0000000000000002 1 2", "1e300 1e-300 0.01", "1e-323 5e-324 1", "1e100 1e99 1e8", "3 2 1e-8"],
    "pareto_type_2": ["2 1 3 2", "1.0000000000000002 1 1e-8 2", "1e300 0 1e-5 0.01", "1e300 -1e300 1e5 1", "3 2 1e100 1e8", "3 2 5 1e-8"],
    "loglogistic": ["1e300 1 2", "1 1 1", "5e-324 1e-3 1", "2 1.9 50", "1e-8 1e-8 1e8", "1e100 3 0.5", "1e10 1e10 20", "1e300 1e-300 0.5"],
    "inv_gaussian": ["2 1 3", "1e-8 1 2", "1e8 3 0.5", "1e-150 1e-150 1e-140", "1.0001 1 1e8", "5 1e8 1e-8", "700 1 1"],
    "logit_normal": ["1e-300 0 1", "0.9999999999999999 2 1", "0.25 -3 1e-3", "0.5 0 1e100", "5e-324 -700 3"],
    "kumaraswamy": ["1e-300 1 1", "0.9999999999999999 2 0.5", "0.9999999999999999 1 3", "0.5 1e3 2", "1e-9 1e-8 1e9", "0.25 3 1e-8", "0.3 0.01 400"],
    "geometric": ["0 1", "0 1e-300", "3 1e-300", "5 0.25", "1000000 1e-6", "1 0.9999999999999999", "1000000 0.5"],
    "beta_neg_binomial": ["0 1 1 1", "3 2 0.5 4", "7 1e8 2 3", "1000000 10 2 3", "2 1e-8 1 1", "5 3 1e8 1e8", "4 2 1e-8 1e-8"],
    "zero_inflated_poisson": ["0 0.3 2", "0 1e-300 5", "0 1e-300 700", "0 0.9999999999999999 700", "3 0.3 2", "3 1e-17 1e-300", "1000000 0.5 1e6", "1 0.9999999999999999 1"],
    "zero_inflated_neg_binomial_2": ["0 0.3 2 3", "0 1e-300 5 1e8", "0 1e-9 1e3 0.5", "3 0.3 2 1.5", "3 1e-17 1e-300 2", "1000000 0.5 1e6 10", "5 0.5 3 1e8", "1100 0.5 1000 2.58e13"],
    "hurdle_poisson": ["0 0.3 2", "0 1e-300 5", "3 0.3 2", "1 0.3 1e-300", "2 1e-17 1e-8", "1000000 0.5 1e6", "7 0.9999999999999999 700"],
}


def derivative(f, xs, i):
    """The derivative of a list of terms by argument i."""
    x = xs[i]
    unit = next((v for v in (x, xs[0], xs[-1]) if v != 0), mp.mpf(1))

    def g(n):
        return lambda t: f(*[v if k != i else x + t * unit for k, v in enumerate(xs)])[n]

    return [mp.diff(g(n), 0, h=mp.mpf(10) ** -25) / unit for n in range(len(f(*xs)))]


def show(terms):
    total, size = mp.fsum(terms), mp.fsum([abs(t) for t in terms])
    return f"{mp.nstr(total, 25)} {mp.nstr(size, 5)}"


def densities():
    for name, (f, whole) in DENSITIES.items():
        for line in POINTS[name]:
            xs = [mp.mpf(float(w)) for w in line.split()]
            out = [show(f(*xs))]
            for i in range(int(whole), len(xs)):
                if name == "uniform" and i == 0:
                    out.append("0 0")
                    continue
                d = derivative(f, xs, i)
                for v in DIGAMMAS.get((name, i), lambda *xs: [])(*xs):
                    d += [v, -v]
                out.append(show(d))
            print(name, line, ":", " ".join(out))


def transforms():
    """The values and log Jacobians of parameters at unconstrained u, and the derivative
    of the latter."""
    ends = ["lower 0", "lower -3", "upper 2", "interval 0 1", "interval -1 0.1", "interval -1e300 1e300", "interval 1e9 1000000001", "interval -0.3 0.1", "interval 1e-300 3e-300"]
    for e in ends:
        kind, *bounds = e.split()
        b = [mp.mpf(float(w)) for w in bounds]
        for u in ["0", "1e-9", "-1", "2.5", "36", "-36", "40", "-40", "700", "-700", "-745", "-1e308", "1e308"]:
            if kind != "interval" and u == "1e308":
                continue
            x = mp.mpf(float(u))
            if kind == "lower":
                value, jacobian, slope = [b[0], mp.exp(x)], [x], [mp.mpf(1)]
            elif kind == "upper":
                value, jacobian, slope = [b[0], -mp.exp(x)], [x], [mp.mpf(1)]
            else:
                small = mp.exp(-abs(x))
                low, high = small / (1 + small), 1 / (1 + small)
                s, t = (high, low) if x > 0 else (low, high)
                value = [b[0] * t, b[1] * s] if b[0] < 0 < b[1] else [b[0], (b[1] - b[0]) * s]
                jacobian = [mp.log(b[1] - b[0]), -abs(x), -2 * mp.log1p(small)]
                slope = [t, -s]
            print(kind, *bounds, u, ":", show(value), show(jacobian), show(slope))


def cross(terms, units=lambda xs: xs, known=None):
    """The expected information of arguments, those that are known, from the terms of the expected log density
    E[log p(y | t)], as a function of t, where y has the arguments themselves: minus its second derivatives, in
    steps of units."""

    def information(xs):
        n = len(xs)
        out = {}
        for i in known or range(n):
            for j in [j for j in known or range(n) if j <= i]:
                unit = [u if u != 0 else mp.mpf(1) for u in units(xs)]

                def g(k):
                    def f(*h):
                        t = list(xs)
                        t[i] = t[i] + h[0] * unit[i]
                        if i != j:
                            t[j] = t[j] + h[1] * unit[j]
                        return terms(xs, t)[k]

                    return f

                count = len(terms(xs, xs))
                h = mp.mpf(10) ** -30
                if i == j:
                    d = [mp.diff(g(k), 0, 2, h=h) for k in range(count)]
                else:
                    d = [mp.diff(g(k), (0, 0), (1, 1), h=h) for k in range(count)]
                # What differences leave of a term that does not depend on both arguments is no digit.
                least = mp.mpf(10) ** -145 * (1 + max(abs(t) for t in terms(xs, xs)))
                out[i, j] = [-v / (unit[i] * unit[j]) if abs(v) > least else mp.mpf(0) for v in d]
        return out

    return information


def student_information(xs):
    """By quadrature of the products of scores, with the location 0 and the scale 1."""
    nu, m, s = xs
    old, mp.mp.dps = mp.mp.dps, 60 + 4 * max(0, int(mp.log10(nu)))
    norm = mp.gammaprod([(nu + 1) / 2], [nu / 2]) if nu < 1e4 else mp.exp(mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2))
    norm /= mp.sqrt(nu * mp.pi)
    of_nu = (mp.digamma((nu + 1) / 2) - mp.digamma(nu / 2) - 1 / nu) / 2
    scores = [
        lambda z: of_nu - mp.log1p(z * z / nu) / 2 + (nu + 1) / 2 * z * z / (nu * (nu + z * z)),
        lambda z: (nu + 1) * z / (nu + z * z),
        lambda z: (nu + 1) * z * z / (nu + z * z) - 1,
    ]

    def expect(f):
        # z = sinh t: the tails fall exponentially. The integrand is even.
        g = lambda t: f(mp.sinh(t)) * mp.exp(-(nu + 1) / 2 * mp.log1p(mp.sinh(t) ** 2 / nu)) * mp.cosh(t)
        far = 150 * (1 + 1 / nu)
        if nu > 10:
            far = mp.asinh(min(mp.sqrt(nu) * mp.mpf(10) ** (80 / nu), 40))
        return 2 * norm * mp.quad(g, mp.linspace(0, far, 25))

    out = {}
    for i in range(3):
        for j in range(i + 1):
            v = mp.mpf(0) if i == 1 and j == 0 or i == 2 and j == 1 else expect(lambda z: scores[i](z) * scores[j](z))
            out[i, j] = [v / s ** ((i > 0) + (j > 0))]
    mp.mp.dps = old
    return out


known = {}


def remembered(f, x):
    """f(x), which takes long, once."""
    key = f, x, mp.mp.prec
    if key not in known:
        known[key] = f(x)
    return known[key]


def gamma_terms(xs, t):
    (a, b), (c, d) = xs, t
    return [c * mp.log(d), -remembered(mp.loggamma, c), (c - 1) * (remembered(mp.digamma, a) - mp.log(b)), -d * a / b]


def inv_gamma_terms(xs, t):
    (a, b), (c, d) = xs, t
    return [c * mp.log(d), -remembered(mp.loggamma, c), -(c + 1) * (mp.log(b) - remembered(mp.digamma, a)), -d * a / b]


def scaled_terms(xs, t):
    (n, s), (k, r) = xs, t
    log_y = mp.log(n * s * s / 2) - remembered(mp.digamma, n / 2)
    return [k / 2 * mp.log(k / 2), -remembered(mp.loggamma, k / 2), k * mp.log(r), -(k / 2 + 1) * log_y, -k * r * r / (2 * s * s)]


def beta_terms(xs, t):
    (a, b), (c, d) = xs, t
    both = remembered(mp.digamma, a + b)
    return [(c - 1) * (remembered(mp.digamma, a) - both), (d - 1) * (remembered(mp.digamma, b) - both), -remembered(mp.loggamma, c), -remembered(mp.loggamma, d), remembered(mp.loggamma, c + d)]


def normal_terms(xs, t):
    return [-(xs[1] ** 2 + (xs[0] - t[0]) ** 2) / (2 * t[1] ** 2), -mp.log(t[1])]


def gumbel_terms(xs, t):
    """y = m - b log E with an exponential E."""
    (m, b), (k, c) = xs, t
    return [-(m + mp.euler * b - k) / c, -mp.log(c), -mp.gamma(1 + b / c) * mp.exp((k - m) / c)]


def weibull_terms(xs, t, sign=1):
    """(y/s)^a is exponential; with the sign -1, of frechet, (y/s)^-a."""
    (a, s), (c, r) = xs, t
    return [mp.log(c), -mp.log(r), (sign * c - 1) * (mp.log(s) - sign * mp.euler / a - mp.log(r)), -((s / r) ** (sign * c)) * mp.gamma(1 + c / a)]


def proportion_terms(xs, t):
    (m, k), (n, l) = xs, t
    both = remembered(mp.digamma, k)
    return [(n * l - 1) * (remembered(mp.digamma, m * k) - both), ((1 - n) * l - 1) * (remembered(mp.digamma, (1 - m) * k) - both),
            -remembered(mp.loggamma, n * l), -remembered(mp.loggamma, (1 - n) * l), remembered(mp.loggamma, l)]


def logistic_information(xs):
    """By quadrature of the products of scores, with the location 0 and the scale 1."""
    m, s = xs
    old, mp.mp.dps = mp.mp.dps, 60

    def expect(f):
        return mp.quad(lambda z: 2 * f(z) * mp.exp(-z) / (1 + mp.exp(-z)) ** 2, mp.linspace(0, 200, 25))

    out = {(0, 0): [expect(lambda z: mp.tanh(z / 2) ** 2) / s**2], (1, 0): [mp.mpf(0)], (1, 1): [expect(lambda z: (z * mp.tanh(z / 2) - 1) ** 2) / s**2]}
    mp.mp.dps = old
    return out


def logistic(e):
    return 1 / (1 + mp.exp(-e))


def over_exponential(*parts):
    """Expectations of products of scores: in each part, of some probability, they are functions of an exponential variate."""
    old, mp.mp.dps = mp.mp.dps, 60
    n = len(parts[0][1])

    def expect(i, j):
        return [p * mp.quad(lambda v: s[i](v) * s[j](v) * mp.exp(-v), mp.linspace(0, 200, 21)) for p, s in parts]

    out = {(i, j): expect(i, j) for i in range(n) for j in range(i + 1)}
    for i in range(n):
        for j in range(i):
            least = mp.mpf(10) ** -40 * mp.sqrt(mp.fsum(out[i, i]) * mp.fsum(out[j, j]))
            out[i, j] = [v if abs(v) > least else mp.mpf(0) for v in out[i, j]]
    mp.mp.dps = old
    return out


def scaled(out, powers):
    """Informations of unit scales, in others."""
    return {(i, j): [x / powers[i] / powers[j] for x in v] for (i, j), v in out.items()}


def laplace_information(xs):
    m, s = xs
    half = mp.mpf(1) / 2
    return scaled(over_exponential((half, [lambda v: -1, lambda v: v - 1]), (half, [lambda v: 1, lambda v: v - 1])), [s, s])


def skew_laplace_information(xs):
    m, s, t = xs
    out = over_exponential(
        (t, [lambda v: -2 * (1 - t), lambda v: v - 1, lambda v: 1 / t - (1 - v) / (1 - t)]),
        (1 - t, [lambda v: 2 * t, lambda v: v - 1, lambda v: (1 - v) / t - 1 / (1 - t)]))
    return scaled(out, [s, s, 1])


def lomax_information(xs):
    """log(1 + (y - m)/l) is exponential of rate a."""
    m, l, a = xs
    out = over_exponential((mp.mpf(1), [lambda v: -1 - (a + 1) * mp.expm1(-v / a), lambda v: (1 - v) / a]))
    return {(i + 1, j + 1): v for (i, j), v in scaled(out, [l, 1]).items()}


def loglogistic_information(xs):
    a, b = xs
    out = logistic_information([mp.log(a), 1 / b])
    return {(0, 0): [v / a**2 for v in out[0, 0]], (1, 0): [mp.mpf(0)], (1, 1): [v / b**4 for v in out[1, 1]]}


def zeros_terms(xs, t, first):
    """Of a zero, of any other count, with theta the probability of a zero more."""
    p, q = (x[0] + (1 - x[0]) * mp.exp(first(x)) for x in (xs, t))
    return 1 - p, [p * mp.log(q), (1 - p) * mp.log(1 - t[0])]


def zip_terms(xs, t):
    more, terms = zeros_terms(xs, t, lambda x: -x[1])
    return terms + [(1 - xs[0]) * xs[1] * mp.log(t[1]), -more * t[1]]


def zinb_terms(xs, t):
    more, terms = zeros_terms(xs, t, lambda x: -x[2] * mp.log1p(x[1] / x[2]))
    mean = (1 - xs[0]) * xs[1]
    return terms + [mean * mp.log(t[1]), -(mean + more * xs[2]) * mp.log(t[1] + xs[2])]


def hurdle_terms(xs, t):
    x, l = xs
    return [x * mp.log(t[0]), (1 - x) * mp.log(1 - t[0]), (1 - x) * l / (1 - mp.exp(-l)) * mp.log(t[1]), -(1 - x) * t[1], -(1 - x) * mp.log(1 - mp.exp(-t[1]))]


def von_mises_information(xs):
    r = mp.besseli(1, xs[1]) / mp.besseli(0, xs[1])
    return {(0, 0): [xs[1] * r], (1, 0): [mp.mpf(0)], (1, 1): [1, -r * r, -r / xs[1]]}


INFORMATION = {
    "normal": (cross(normal_terms, lambda xs: [xs[1], xs[1]]), ["0 1", "1e100 1e-100", "-3 1e150", "5e-324 1e-150"]),
    "lognormal": (cross(normal_terms, lambda xs: [xs[1], xs[1]]), ["0 1", "-700 1e-100", "700 1e100"]),
    "student_t": (student_information, ["0.1 0 1", "1 3 1e-80", "2.5 0 1e100", "30 0 1", "31.999 0 1", "1e5 0 1", "1e8 1 2"]),
    "cauchy": (lambda xs: {k: v for k, v in zip([(0, 0), (1, 0), (1, 1)], [student_information([mp.mpf(1), *xs])[k] for k in ((1, 1), (2, 1), (2, 2))])}, ["0 1", "1e100 1e-100", "1 1e100"]),
    "exponential": (cross(lambda xs, t: [mp.log(t[0]), -t[0] / xs[0]]), ["1", "1e-150", "1e150"]),
    "gamma": (cross(gamma_terms), ["1 1", "1e-8 1e-8", "1e8 1e8", "1e15 1e-10", "1e-20 1e20"]),
    "inv_gamma": (cross(inv_gamma_terms), ["1 1", "1e-8 1e-8", "1e8 1e8", "1e15 1e-10", "1e-20 1e20"]),
    "inv_chi_square": (cross(lambda xs, t: [-t[0] / 2 * mp.log(2), -remembered(mp.loggamma, t[0] / 2), -(t[0] / 2 + 1) * (-mp.log(2) - remembered(mp.digamma, xs[0] / 2))]), ["1", "1e-8", "1e8"]),
    "scaled_inv_chi_square": (cross(scaled_terms), ["1 1", "1e-8 1e-100", "1e8 1e100", "1e15 1"]),
    "beta": (cross(beta_terms), ["1 1", "1e-8 1e-8", "1e8 1e8", "1e-8 1e8", "1e15 1"]),
    "bernoulli": (cross(lambda xs, t: [xs[0] * mp.log(t[0]), (1 - xs[0]) * mp.log(1 - t[0])]), ["0.5", "1e-130", "1e-8", "0.9999999999999999"]),
    # The variance of the observation, E[y²] − E[y]².
    "bernoulli_logit": (lambda xs: {(0, 0): [logistic(xs[0]), -logistic(xs[0]) ** 2]}, ["0", "40", "-40", "300", "-300", "1e-8"]),
    "poisson": (cross(lambda xs, t: [xs[0] * mp.log(t[0]) - t[0]]), ["1", "1e-130", "1e300"]),
    "poisson_log": (cross(lambda xs, t: [mp.exp(xs[0]) * t[0] - mp.exp(t[0])]), ["0", "-300", "700"]),
    "logistic": (logistic_information, ["0 1", "1e100 1e-100", "-3 1e100"]),
    "gumbel": (cross(gumbel_terms, lambda xs: [xs[1], xs[1]]), ["0 1", "1e5 1e-5", "-3 1e100"]),
    "chi_square": (cross(lambda xs, t: [-t[0] / 2 * mp.log(2), -remembered(mp.loggamma, t[0] / 2), (t[0] / 2 - 1) * (mp.log(2) + remembered(mp.digamma, xs[0] / 2))]), ["1", "1e-8", "1e8"]),
    "weibull": (cross(weibull_terms), ["1 1", "1e-5 1e100", "1e5 1e-100", "3 0.2"]),
    "frechet": (cross(lambda xs, t: weibull_terms(xs, t, -1)), ["1 1", "1e-5 1e100", "1e5 1e-100", "3 0.2"]),
    "rayleigh": (cross(lambda xs, t: [-2 * mp.log(t[0]), -((xs[0] / t[0]) ** 2)]), ["1", "1e-100", "1e100"]),
    "beta_proportion": (cross(proportion_terms), ["0.5 2", "1e-8 1", "0.3 1e8", "0.999 1e-8"]),
    "binomial": (cross(lambda xs, t: [xs[0] * xs[1] * mp.log(t[1]), xs[0] * (1 - xs[1]) * mp.log(1 - t[1])], known=[1]), ["10 0.5", "3 1e-130", "1000000 0.9999999999999999"]),
    "binomial_logit": (lambda xs: {(1, 1): [xs[0] * logistic(xs[1]), -xs[0] * logistic(xs[1]) ** 2]}, ["10 0", "3 -300", "1000000 40"]),
    "neg_binomial": (cross(lambda xs, t: [-xs[0] * mp.log1p(1 / t[1]), -xs[0] / xs[1] * mp.log1p(t[1])], known=[1]), ["1 1", "1e8 1e-8", "1e-8 1e8", "3 1e-100"]),
    "neg_binomial_2": (cross(lambda xs, t: [xs[0] * mp.log(t[0]), -(xs[0] + xs[1]) * mp.log(t[0] + xs[1])], known=[0]), ["1 1", "1e-100 2", "1e100 2", "3 1e15", "3 1e-15"]),
    "neg_binomial_2_log": (cross(lambda xs, t: [mp.exp(xs[0]) * t[0], -(mp.exp(xs[0]) + xs[1]) * mp.log(mp.exp(t[0]) + xs[1])], known=[0]), ["0 1", "-300 2", "300 2", "1 1e15", "1 1e-15"]),
    "double_exponential": (laplace_information, ["0 1", "1e100 1e-100", "-3 1e100"]),
    "skew_double_exponential": (skew_laplace_information, ["0 1 0.3", "1e100 1e-50 1e-9", "-3 1e100 0.9999", "2 3 0.5"]),
    "von_mises": (von_mises_information, ["0.5 1", "1e5 1e-8", "-3 1e8", "0 29.5", "1 31"]),
    "half_normal": (cross(lambda xs, t: [-mp.log(t[0]), -((xs[0] / t[0]) ** 2) / 2]), ["1", "1e-100", "1e100"]),
    "half_cauchy": (lambda xs: {(0, 0): student_information([mp.mpf(1), mp.mpf(0), xs[0]])[2, 2]}, ["1", "1e-100", "1e100"]),
    "half_student_t": (lambda xs: {k: student_information([xs[0], mp.mpf(0), xs[1]])[v] for k, v in {(0, 0): (0, 0), (1, 0): (2, 0), (1, 1): (2, 2)}.items()}, ["0.1 1", "1 1e-80", "2.5 1e100", "30 1"]),
    "pareto": (cross(lambda xs, t: [mp.log(t[1]), t[1] * mp.log(xs[0]), -(t[1] + 1) * (mp.log(xs[0]) + 1 / xs[1])], known=[1]), ["1 1", "1e-5 1e-8", "3 1e8"]),
    "pareto_type_2": (lomax_information, ["0 1 3", "1e5 1e-100 0.1", "-3 1e100 50"]),
    "loglogistic": (loglogistic_information, ["1 1", "1e-100 1e-5", "1e100 1e5"]),
    "inv_gaussian": (cross(lambda xs, t: [mp.log(t[1]) / 2, -t[1] * xs[0] / (2 * t[0] ** 2), t[1] / t[0], -t[1] * (1 / xs[0] + 1 / xs[1]) / 2]), ["1 1", "1e-20 1e30", "1e20 1e-30", "3 0.1"]),
    "logit_normal": (cross(normal_terms, lambda xs: [xs[1], xs[1]]), ["0 1", "-700 1e-100", "700 1e100"]),
    "kumaraswamy": (cross(lambda xs, t: [mp.log(t[1]), -(t[1] - 1) / xs[1]], known=[1]), ["1 1", "3 1e-8", "0.1 1e8"]),
    "geometric": (cross(lambda xs, t: [mp.log(t[0]), (1 - xs[0]) / xs[0] * mp.log(1 - t[0])]), ["0.5", "1e-60", "0.9999999999999999"]),
    "zero_inflated_poisson": (cross(zip_terms), ["0.3 2", "1e-9 1e-9", "0.999 40", "1e-30 100"]),
    "zero_inflated_neg_binomial_2": (cross(zinb_terms, known=[0, 1]), ["0.3 2 3", "1e-9 1e-5 2", "0.999 40 0.1", "0.1 3 1e8"]),
    "hurdle_poisson": (cross(hurdle_terms), ["0.3 2", "1e-9 1e-3", "0.999 40", "0.5 700"]),
}


def informations():
    mp.mp.dps = 220
    for name, (f, points) in INFORMATION.items():
        for line in points:
            xs = [mp.mpf(float(w)) for w in line.split()]
            out = f(xs)
            print("fisher", name, line, ":", " ".join(show(out[at]) for at in sorted(out)))


if __name__ == "__main__":
    densities()
    transforms()
    informations()
