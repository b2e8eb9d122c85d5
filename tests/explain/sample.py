"""The data of one explanation as arrays, the trained model, and the options."""
import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


class Sample:
    def __init__(self, program, path, options, folder, report):
        words = options.split()
        self.options, self.report, self.algorithm = options, report, words[0]
        self.given = {w.lstrip("-"): words[i + 1] for i, w in enumerate(words) if w.startswith("-") and i + 1 < len(words)}
        self.regression = "task" in self.given or self.algorithm in ("lasso", "elastic-net")
        self.read(path)
        self.scale()
        self.train(program, path, folder)
        self.intercept = self.given.get("intercept", "free")
        self.ones = self.intercept != "none"
        self.choose()

    def read(self, path):
        rows = [r for r in csv.reader(open(path)) if r]
        if not all(is_number(x) for x in rows[0][:-1]):
            rows = rows[1:]
        self.raw = np.array([[float(x) for x in r[:-1]] for r in rows])
        labels = [r[-1] for r in rows]
        self.n, self.d = self.raw.shape
        self.c = np.ones(self.n)
        if self.regression:
            self.target = np.array([float(x) for x in labels])
            self.K = 0
            return
        self.classes = sorted(set(labels), key=float) if all(is_number(x) for x in labels) else sorted(set(labels))
        self.K = len(self.classes)
        self.side = np.array([self.classes.index(x) for x in labels])
        if self.given.get("class-weight") == "balanced":
            count = np.bincount(self.side)
            self.c = (self.n / (self.K * count))[self.side]

    def scale(self):
        self.shift, self.factor = np.zeros(self.d), np.ones(self.d)
        if self.given.get("scale") == "standard":
            sd = self.raw.std(axis=0)
            self.shift, self.factor = self.raw.mean(axis=0), np.where(sd > 0, 1 / np.where(sd > 0, sd, 1), 1)
        self.X = (self.raw - self.shift) * self.factor
        self.mass = self.c.sum()

    def train(self, program, path, folder):
        model, steps, multipliers = (str(Path(folder, x)) for x in ("m.hsm", "steps.csv", "alpha.csv"))
        for file in (model, steps, multipliers):
            if os.path.exists(file):
                os.remove(file)
        command = [program, "train", path, "-q", "--json", "-a", *self.options.split()]
        done = subprocess.run(command + ["-o", model], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.trained = json.loads(done.stdout)
        self.alpha = None
        if os.path.exists(model):
            shown = json.loads(subprocess.run([program, "show", model, "--json"], stdout=subprocess.PIPE, check=True).stdout)
            self.layers = [(np.array(l["weights"]), np.array(l["intercepts"])) for l in shown.get("layers") or []]
            if not self.layers:
                self.W, self.B = np.array(shown["weights"], float), np.array(shown["intercepts"], float)
            if self.algorithm in ("svm", "hard-svm"):
                subprocess.run(command + ["--certificate", multipliers], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.certificate = list(csv.DictReader(open(multipliers)))
        if self.algorithm == "minibatch" and "scale" not in self.given:
            subprocess.run(command[:4] + command[5:] + ["--steps", steps, "--max-epochs", "30"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.steps = list(csv.DictReader(open(steps))) if os.path.exists(steps) else None

    def values(self, name):
        """The first value of that name."""
        for section in self.report["sections"]:
            if name in section["values"]:
                return section["values"][name]
        return None

    def choose(self):
        """The output that the explanation is about, and its targets."""
        k = self.values("class")
        self.k = 0 if k is None else int(k) - 1
        self.positive = self.K - 1 if self.K == 2 else self.k
        self.y = self.target if self.regression else np.where(self.side == self.positive, 1.0, -1.0)
        if getattr(self, "steps", None):
            self.steps = [r for r in self.steps if "class" not in r or r["class"] == self.classes[self.k]]
        self.columns = [int(j) - 1 for j in self.values("columns")]
        if hasattr(self, "W"):
            self.w = self.W / self.factor
            self.b = self.B + self.W @ self.shift
            if not self.ones:
                self.b = np.zeros_like(self.b)
        self.x1 = np.hstack([np.ones((self.n, 1)), self.X]) if self.ones else self.X
        self.shown = ([0] if self.ones else []) + [j + self.ones for j in self.columns]

    def mean(self, values):
        """Weighted mean over the rows."""
        return np.tensordot(self.c, values, 1) / self.mass
