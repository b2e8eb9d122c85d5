"""Losses, rates and comparisons of the loops in `steps`, as textbooks have them."""

import math

CLOSE = 1e-12


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def soft(v, t):
    return v - t if v > t else v + t if v < -t else 0.0


def tree_sum(v):
    """The sum of the library: 16 partial sums, added in a fixed order."""
    s = [0.0] * 16
    for t, x in enumerate(v):
        s[t % 16] += x
    def pair(k):
        return [((s[k] + s[8 + k]) + (s[4 + k] + s[12 + k])) + ((s[2 + k] + s[10 + k]) + (s[6 + k] + s[14 + k]))]
    return pair(0)[0] + pair(1)[0]


def hinge(y, g, closed=False):
    m = y * g
    return max(0.0, 1 - m), -y if m < 1 or (closed and m == 1) else 0.0


def squared_hinge(y, g):
    s = max(0.0, 1 - y * g)
    return s * s, -2 * y * s


def logistic(y, g):
    m = y * g
    return math.log1p(math.exp(-m)) if m > 0 else -m + math.log1p(math.exp(m)), -y / (1 + math.exp(m))


def squared(y, g):
    return (y - g) ** 2 / 2, g - y


def perceptron_loss(y, g):
    m = y * g
    return max(0.0, -m), -y if m <= 0 else 0.0


def smoothed_hinge(y, g):
    m = y * g
    return (0.5 - m, -y) if m < 0 else (max(0.0, 1 - m) ** 2 / 2, -y * max(0.0, 1 - m))


def modified_huber(y, g):
    m = y * g
    return (-4 * m, -4 * y) if m < -1 else (max(0.0, 1 - m) ** 2, -2 * y * max(0.0, 1 - m))


def huber(y, g, delta=1.35):
    r = g - y
    return (r * r / 2, r) if abs(r) <= delta else (delta * (abs(r) - delta / 2), math.copysign(delta, r))


LOSSES = {'hinge': hinge, 'squared-hinge': squared_hinge, 'logistic': logistic, 'squared': squared,
          'perceptron': perceptron_loss, 'smoothed-hinge': smoothed_hinge, 'modified-huber': modified_huber, 'huber': huber}


def rate(schedule, x, decay, lam, k):
    return {'constant': lambda: x, 'harmonic': lambda: x / (k + 1), 'decay': lambda: x / (1 + decay * k),
            'pegasos': lambda: 1 / (lam * (k + 1))}[schedule]()


def score(w, b, x):
    return sum(map(lambda u, v: u * v, w, x)) + b


class Check:
    """Compares a line with what the loop has."""

    def __init__(self, exact):
        self.exact = exact

    def same(self, what, got, wanted, size):
        if wanted is None or got is None:
            expect(got is wanted, f'{what}: {got}, expected {wanted}')
        elif self.exact:
            expect(got == wanted, f'{what}: {got!r}, expected the bits of {wanted!r}')
        else:
            expect(abs(got - wanted) <= CLOSE * max(size, abs(wanted)), f'{what}: {got!r}, expected {wanted!r}')

    def line(self, line, k, w, b, y=None, g=None, eta=None, loss=None, margin=True):
        size = max(1.0, *map(abs, w), abs(b or 0), abs(g or 0), abs(y or 0))
        expect(line.update == k, f'update {line.update}, expected {k}')
        for what, got, wanted in (('y', line.y, y), ('score', line.score, g), ('step', line.step, eta),
                                  ('b', line.b, b)):
            self.same(f'{what} of update {k}', got, wanted, size)
        self.same(f'loss of update {k}', line.loss, loss, size * (1 + math.sqrt(2 * loss)) if loss else size)
        self.same(f'margin of update {k}', line.margin, None if y is None or not margin else y * g, size)
        for j, v in enumerate(w):
            self.same(f'w{j} of update {k}', line.w[j], v, size)
        # Long steps amplify rounding errors, so unless bits are equal the loop continues from the file's point.
        return (w, b or 0.0) if self.exact else (line.w, line.b or 0.0)


def start_of(lines, d, init, intercept):
    """The start that the option asks for."""
    w, b = lines[0].w, lines[0].b
    expect((b is None) == (intercept == 'none'), 'the column b is there without an intercept, or missing')
    if init == 'zero':
        expect(w == [0.0] * d and not b, lines[0].w)
    elif init == 'one-over-d':
        expect(w == [1 / d] * d and not b, lines[0].w)
    elif init == 'random':
        expect(all(-1 <= v <= 1 for v in w + [b or 0]) and len(set(w)) == d, lines[0].w)
    else:
        expect(w + ([] if b is None else [b]) == [float(v) for v in init.split(',')], lines[0].w)
    return list(w), b or 0.0
