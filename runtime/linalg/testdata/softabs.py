"""Writes softabs.json: the SoftAbs map of symmetric matrices with simple,
nearly equal and equal eigenvalues.

With H = Q diag(x) Q', psi(x) = x coth(alpha x): G = Q diag(psi) Q', its log
determinant, and weights M = Q (J o Q'WQ) Q' for a symmetric W, with the
divided differences J of psi. H and W are the float64 numbers in the file; the
eigenvectors are computed with 120 digits, so that J may be formed as it is
written.
"""
import json
import random

from mpmath import coth, csch, diag, eigsy, log, matrix, mp, mpf, qr

mp.dps = 120
random.seed(4)


def orthogonal(n):
    return qr(matrix(n, n) + matrix([[random.gauss(0, 1) for _ in range(n)] for _ in range(n)]))[0]


def symmetric(a):
    n = a.rows
    return matrix([[mpf(float((a[i, j] + a[j, i]) / 2)) for j in range(n)] for i in range(n)])


def psi(a, x):
    return x * coth(a * x)


def slope(a, x, y):
    if abs(x - y) < mpf(10) ** -60:  # equal, up to the error of the eigenvalues
        return coth(a * x) - a * x * csch(a * x) ** 2
    return (psi(a, x) - psi(a, y)) / (x - y)


def arrow(n, v):
    x = [random.gauss(0, 1) * mpf(2.718) ** (-v / 2) for _ in range(n - 1)]
    e = mpf(float(mpf(2.718) ** v))
    h = matrix(n, n)
    for i in range(n - 1):
        h[i, i] = -e
        h[i, n - 1] = h[n - 1, i] = -x[i] * e
    h[n - 1, n - 1] = -mpf(1) / 9 - sum(u * u for u in x) * e / 2
    return h


spectra = {
    "simple": [-3, -1, 0.5, 2],
    "nearly equal": [1, 1 + 1e-9, 1 - 1e-12, -2, -2 - 1e-7],
    "equal": [1.5, 1.5, 1.5, -0.25, -0.25],
    "opposite": [1, -1 - 1e-10, 2, -2, 0.125],
    "small": [1e-3, -2e-3, 1e-9, 0.4, -0.3],
}
cases = []
for alpha in (1.0, 1e6):
    for name, values in spectra.items():
        if alpha > 1 and name == "small":
            values = [v * 1e-5 for v in values]
        n = len(values)
        q = orthogonal(n)
        cases.append((name, alpha, q * diag(values) * q.T))
    cases.append(("funnel", alpha, arrow(11, -2)))
    cases.append(("funnel", alpha, arrow(11, 1.5)))

rows = lambda a: [[float(a[i, j]) for j in range(a.cols)] for i in range(a.rows)]
out = []
for name, alpha, h in cases:
    h, a, n = symmetric(h), mpf(alpha), h.rows
    w = symmetric(matrix([[random.gauss(0, 1) for _ in range(n)] for _ in range(n)]))
    x, q = eigsy(h)
    b = q.T * w * q
    for i in range(n):
        for j in range(n):
            b[i, j] *= slope(a, x[i], x[j])
    g = q * diag([psi(a, t) for t in x]) * q.T
    out.append({"name": name, "alpha": alpha, "H": rows(h), "W": rows(w), "G": rows(g),
                "logdetG": float(sum(log(psi(a, t)) for t in x)), "M": rows(q * b * q.T)})
with open("softabs.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in out) + "\n]\n")
