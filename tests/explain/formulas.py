"""The values of each explanation, by NumPy, from the rows and the trained model. A value is checked against an array, against
(array, tolerance), or by a function that returns None or what is wrong."""
import numpy as np


def near_zero(limit=1e-9):
    return lambda v: None if abs(v) <= limit else f"{v} is not 0"


def scores(s, k=0):
    return s.X @ s.w[k] + s.b[k]


def chosen(s):
    """Scores of the explained output."""
    return scores(s, 0 if len(s.w) == 1 else s.k)


def close(a, b, tolerance=1e-8):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and (a.size == 0 or abs(a - b).max() <= tolerance * max(abs(b).max(), 1e-9))


# ---- all explanations ----

def data_section(s):
    out = {"The data/n": s.n, "The data/d": s.d, "The data/mass": s.mass,
           "columns": lambda v: shown_columns(s, v)}
    if s.regression:
        out["target_mean"] = s.mean(s.y)
        out["target_sd"] = np.sqrt(s.mean((s.y - s.mean(s.y)) ** 2))
    else:
        out["class_rows"] = np.bincount(s.side).astype(float)
        out["class_mass"] = np.array([s.c[s.side == k].sum() for k in range(s.K)])
    out["shift"], out["factor"] = s.shift, s.factor
    out["class"] = lambda v: None if hardest(s) == int(v) - 1 else f"class {v}, not {hardest(s) + 1}"
    out["rows"] = lambda v: row_numbers(s, v)
    return out


def shown_columns(s, v):
    """All, or the eight with the largest |weight x sd|."""
    if s.d <= 8 or not hasattr(s, "W"):
        return None if v == list(range(1, min(s.d, 8) + 1)) or s.d > 8 else "not all columns"
    size = (abs(s.W) * s.raw.std(axis=0)).max(0)
    return None if v == sorted(np.argsort(-size, kind="stable")[:8] + 1) else f"not the largest weights: {v}"


def hardest(s):
    if not hasattr(s, "w"):
        return s.k  # a hard margin that does not exist: the first class with a witness
    wrong = [s.c[np.where(s.side == k, 1, -1) * scores(s, k) <= 0].sum() for k in range(len(s.w))]
    return int(np.argmax(wrong))


def row_numbers(s, rows):
    if len(set(rows)) != len(rows) or any(r != int(r) or not 1 <= r <= s.n for r in rows):
        return f"not row numbers: {rows}"
    return None


def check_section(s, tolerance):
    """Weights in original units: the derived ones agree with the trained ones."""
    def difference(v):
        derived = np.array(s.values("derived_w")), np.array(s.values("derived_b"))
        apart = max(abs(derived[0] - s.W[:, s.columns]).max(), abs(derived[1] - s.B).max())
        if s.d > 8:  # that of all features
            return None if apart - 1e-12 <= v <= tolerance * max(abs(s.W).max(), abs(s.B).max()) else f"{v}, at least {apart}"
        return None if close(v, apart, 1e-6) or abs(v - apart) < 1e-12 else f"{v}, not {apart}"
    return {"derived_w": (s.W, tolerance), "derived_b": (np.array(s.B), tolerance if abs(s.B).max() > 1e-9 else 1e3),
            "trained_w": s.W, "trained_b": s.B, "difference": difference}


def spectrum(A, relative=1e-12):
    """Eigenvalues, descending, and the rank of A with a unit diagonal."""
    e = np.sort(np.linalg.eigvalsh(A))[::-1]
    scale = np.where(np.diag(A) > 0, 1 / np.sqrt(np.where(np.diag(A) > 0, np.diag(A), 1)), 1)
    unit = np.linalg.eigvalsh(A * np.outer(scale, scale))
    return np.where(e > 1e-15 * e[0], e, 0), int((unit > relative * unit[-1]).sum())


def null_check(X, count):
    def check(v):
        v = np.array(v)
        off = abs(X @ v.T).max() / abs(X).max()
        if len(v) != count or np.linalg.matrix_rank(v) != count:
            return f"{len(v)} directions, not {count}"
        return None if off < 1e-9 else f"X null is {off}"
    return check


# ---- class means ----

def class_means(s):
    mass = np.array([s.c[s.side == k].sum() for k in range(s.K)])
    mean = np.array([np.average(s.X[s.side == k], axis=0, weights=s.c[s.side == k]) for k in range(s.K)])
    return mass, mean


def pair_of(s, mean):
    if s.K == 2:
        return [1, 0]
    pairs = [(np.sum((mean[k] - mean[l]) ** 2), k, l) for k in range(s.K) for l in range(k)]
    return list(min(pairs)[1:])


