"""Writes divided.txt: the SoftAbs function psi(x) = x coth(alpha x) and its
divided differences.

Each line is `alpha x y psi J`: alpha, x, y exact (hexadecimal floating-point
numbers), psi = psi(x) and J = (psi(x) - psi(y)) / (x - y), or psi'(x) where
x = y, to 20 digits.
"""
import random

from mpmath import coth, csch, mp, mpf, nstr

mp.dps = 120
random.seed(3)
uniform = random.uniform


def psi(a, x):
    return x * coth(a * x) if x else 1 / a


def slope(a, x, y):
    if x != y:
        return (psi(a, x) - psi(a, y)) / (x - y)
    return coth(a * x) - a * x * csch(a * x) ** 2 if x else mpf(0)


def size():
    return 10 ** uniform(-3, 2) if random.random() < 0.5 else uniform(0, 4)


points = []
for alpha in (1.0, 1e6, 0.03125):
    for _ in range(250):
        x = size() * random.choice([-1, 1]) / alpha
        how = random.randrange(4)
        if how == 0:
            y = size() * random.choice([-1, 1]) / alpha
        elif how == 1:
            y = x * (1 + 10 ** uniform(-16, 0) * random.choice([-1, 1]))
        elif how == 2:
            y = -x * (1 + 10 ** uniform(-16, 0) * random.choice([-1, 1]))
        else:
            y = x
        points.append((alpha, x, y))
    for x in (0.74, 0.75, 0.76, 1.5, 24.9, 25.1, 1e-8, 1e-200):
        for y in (0.0, x / 2, x * 0.50001, x, -x, 0.75, 25.0, 1e-9, 1e9):
            points.append((alpha, x / alpha, y / alpha))
            points.append((alpha, -y / alpha, x / alpha))
    points += [(alpha, 0.0, 0.0), (alpha, 1e300, 1.0 / alpha), (alpha, 1e300, -1e299)]

with open("divided.txt", "w") as out:
    for alpha, x, y in points:
        a, u, v = mpf(alpha), mpf(x), mpf(y)
        mp.dps = 700 if abs(x) > 1e100 or 0 < abs(x) < 1e-100 or 0 < abs(y) < 1e-100 else 120
        words = [float(w).hex() for w in (alpha, x, y)] + [nstr(psi(a, u), 20), nstr(slope(a, u, v), 20)]
        out.write(" ".join(words) + "\n")
