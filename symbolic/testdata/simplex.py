"""Values of simplexes, log densities of Dirichlet distributions on them with the log-Jacobian, and derivatives
by the coordinates, from the formulas of Stan's reference manual (2.35, "Unit simplex"), computed with 900 digits.

    pip install mpmath
    python3 simplex.py > simplex.txt

A line is the number K of elements, the K - 1 coordinates, the K concentrations and, after a colon, result and size by
turns: the K values, log p(x | alpha) + log |dx/du|, and its K - 1 derivatives. Sizes are what the results would be if
their terms had one sign: rounding errors are relative to them. Coordinates and concentrations are the
doubles that their text names.
"""
import mpmath as mp

mp.mp.dps = 900


def point(u):
    """The simplex and log |J|: z_k = inv_logit(u_k + log(1/(K - k))), x_k = (1 - sum_{j<k} x_j) z_k."""
    K = len(u) + 1
    x, log_j = [], mp.mpf(0)
    for k in range(1, K):
        z = 1 / (1 + mp.exp(-(u[k - 1] + mp.log(mp.mpf(1) / (K - k)))))
        stick = 1 - mp.fsum(x)
        x.append(stick * z)
        log_j += mp.log(z) + mp.log(1 - z) + mp.log(stick)
    x.append(1 - mp.fsum(x))
    return x, log_j


def log_density(u, alpha):
    x, log_j = point(u)
    constant = mp.loggamma(mp.fsum(alpha)) - mp.fsum(mp.loggamma(a) for a in alpha)
    return constant + mp.fsum((a - 1) * mp.log(v) for a, v in zip(alpha, x)) + log_j


def derivative(f, u, k):
    """Central differences with a step of 1e-200: their error is of the order 1e-400."""
    h = mp.mpf(10) ** -200
    up, down = list(u), list(u)
    up[k] += h
    down[k] -= h
    return (f(up) - f(down)) / (2 * h)


def line(us, alphas):
    u, alpha = [mp.mpf(float(t)) for t in us], [mp.mpf(float(t)) for t in alphas]
    K = len(alpha)
    x, _ = point(u)
    out = []
    for v in x:
        # The logarithm of a value adds up K terms, each as large as its coordinate.
        size = v * (1 + mp.fsum(abs(t) + mp.log(K) for t in u))
        out += [mp.nstr(v, 25), mp.nstr(size, 5)]
    size = mp.fsum((abs(t) + mp.log(K)) * mp.fsum(alpha) for t in u) + abs(mp.loggamma(mp.fsum(alpha))) + mp.fsum(abs(mp.loggamma(a)) for a in alpha) + 1
    out += [mp.nstr(log_density(u, alpha), 25), mp.nstr(size, 5)]
    for k in range(K - 1):
        out += [mp.nstr(derivative(lambda t: log_density(t, alpha), u, k), 25), mp.nstr(mp.fsum(alpha) * (2 + abs(u[k])), 5)]
    print(K, " ".join(us), " ".join(alphas), ":", " ".join(out))


ones = ["1"] * 6
for us in (["0"], ["0.3"], ["-2.5"], ["30"], ["-36"], ["700"], ["-700"]):
    line(us, ["1", "1"])
    line(us, ["0.4", "3.5"])
for us in (["0", "0"], ["1", "-0.7"], ["-3", "4"], ["40", "-40"], ["700", "-700"], ["-700", "700"], ["700", "700"], ["-700", "-700"], ["1e-10", "350"]):
    line(us, ["2.5", "1", "0.25"])
for us in (["0.1", "0.2", "-0.3", "0.4"], ["5", "-5", "5", "-5"], ["700", "1", "-1", "2"], ["-1", "700", "-2", "0"], ["-1", "0.5", "-2", "700"], ["-20", "-30", "-25", "-15"]):
    line(us, ["3", "0.1", "1", "7.25", "1.5"])
line(["0.5", "-0.5", "1.5", "2", "-3", "0.25", "-1"], ["1", "2", "3", "4", "5", "6", "7", "8"])