def nearest_mean(s):
    mass, mean = class_means(s)
    k, l = pair_of(s, mean)
    w, middle = mean[k] - mean[l], (mean[k] + mean[l]) / 2
    beta = (mean[k] @ mean[k] - mean[l] @ mean[l]) / 2
    x = s.X[np.array(s.values("rows"), int) - 1]
    figures = np.array([((x - mean[k]) ** 2).sum(1), ((x - mean[l]) ** 2).sum(1), x @ w - beta]).T
    return {"The class means/mass": mass, "means": mean, "pair": [k + 1, l + 1], "w": w, "midpoint": middle, "beta": beta,
            "squared_norms": [mean[k] @ mean[k], mean[l] @ mean[l]], "distance": np.linalg.norm(w), "row_figures": figures,
            **check_section(s, 1e-9)}


def covariance(s, k):
    x, c = s.X[s.side == k], s.c[s.side == k]
    off = x - np.average(x, axis=0, weights=c)
    return (off * c[:, None]).T @ off, c.sum()


def fisher(s):
    mass, mean = class_means(s)
    plus, minus = 1, 0
    parts = [covariance(s, k) for k in (plus, minus)]
    each = [S / (m - 1) for S, m in parts]
    S = each[0] + each[1]
    delta = mean[plus] - mean[minus]
    e, rank = spectrum(np.where(abs(S) < 1e-14 * abs(S).max(), 0, S))
    W = np.array(s.values("W"))
    ridge = s.values("ridge")

    def direction(v):
        full = S + ridge * np.diag(np.diag(S))
        full[np.diag_indices(s.d)] += np.where(np.diag(S) <= 1e-20, 1e-8 * delta ** 2, 0)
        off = abs(full @ v - delta).max() / abs(delta).max()
        return None if off < 1e-6 else f"S_W W is not the difference of the means: {off}"
    J = lambda u: (u @ delta) ** 2 / (u @ S @ u)
    with np.errstate(divide="ignore", invalid="ignore"):
        single = np.where(np.diag(S) > 1e-20, delta ** 2 / np.diag(S), 0).max()
    x = s.X[np.array(s.values("rows"), int) - 1]
    at = [W @ mean[plus], W @ mean[minus]]
    loose = 1e-8 if rank == s.d else 1e-3
    off = s.X - mean[s.side]
    return {"The class means/mass": mass, "means": mean, "sigma_plus": each[0], "sigma_minus": each[1], "S_W": S, "S_B": np.outer(delta, delta),
            "difference_of_means": delta, "eigenvalues": (e, 1e-8), "rank": rank, "null": null_check(off, s.d - rank),
            "ridge": lambda v: None if (v > 0) == (rank < s.d) or rank < s.d else f"ridge {v} with rank {rank}", "shrinkage": 0.0,
            "W": lambda v: direction(np.array(v)), "J": (J(W), 1e-6), "J_of_others": ([J(delta), single], loose), "projected_means": at,
            "projected_variances": [W @ each[0] @ W, W @ each[1] @ W], "W0": -(at[0] + at[1]) / 2,
            "row_figures": np.array([x @ W, x @ W - (at[0] + at[1]) / 2]).T, **check_section(s, 1e-7 if rank == s.d else 1e-4)}


def lda(s):
    mass, mean = class_means(s)
    own = np.bincount(s.side).astype(float)
    prior = own / own.sum()
    weight = np.array([s.c[s.side == k][0] for k in range(s.K)])
    share = prior * weight / (prior * weight).sum()
    Sigma = sum(covariance(s, k)[0] for k in range(s.K)) / (s.mass - s.K)
    Sigma = np.where(abs(Sigma) < 1e-14 * abs(Sigma).max(), 0, Sigma)
    e, rank = spectrum(Sigma)
    scale = np.where(np.diag(Sigma) > 0, 1 / np.sqrt(np.where(np.diag(Sigma) > 0, np.diag(Sigma), 1)), 1)
    inverse = np.linalg.pinv(Sigma * np.outer(scale, scale), rcond=1e-12, hermitian=True) * np.outer(scale, scale)
    k, l = pair_of(s, mean)
    W = inverse @ (mean[k] - mean[l])
    W0 = -(mean[k] + mean[l]) @ inverse @ (mean[k] - mean[l]) / 2 + np.log(share[k] / share[l])
    x = s.X[np.array(s.values("rows"), int) - 1]
    square = np.array([np.einsum("ij,jk,ik->i", x - m, inverse, x - m) for m in mean]).T
    log_det = np.linalg.slogdet(Sigma)[1] if rank == s.d else None
    joint = np.log(prior) - square / 2
    p = np.exp(joint - joint.max(1, keepdims=True))
    out = {"The class means/mass": mass, "means": mean, "priors": prior, "Sigma": Sigma, "shrinkage": 0.0, "log_det": log_det, "eigenvalues": e, "rank": rank,
           "null": null_check(s.X - mean[s.side], s.d - rank), "pair": [k + 1, l + 1], "W": (W, 1e-7), "W0": (W0, 1e-7), "squared_distances": (square, 1e-7),
           "posteriors": (p / p.sum(1, keepdims=True), 1e-7), **check_section(s, 1e-6)}
    if rank == s.d:
        out["log_densities"] = (-(square + log_det + s.d * np.log(2 * np.pi)) / 2, 1e-7)
    return out


