"""Writes taylor.json: FitzHugh-Nagumo and Lotka-Volterra with first and second
order sensitivities, to 25 digits or more.

The solution is continued by Taylor series of order 40 in time. Coefficients
are truncated power series in the parameters (value, gradient and Hessian), so
that sensitivities come from the two equations of the model alone and nothing
is taken from sensitivity equations, nor from a Runge-Kutta method.
"""
import json
import sys

from mpmath import mp, mpf

mp.dps = 40
ORDER = 40


class Jet:
    """x + g.e + e'He/2 in the perturbation e of the parameters."""

    def __init__(self, m, x, g=None, h=None):
        self.m, self.x = m, mpf(x)
        self.g = g or [mpf(0)] * m
        self.h = h or [mpf(0)] * (m * (m + 1) // 2)

    def lift(self, o):
        return o if isinstance(o, Jet) else Jet(self.m, o)

    def __add__(self, o):
        o = self.lift(o)
        return Jet(self.m, self.x + o.x, [a + b for a, b in zip(self.g, o.g)], [a + b for a, b in zip(self.h, o.h)])

    def __mul__(self, o):
        o = self.lift(o)
        g = [a * o.x + self.x * b for a, b in zip(self.g, o.g)]
        h = [a * o.x + self.x * b for a, b in zip(self.h, o.h)]
        k = 0
        for i in range(self.m):
            for j in range(i, self.m):
                h[k] += self.g[i] * o.g[j] + self.g[j] * o.g[i]
                k += 1
        return Jet(self.m, self.x * o.x, g, h)

    def reciprocal(self):
        r = 1 / self.x
        h, k = [], 0
        for i in range(self.m):
            for j in range(i, self.m):
                h.append(2 * self.g[i] * self.g[j] * r**3 - self.h[k] * r * r)
                k += 1
        return Jet(self.m, r, [-a * r * r for a in self.g], h)


def parameters(values):
    m = len(values)
    return [Jet(m, v, [mpf(i == j) for j in range(m)]) for i, v in enumerate(values)]


def convolve(a, b, n):
    s = a[0] * b[n]
    for i in range(1, n + 1):
        s = s + a[i] * b[n - i]
    return s


def fitzhugh(p):
    """v' = c (v - v^3/3 + r), r' = -(v - a + b r)/c."""
    a, b, c = p
    d = c.reciprocal() * -1

    def series(y):
        v, r, vv = [y[0]], [y[1]], []
        for n in range(ORDER):
            vv.append(convolve(v, v, n))
            cube = convolve(v, vv, n)
            e = v[n] + b * r[n]
            if n == 0:
                e = e + a * -1
            v.append(c * (v[n] + cube * (mpf(-1) / 3) + r[n]) * (mpf(1) / (n + 1)))
            r.append(d * e * (mpf(1) / (n + 1)))
        return v, r

    return series


def lotka(p):
    """x' = a x - b x y, y' = -c y + d x y."""
    a, b, c, d = p

    def series(s):
        x, y = [s[0]], [s[1]]
        for n in range(ORDER):
            xy = convolve(x, y, n)
            x.append((a * x[n] + b * xy * -1) * (mpf(1) / (n + 1)))
            y.append((c * y[n] * -1 + d * xy) * (mpf(1) / (n + 1)))
        return x, y

    return series


def evaluate(series, h):
    out = []
    for s in series:
        y = s[-1]
        for k in reversed(s[:-1]):
            y = y * h + k
        out.append(y)
    return out


def solve(model, theta, y0, times, step):
    p = parameters([mpf(v) for v in theta])
    y, t, rows = [Jet(len(theta), v) for v in y0], mpf(0), []
    f = model(p)
    for end in times:
        end = mpf(end)  # exactly the float64 number
        n = int((end - t) / step) + 1
        h = (end - t) / n
        for _ in range(n):
            y = evaluate(f(y), h)
        t = end
        # Components of the two states in turn: value, gradient, Hessian (upper triangle by rows).
        row = []
        parts = [[j.x] + j.g + j.h for j in y]
        for k in range(len(parts[0])):
            row += [float(part[k]) for part in parts]
        rows.append(row)
    return rows


def case(model, theta, y0, times, step):
    fine = solve(model, theta, y0, times, step)
    coarse = solve(model, theta, y0, times, 1.6 * step)
    worst = max(abs(a - b) / max(1, abs(a)) for x, y in zip(fine, coarse) for a, b in zip(x, y))
    print(theta, "two step sizes differ by", worst, file=sys.stderr)
    return {"theta": theta, "y0": y0, "times": times, "values": fine}


if __name__ == "__main__":
    grid = [10 * i / 199 for i in range(200)]
    some = [grid[i] for i in (20, 50, 75, 100, 120, 150, 180)] + [10.0]
    result = {
        "fitzhugh": [
            case(fitzhugh, [0.2, 0.2, 3.0], [-1.0, 1.0], some, 0.05),
            case(fitzhugh, [0.20997180599308357, 0.11590258945729259, 3.002068521772829], [-1.0, 1.0], some, 0.05),
        ],
        "lotka": [case(lotka, [0.55, 0.028, 0.8, 0.024], [30.0, 4.0], [1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 20.0], 0.1)],
    }
    with open("taylor.json", "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
