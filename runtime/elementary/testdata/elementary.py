"""Writes elementary.txt: values of elementary functions to about 106 bits, by mpmath.

Each line is `function x hi lo`, or `function x y hi lo`, hexadecimal floating-point numbers: the
arguments exact, hi the float64 nearest to f, lo the float64 nearest to f - hi.
"""
import math
import random
import struct

import mpmath
from mpmath import mp, mpf

mp.prec = 1300
random.seed(1)
N = 60


def bits(lo, hi):
    """A positive float64 with uniformly distributed bits."""
    a, b = (struct.unpack("<q", struct.pack("<d", v))[0] for v in (lo, hi))
    return struct.unpack("<d", struct.pack("<q", random.randint(a, b)))[0]


def either(lo, hi):
    return random.choice((-1, 1)) * bits(lo, hi)


def write(out, name, args, value):
    hi = float(value)
    if math.isinf(hi):
        return
    lo = float(value - mpf(hi))
    words = [float(a).hex() for a in args] + [hi.hex(), lo.hex()]
    out.write(" ".join([name] + words) + "\n")


def spread(*ranges):
    """Points of each range (lo, hi): uniform ones, and others uniform in their bits."""
    points = []
    for lo, hi in ranges:
        points += [random.choice((-1, 1)) * random.uniform(lo, hi) for _ in range(N)]
        points += [either(max(lo, 5e-324), hi) for _ in range(N // 2)]
    return points


# multiples of pi/2 nearest to which float64 numbers come, and numbers about them
near = []
for k in list(range(1, 40)) + [random.randrange(1, 2**60) for _ in range(60)]:
    x = float(k * mp.pi / 2)
    near += [x, math.nextafter(x, 0), -math.nextafter(x, math.inf)]
# the float64 nearest to a multiple of pi/2 of all (Muller, Handbook)
near += [6381956970095103.0 * 2.0**797, -6381956970095103.0 * 2.0**797]
angles = spread((0, 0.8), (0.8, 100), (100, 2.0**20), (2.0**20, 1e300)) + near + [2.0**20, 2.0**1023, 1.7976931348623157e308]

functions = {
    "exp": (mpmath.exp, spread((0, 1), (0, 709)) + [-745.0, -720.5, 709.7827128933839]),
    "expm1": (mpmath.expm1, spread((0, 0.36), (0.3, 3), (3, 40), (40, 709)) + [0.35, -0.35, 709.7827128933839]),
    "sinh": (mpmath.sinh, spread((0, 0.36), (0.3, 3), (3, 40), (40, 710)) + [0.35, -0.35, 710.4758600739439, 700.1]),
    "cosh": (mpmath.cosh, spread((0, 0.36), (0.3, 3), (3, 40), (40, 710)) + [710.4758600739439, 700.1]),
    "tanh": (mpmath.tanh, spread((0, 0.56), (0.5, 1), (1, 20)) + [0.55, -0.55, 19.9, 20.1]),
    "log": (mpmath.log, [abs(x) for x in spread((0, 1), (0.9, 1.1), (0.7, 1.5), (1, 1e6), (1e-300, 1e300))] + [5e-324, 1e-310]),
    "log10": (mpmath.log10, [abs(x) for x in spread((0, 1), (0.9, 1.1), (1, 1e6), (1e-300, 1e300))] + [5e-324, 1e-310]),
    "log1p": (mpmath.log1p, [x for x in spread((0, 0.5), (0.5, 1), (1, 1e6), (1, 1e300)) if x > -1] + [-1 + 2.0**-53]),
    "sin": (mpmath.sin, angles),
    "cos": (mpmath.cos, angles),
    "tan": (mpmath.tan, angles),
    "atan": (mpmath.atan, spread((0, 0.26), (0.2, 1), (1, 4.1), (4, 1e3), (1, 1e300)) + [k / 16 for k in range(1, 70)]),
    "erfc": (mpmath.erfc, spread((0, 0.6), (0.4, 1), (1, 5)) + [random.uniform(1, 27.2) for _ in range(2 * N)] + [k / 8 for k in range(4, 217)]),
    "lgamma": (mpmath.loggamma, [abs(x) for x in spread((0, 0.6), (0.5, 2.5), (0.99, 1.01), (1.99, 2.01), (2, 10), (9, 100), (1, 1e305))]),
}

with open("elementary.txt", "w") as out:
    for name, (f, points) in functions.items():
        for x in points:
            write(out, name, [x], f(mpf(x)))
    for _ in range(N):
        for x, y in (
            (random.uniform(0.2, 5), random.uniform(-5, 5)),
            (bits(1e-300, 1e300), random.uniform(-1, 1)),
            (random.uniform(0.99, 1.01), random.uniform(-3e4, 3e4)),
            (1 + either(1e-16, 1e-3), either(1, 1e5)),
            (bits(5e-324, 2e-308), random.uniform(-0.95, 0.95)),
            (random.uniform(-30, 30), random.randint(-60, 60)),
            (random.uniform(0.5, 2), random.uniform(-1100, 1020)),
        ):
            write(out, "pow", [x, y], mpf(x) ** (int(y) if y == int(y) else mpf(y)))
        for lo, hi in ((1e-3, 1e3), (1e-307, 1e307), (5e-324, 1e-307), (1e-160, 1e-140)):
            x, y = either(lo, hi), either(lo, hi)
            write(out, "hypot", [x, y], mpmath.sqrt(mpf(x) ** 2 + mpf(y) ** 2))
            y = x * random.uniform(0.1, 10)
            write(out, "hypot", [x, y], mpmath.sqrt(mpf(x) ** 2 + mpf(y) ** 2))