# ---- least squares ----

def squares(s):
    ridge = s.algorithm == "ridge"
    C = 1 / (float(s.given["lambda"]) * s.mass) if "lambda" in s.given else 1.0
    lam = 1 / (C * s.mass) if ridge else 0.0
    Y = s.y[:, None] if s.K <= 2 else np.where(s.side[:, None] == np.arange(s.K), 1.0, -1.0)
    A, r = s.mean(np.einsum("ij,ik->ijk", s.x1, s.x1)), s.mean(s.x1[:, :, None] * Y[:, None, :]).T
    e, rank = spectrum(A)
    free = s.intercept == "free"
    centre, ybar = (s.mean(s.X), s.mean(Y)) if free else (np.zeros(s.d), np.zeros(Y.shape[1]))
    x = s.X - centre if s.intercept != "penalised" else s.x1
    t = Y - ybar
    root = np.sqrt(s.c / s.mass)[:, None]
    if lam:
        G = (x * root).T @ (x * root) + lam * np.eye(x.shape[1])
        theta = np.linalg.solve(G, (x * root).T @ (t * root)).T
    else:
        theta = np.linalg.lstsq(x * root, t * root, rcond=1e-12)[0].T
    w = theta if s.intercept != "penalised" else theta[:, 1:]
    b = ybar - w @ centre if free else theta[:, 0] if s.intercept == "penalised" else None
    full = np.hstack([b[:, None], w]) if s.ones else w
    cov = (x * root).T @ (x * root)
    values = np.sort(np.linalg.eigvalsh(cov))[::-1]
    k = hardest(s) if s.K > 2 else 0

    def at(l):
        solution = np.linalg.lstsq(cov + l * np.eye(s.d), (x * root).T @ (t * root), rcond=1e-13)[0]
        g = x @ solution
        return [l, np.linalg.norm(solution[:, k]), s.mean((t - g)[:, k] ** 2) / 2]
    values = np.where(values > 1e-14 * values[0], values, 0)
    out = {"lambda": lam, "C": C if ridge else None, "A": np.where(abs(A) < 1e-14, 0, A), "b": r, "eigenvalues": (e, 1e-8), "rank": rank,
           "null": null_check(s.x1, A.shape[0] - rank), "theta": (full, 1e-7), "residual": near_zero(1e-9), **check_section(s, 1e-7)}
    if ridge and s.intercept != "penalised":
        ends = np.arange(s.d) if s.d <= 8 else np.r_[:4, s.d - 4:s.d]
        out["directions"] = (np.array([values, values / (values + lam)]).T[ends], 1e-8)
        out["lambdas"] = (np.array([at(f * lam) for f in (0.01, 0.1, 1, 10, 100)]), 1e-6)
    return out


# ---- penalised losses ----

def hinge(m, y, g):
    return np.maximum(0, 1 - m), np.where(m < 1, -y, 0.0)


LOSSES = {
    "logistic": lambda y, g: (np.logaddexp(0, -y * g), -y / (1 + np.exp(y * g))),
    "hinge": lambda y, g: (np.maximum(0, 1 - y * g), np.where(y * g < 1, -y, 0.0)),
    "squared-hinge": lambda y, g: (np.maximum(0, 1 - y * g) ** 2, -2 * y * np.maximum(0, 1 - y * g)),
    "squared": lambda y, g: ((y - g) ** 2 / 2, g - y),
    "huber": lambda y, g: (np.where(abs(y - g) <= 1.35, (y - g) ** 2 / 2, 1.35 * abs(y - g) - 1.35 ** 2 / 2), np.clip(g - y, -1.35, 1.35)),
}
CURVATURES = {"logistic": lambda y, g: 1 / (2 + np.exp(g) + np.exp(-g)), "squared": lambda y, g: np.ones_like(g), "huber": lambda y, g: (abs(y - g) < 1.35).astype(float)}
LIPSCHITZ = {"logistic": 0.25, "squared": 1.0, "squared-hinge": 2.0}


class Objective:
    """F(theta) = lambda R + mean loss, its gradient (of the smooth part) and Hessian; softmax for several outputs."""

    def __init__(self, s, loss, penalty):
        self.s, self.loss = s, loss
        self.rho = {"none": 0, "l2": 0, "l1": 1, "elastic": float(s.given.get("l1-ratio", 0.5))}[penalty]
        C = float(s.given["C"]) if "C" in s.given else 1 / (float(s.given["lambda"]) * s.mass) if "lambda" in s.given else 1.0
        self.lam = 0.0 if penalty == "none" else 1 / (C * s.mass)
        self.C = None if penalty == "none" else C
        self.K = s.K if loss == "softmax" else 1
        self.mask = np.ones(s.x1.shape[1])
        if s.ones and s.intercept == "free":
            self.mask[0] = 0

    def at(self, theta):
        s = self.s
        T = theta.reshape(self.K, -1)
        g = s.x1 @ T.T
        if self.K > 1:
            p = np.exp(g - g.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            hit = np.arange(self.K) == s.side[:, None]
            value, slope = -np.log(p[hit]), p - hit
        else:
            value, slope = LOSSES[self.loss](s.y, g[:, 0])
            slope = slope[:, None]
        w = T * self.mask
        F = s.mean(value) + self.lam * (self.rho * abs(w).sum() + (1 - self.rho) * (w ** 2).sum() / 2)
        gradient = np.einsum("i,ik,ij->kj", s.c / s.mass, slope, s.x1) + self.lam * (1 - self.rho) * w
        return F, gradient.ravel()

    def hessian(self, theta):
        s, q = self.s, self.s.x1.shape[1]
        g = s.x1 @ theta.reshape(self.K, -1).T
        H = np.zeros((self.K * q, self.K * q))
        p = np.exp(g - g.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        for k in range(self.K):
            for l in range(self.K):
                h = p[:, k] * ((k == l) - p[:, l]) if self.K > 1 else CURVATURES[self.loss](s.y, g[:, 0])
                H[k * q:k * q + q, l * q:l * q + q] = (s.x1 * (s.c / s.mass * h)[:, None]).T @ s.x1
        return H + np.diag(np.tile(self.mask, self.K)) * self.lam * (1 - self.rho)

    def trained(self):
        s = self.s
        rows = range(self.K) if self.K > 1 else [0 if len(s.w) == 1 else s.k]
        return np.concatenate([np.concatenate([[s.b[k]] if s.ones else [], s.w[k]]) for k in rows])

    def step(self, theta, gradient, eta):
        v, t = theta - eta * gradient, eta * self.lam * self.rho * self.mask
        return np.sign(v) * np.maximum(0, abs(v) - t)


def kkt_values(s, o):
    _, g = o.at(o.trained())
    q, bound = s.x1.shape[1], o.lam * o.rho
    k = hardest(s) if o.K > 1 else 0
    w, pull = o.trained().reshape(o.K, -1)[:, s.ones:], -g.reshape(o.K, -1)[:, s.ones:]
    off = np.where(w != 0, abs(pull - np.sign(w) * bound), np.maximum(0, abs(pull) - bound))
    table = np.array([w[k], pull[k], np.full(s.d, bound)]).T
    return {"kkt": (table, 1e-7), "zeros": float((w[k] == 0).sum()), "violation": lambda v: None if abs(v - off.max()) < 1e-10 else f"{v}, not {off.max()}"}


def newton(s):
    penalty = s.given.get("penalty", "l2")
    o = Objective(s, "softmax" if s.K > 2 else s.given.get("loss", "logistic"), penalty)
    k, q = (hardest(s) if o.K > 1 else 0), s.x1.shape[1]
    part = slice(k * q, k * q + q)
    zero = np.zeros(o.K * q)
    F0, g0 = o.at(zero)
    H = o.hessian(zero)
    Ft, gt = o.at(o.trained())
    points = [zero]
    for _ in range(12):
        F, g = o.at(points[-1])
        step = np.linalg.lstsq(o.hessian(points[-1]), g, rcond=1e-13)[0]
        share = 1.0
        while o.at(points[-1] - share * step)[0] > F and share > 1e-6:
            share /= 2
        points.append(points[-1] - share * step)
    table = np.array([[o.at(p)[0], np.linalg.norm(o.at(p)[1])] for p in points])

    def trail(v):
        v = np.array(v)
        large = v[:, 1] > 1e-9
        return None if close(v[:, 0], table[:len(v), 0], 1e-7) and close(v[large, 1], table[:len(v), 1][large], 1e-5) else f"{v}, not {table}"

    def centred(t):
        return (t.reshape(o.K, -1) - (t.reshape(o.K, -1).mean(0) if o.K > 1 else 0)).ravel()
    last = points[len(s.values("newton")) - 1] if s.values("newton") else zero
    apart = abs(centred(o.trained()) - centred(last)).max()
    rows = np.array(s.values("rows") or [], int) - 1
    out = {"lambda": o.lam, "C": o.C, "start_objective": F0, "gradient": (g0[part], 1e-8), "gradient_norm": np.linalg.norm(g0), "hessian": H[part, part],
           "newton_step": (points[1][part], 1e-6), "newton_objective": o.at(points[1])[0], "newton": trail, "trained_objective": Ft,
           "trained_gradient_norm": lambda v: None if abs(v - np.linalg.norm(gt)) < 1e-9 else f"{v}, not {np.linalg.norm(gt)}", "newton_end": (o.at(last)[0], 1e-8),
           "difference": lambda v: None if abs(v - apart) <= 1e-6 * max(1, abs(o.trained()).max()) else f"{v}, not {apart}", **kkt_values(s, o)}
    if o.K == 1 and not s.regression:
        g = chosen(s)[rows]
        p = 1 / (1 + np.exp(-g))
        out["row_figures"] = (np.array([g, p, p - (s.y[rows] > 0)]).T, 1e-7)
    return out


def lasso(s):
    o = Objective(s, "squared", "l1" if s.algorithm == "lasso" else "elastic")
    centre = s.mean(s.X)
    x, t = s.X - centre, s.y - s.mean(s.y)
    a = s.mean(x ** 2)
    a = np.where(a < 1e-24 * centre ** 2, 0, a)
    q0 = np.where(a > 0, s.mean(x * t[:, None]), 0)
    r = s.y - chosen(s)
    z = np.where(a > 0, s.mean(x * r[:, None]) + a * s.w[0], 0)
    P = o.at(o.trained())[0] * s.mass * o.C
    kkt = kkt_values(s, o)
    return {"lambda": o.lam, "C": o.C, "rho": o.rho, "q_at_zero": q0, "lambda_max": abs(q0).max() / o.rho, "z": (z, 1e-7), "a": a, "P": P,
            "D": lambda v: None if v <= P * (1 + 1e-12) and P - v < 1e-3 * P else f"{v} is no bound near {P}",
            "relative_gap": lambda v: None if abs(v - (P - s.values("D")) / P) < 1e-10 else "not (P - D)/P", **kkt, **check_section(s, 1e-5)}


# ---- update rules ----

def perceptron(s):
    eta = float(s.given.get("learning-rate", 1))
    theta, lines, k = np.zeros(s.x1.shape[1]), [], 0
    weights = [theta.copy()]
    for _ in range(1000):
        made = k
        for i in range(s.n):
            g = s.x1[i] @ theta
            if s.y[i] * g <= 0:
                theta = theta + eta * s.c[i] * s.y[i] * s.x1[i]
                k += 1
                weights.append(theta.copy())
                lines.append([i + 1, s.y[i], g])
        if k == made or k > 3000000:
            break

    def line(head, t):
        return head + list(t[1:] if s.ones else t) + ([t[0]] if s.ones else [])
    table = [line([None] * 3, weights[0])] + [line(lines[i], weights[i + 1]) for i in range(min(10, len(lines)))]
    R = np.sqrt((s.x1 ** 2).sum(1).max())
    gamma = s.values("gamma")
    out = {"updates": table, "R": R, "replay_difference": near_zero(1e-10), "least_margin": lambda v: None if close(v, (s.y * chosen(s)).min(), 1e-7) else "not the least y g",
           "all_updates": lambda v: None if v == (s.trained["updates"] if s.K == 2 else s.trained["problems"][s.k]["updates"]) else f"{v} updates",
           "gamma": lambda v: margin_exists(s, v), "bound": lambda v: None if close(v, (R / gamma) ** 2) and (s.K > 2 or k <= v or s.c.max() > 1) else f"{v}, {k} updates",
           "novikoff": lambda v: novikoff(s, np.array(v), weights, R, gamma)}
    return out


def margin_exists(s, gamma):
    """No direction has a larger margin: the dual of min |theta| with y theta.x >= 1, by projected gradients on its multipliers."""
    z = s.x1 * s.y[:, None]
    G = z @ z.T
    alpha = np.zeros(s.n)
    for _ in range(20000):
        step = (1 - G @ alpha) / np.trace(G) * 4
        alpha = np.maximum(0, alpha + step)
    theta = z.T @ alpha
    bound = alpha.sum() / np.linalg.norm(theta) if theta.any() else np.inf  # 1 / largest margin is at least ...
    best = np.linalg.norm(theta) / alpha.sum() if alpha.sum() else np.inf  # ... so that this is an upper bound of gamma
    return None if 0 < gamma <= best * (1 + 1e-9) and gamma > 0.2 * best else f"gamma {gamma}, at most {best} ({bound})"


def novikoff(s, v, weights, R, gamma):
    steps = np.array([0] + [np.linalg.norm(weights[i + 1] - weights[i]) for i in range(len(v) - 1)])
    square = [w @ w for w in weights[:len(v)]]
    if not close(v[:, 2], square) or (v[:, 0] < v[:, 1] - 1e-9).any() or (v[:, 2] > v[:, 3] + 1e-9).any():
        return f"{v}"
    rates = np.array([0] + [abs(weights[i + 1][0] - weights[i][0]) if s.ones else float(s.given.get("learning-rate", 1)) for i in range(len(v) - 1)])
    return None if close(v[:, 1], np.cumsum(rates) * gamma, 1e-7) and close(v[:, 3], np.cumsum(rates ** 2) * R ** 2, 1e-7) and (steps <= rates * R + 1e-9).all() else f"{v}"


def descent(s):
    loss = s.given.get("loss", "squared" if s.regression else "hinge")
    o = Objective(s, loss, s.given.get("penalty", "none"))
    zero = np.zeros(s.x1.shape[1])
    F0, g0 = o.at(zero)
    rows_used = s.n
    single = np.array([LOSSES[loss](s.y[i:i + 1], np.zeros(1))[1][0] * s.c[i] * rows_used / s.mass * s.x1[i] for i in range(s.n)])
    q = s.mean((s.x1 ** 2).sum(1))
    L = LIPSCHITZ[loss] * np.linalg.eigvalsh(s.mean(np.einsum("ij,ik->ijk", s.x1, s.x1)))[-1] + o.lam * (1 - o.rho) if loss in LIPSCHITZ else None
    all_rows, rate = s.algorithm == "gradient-descent", s.values("rate")
    if "learning-rate" in s.given:
        wanted = float(s.given["learning-rate"])
    elif all_rows:
        wanted = 1 / q if loss in LIPSCHITZ else 10 / np.sqrt(q)
    else:
        batch = float(s.given.get("batch", 1)) if "batch" in s.given or s.algorithm == "sgd" else None
        wanted = None if batch is None else min(np.sqrt(batch), max(1, 1 / LIPSCHITZ[loss]) if loss in LIPSCHITZ else np.inf) / q
    steps = s.values("steps")
    unit = 2 / L if L else rate
    rates = []
    for f in ([0.5, 1, 2, 4] if L else [0.1, 1, 10, 100]):
        theta, line = zero, [f * unit]
        for step in range(51):
            with np.errstate(over="ignore", invalid="ignore"):
                F, g = o.at(theta)
            if step in (1, 5, 20, 50):
                line.append(F if np.isfinite(F) else None)
            theta = o.step(theta, g, f * unit)
        rates.append(line)

    def check_rates(v):
        a, b = (np.array([[np.nan if x is None else x for x in r] for r in t], float) for t in (v, rates))
        calm = b < 1e6
        return None if (abs(a - b)[calm] <= 1e-6 * (1e-3 + abs(b[calm]))).all() and (np.log10(a[~calm & np.isfinite(a)]) > 5).all() else f"{a}, not {b}"

    def replay(v):
        theta = zero
        for i, (row, eta, value, norm) in enumerate(v[1:], 1):
            if all_rows:
                chosen_rows = np.arange(s.n)
            elif row is not None:
                chosen_rows = np.array([int(row) - 1])
            elif getattr(s, "steps", None):
                chosen_rows = np.array([int(r) - 1 for r in s.steps[i]["row"].split(";")])
            else:
                return None  # a batch of scaled rows, whose numbers are not known here
            y, x, c = s.y[chosen_rows], s.x1[chosen_rows], s.c[chosen_rows]
            values, slopes = LOSSES[loss](y, x @ theta)
            if abs(np.average(values, weights=c) - value) > 1e-8 * (1 + abs(value)):
                return f"step {i}: loss {value}"
            scale = c / s.mass if all_rows else c * rows_used / s.mass / len(chosen_rows)
            theta = o.step(theta, (slopes * scale) @ x + o.lam * (1 - o.rho) * theta * o.mask, eta)
            if abs(np.linalg.norm(theta) - norm) > 1e-8 * (1 + norm):
                return f"step {i}: norm {norm}, not {np.linalg.norm(theta)}"
            if i == 1 and not close(s.values("first_point"), theta[s.shown], 1e-8):
                return f"first point {s.values('first_point')}, not {theta}"
        return None
    return {"lambda": o.lam, "start": zero, "start_objective": F0, "gradient": (g0, 1e-8), "gradient_norm": np.linalg.norm(g0),
            "gradient_variance": np.mean(((single - g0) ** 2).sum(1)), "L": L, "rate": (lambda v: None) if wanted is None else wanted, "mean_squared_length": q,
            "first_point": lambda v: replay(steps[:2]), "steps": replay, "rates": check_rates, "replay_difference": near_zero(1e-9), "trained_objective": (o.at(o.trained())[0], 1e-7)}


# ---- margins ----

def svm(s):
    if not s.report["exists"]:
        return witness(s)
    hard, squared = s.algorithm == "hard-svm", s.given.get("loss") == "squared-hinge"
    C = float(s.given.get("C", 1))
    w, b = (s.w[0], s.b[0]) if len(s.w) == 1 else (s.w[s.k], s.b[s.k])
    lines = [r for r in s.certificate if "class" not in r or s.K == 2 or r["class"] == s.classes[s.k]]
    alpha = np.zeros(s.n)
    for r in lines:
        alpha[int(r["row"]) - 1] = abs(float(r["alpha"]))
    g = s.X @ w + b
    yg, xi = s.y * g, np.maximum(0, 1 - s.y * g)
    v = (alpha * s.y) @ s.X
    half, losses = w @ w / 2, 0 if hard else C * (s.c * (xi ** 2 if squared else xi)).sum()
    total = alpha.sum() - ((alpha ** 2 / (4 * C * s.c)).sum() if squared else 0)
    D = total - v @ v / 2
    tiny = 1e-9 * alpha.max()
    bound = np.inf if hard or squared else C * s.c
    kind = np.where(alpha <= tiny, 0, np.where(alpha >= bound - tiny, 2, 1))
    rows = np.array(s.values("rows"), int) - 1
    beta = C * s.c - alpha
    columns = [s.y, alpha, yg] + ([] if hard else [np.where(xi < 1e-12, 0, xi)]) + ([] if hard or squared else [np.where(abs(beta) <= tiny, 0, beta)])
    off = np.linalg.norm(w - v) / np.linalg.norm(w)
    slack = max(abs(alpha * (1 - (0 if hard else xi) - yg)).max(), 0 if hard or squared else abs(beta * xi).max())
    on = [int(r) - 1 for r in s.values("b_rows") or []]
    P = half + losses
    small = lambda wanted, size: (lambda v: None if abs(v - wanted) <= 1e-8 * size + 1e-9 else f"{v}, not {wanted}")
    return {"C": C, "losses": small(losses, P), "w": w, "b": b, "margin": 1 / np.linalg.norm(w), "half_norm": half, "P": P, "combined": (v, 1e-6), "stationarity": small(off, 1),
            "balance": small((alpha * s.y).sum(), total), "alpha_sum": (total, 1e-7), "half_norm_of_dual": (v @ v / 2, 1e-6), "D": (D, 1e-7), "kinds": np.bincount(kind, minlength=3).astype(float),
            "slackness": small(slack, 1 + total), "row_figures": (np.array(columns).T[rows], 1e-6), "b_rows": lambda r: None if all(kind[i] == 1 for i in on) else "not on the margin",
            "b_of_rows": (s.y[on] - s.X[on] @ w, 1e-7), "gap": lambda x: None if abs(x - (P - D) / P) < 1e-8 and -1e-9 < x < 1e-3 else f"{x}, not {(P - D) / P}", **check_section(s, 1e-4)}


def joint(s):
    """crammer-singer: the multipliers are those of the file of --certificate, alpha_ik of row i and class k."""
    C = float(s.given.get("C", 1))
    alpha = np.zeros((s.n, s.K))
    for r in s.certificate:
        alpha[int(r["row"]) - 1, s.classes.index(r["class"])] = float(r["multiplier"])
    g = s.X @ s.w.T + s.b
    true = s.side[:, None] == np.arange(s.K)
    xi = (g + ~true).max(1) - g[true]
    lead = g[true] - np.where(true, -np.inf, g).max(1)
    half, losses, v = (s.w ** 2).sum() / 2, C * (s.c * xi).sum(), alpha.T @ s.X
    P, D = half + losses, -alpha[~true].sum() - (v ** 2).sum() / 2
    rows = np.array(s.values("rows"), int) - 1
    near = 1e-6 + 2 * np.sqrt(2 * max(P - D, 0)) / abs(s.w).max()  # |W - sum alpha x|^2 <= 2 (P - D)

    def feasible(found):
        size = 1e-9 * C * s.c.max()
        if abs(alpha.sum(1)).max() > size or alpha[~true].max() > size or (alpha[true] > C * s.c + size).any():
            return "the multipliers are not feasible"
        if s.intercept == "free" and abs(alpha.sum(0)).max() > 1e-6 * C:
            return "the multipliers of a class do not sum to 0"
        return None if close(found, D, 1e-7) else f"{found}, not {D}"
    return {"C": C, "half_norm": half, "losses": lambda v: None if abs(v - losses) <= 1e-8 * P else f"{v}, not {losses}", "P": P, "D": feasible,
            "gap": lambda v: None if abs(v - (P - D) / P) < 1e-8 and -1e-9 < v < 1e-2 else f"{v}, not {(P - D) / P}",
            "row_figures": (np.array([lead, np.where(xi < 1e-12, 0, xi), alpha[true]]).T[rows], 1e-7), **check_section(s, near)}


def witness(s):
    if s.values("witness_rows") is None:
        return {"class": lambda v: None}
    rows, factor = np.array(s.values("witness_rows"), int) - 1, np.array(s.values("witness_factors"))
    plus = s.y[rows] > 0
    up, down = factor[plus] @ s.X[rows[plus]], factor[~plus] @ s.X[rows[~plus]]
    size = max(abs(s.X[rows]).max(), 1e-9)

    def proves(v):
        balanced = not s.ones or abs(factor[plus].sum() - factor[~plus].sum()) < 1e-9
        return None if balanced and (factor > 0).all() and abs(up - down).max() < 1e-9 * size else "no witness"
    return {"class": lambda v: None, "witness_rows": lambda v: row_numbers(s, v), "witness_factors": proves, "sum_of_plus": (up, 1e-8), "sum_of_minus": (down, 1e-8),
            "witness_difference": near_zero(1e-9 * size)}


# ---- the network ----

def mlp(s):
    relu = s.given.get("activation") == "relu"
    f, slope = ((lambda z: np.maximum(0, z)), (lambda a, z: (z > 0) * 1.0)) if relu else (np.tanh, lambda a, z: 1 - a * a)

    def forward(x, layers):
        signals, sums = [x], [None]
        for l, (W, b) in enumerate(layers, 1):
            sums.append(W @ signals[-1] + b)
            signals.append(f(sums[-1]) if l < len(layers) else sums[-1])
        return signals, sums

    def loss(i, g):
        if s.regression:
            return (s.y[i] - g[0]) ** 2 / 2, g - s.y[i]
        if len(g) == 1:
            return np.logaddexp(0, -s.y[i] * g[0]), np.array([-s.y[i] / (1 + np.exp(s.y[i] * g[0]))])
        p = np.exp(g - g.max())
        p /= p.sum()
        return -np.log(p[s.side[i]]), p - (np.arange(len(g)) == s.side[i])

    def sides(l):
        """The sums of layer l. One within rounding of relu's kink has the sign that was printed: both slopes are subgradients."""
        z = sums[l].copy()
        for u, printed in zip(np.array(s.values(f"units_{l}"), int) - 1, np.atleast_1d(s.values(f"z_{l}"))):
            if abs(z[u]) < 1e-12:
                z[u] = printed
        return z
    i, L = int(s.values("row")) - 1, len(s.layers)
    signals, sums = forward(s.raw[i], s.layers)
    losses = [loss(t, forward(s.raw[t], s.layers)[1][-1])[0] for t in range(s.n)]
    value, delta = loss(i, sums[-1])
    deltas = {L: delta}
    for l in range(L, 1, -1):
        deltas[l - 1] = s.layers[l - 1][0].T @ deltas[l] * slope(signals[l - 1], sides(l - 1))
    unit, feature = (int(v) - 1 for v in s.values("weight"))
    moved = []
    for h in (-1e-5, 1e-5):
        layers = [(W.copy(), b) for W, b in s.layers]
        layers[0][0][unit, feature] += h
        moved.append(loss(i, forward(s.raw[i], layers)[1][-1])[0])
    out = {"sizes": [s.d] + [len(b) for _, b in s.layers], "row": lambda v: None if losses[i] >= max(losses) - 1e-9 else "not the largest loss", "loss": (value, 1e-7),
           "weight": lambda v: None if close(abs(np.outer(deltas[1], signals[0])).max(), abs(deltas[1][unit] * signals[0][feature]), 1e-7) else "not the largest",
           "finite_difference": ((moved[1] - moved[0]) / 2e-5, 1e-3), "backpropagated": (deltas[1][unit] * signals[0][feature], 1e-7), "score_difference": near_zero(1e-8)}
    shown = {0: np.array(s.columns)}
    for l in range(1, L + 1):
        shown[l] = np.array(s.values(f"units_{l}"), int) - 1
        largest = np.argsort(-abs(deltas[l]), kind="stable")[:8]
        out[f"units_{l}"] = np.sort(largest) + 1.0
        out[f"W_{l}"] = s.layers[l - 1][0][np.ix_(shown[l], shown[l - 1])]
        out[f"b_{l}"] = s.layers[l - 1][1][shown[l]]
        out[f"z_{l}"], out[f"a_{l}"], out[f"delta_{l}"] = (sums[l][shown[l]], 1e-7), (signals[l][shown[l]], 1e-7), (deltas[l][shown[l]], 1e-6)
        out[f"dW_{l}"] = (np.outer(deltas[l], signals[l - 1])[np.ix_(shown[l], shown[l - 1])], 1e-6)
    return out


RULES = {"nearest-mean": nearest_mean, "fisher": fisher, "lda": lda, "least-squares": squares, "ridge": squares, "logistic": newton, "lasso": lasso, "elastic-net": lasso,
         "perceptron": perceptron, "gradient-descent": descent, "sgd": descent, "minibatch": descent, "svm": svm, "hard-svm": svm, "mlp": mlp}


def expected(s):
    rule = newton if s.algorithm == "ridge" and s.given.get("loss", "squared") != "squared" else RULES[s.algorithm]
    if s.given.get("multiclass") == "crammer-singer":
        rule = joint
    return {**data_section(s), **rule(s)}
