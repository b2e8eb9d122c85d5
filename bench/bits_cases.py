"""The cases of bench/bits: algorithms x losses x penalties x solvers x intercepts, and each further option once."""
import itertools
import json
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

from timing import run

INTERCEPTS = ("free", "none", "penalised")
SAMPLE = 40  # one case in 40 is run again with two threads
USAGE = 2    # exit code of a program that refuses its options
DESCENT = ("gradient-descent", "sgd", "minibatch")

# Options beside loss, penalty, solver and intercept: the option that an algorithm must take, and what is tried.
ALONE = {"class-weight": ["--class-weight balanced"], "no-certificate": ["--no-certificate"], "tol": ["--tol 1e-9"],
         "lambda": ["--lambda 1e-3", "--lambda auto"], "l1-ratio": ["--penalty elastic --l1-ratio 0.2"],
         "loo": ["--loo yes", "--loo no"], "within": ["--within pooled"],
         "threshold": ["--threshold prior", "--threshold best"], "shrinkage": ["--shrinkage auto", "--shrinkage 0.3"],
         "priors": ["--priors equal"], "kink": ["--kink closed"],
         "schedule": ["--schedule constant", "--schedule harmonic", "--schedule decay --decay 0.1",
                      "--schedule pegasos --penalty l2 --lambda 0.01", "--schedule line-search --loss logistic"],
         "learning-rate": ["--learning-rate 0.05"], "order": ["--order cyclic", "--order shuffle", "--order random"],
         "batch": ["--batch 7"], "init": ["--init one-over-d", "--init random"],
         "update-on": ["--update-on negative", "--update-on mismatch"], "keep": ["--keep last", "--keep average"],
         "max-updates": ["--max-updates 17"], "max-steps": ["--max-steps 230"]}
EVERY = ["", "--seed 7", "--holdout 0.3 --stratify", "--trace trace.csv", "--certificate dual.csv"]
# With every solver that the algorithm takes.
WITH_SOLVERS = {"scale": ["--scale standard", "--scale maxabs", "--scale minmax"], "C": ["-C 0.01", "-C 100"],
                "class-weight": ["--class-weight balanced"], "tol": ["--tol 1e-9"]}
# tol: with a loose one the dual solver takes the classes of a hinge loss side by side too.
SEVERAL = {"positive": ["--positive {label}"], "tol": ["--tol 1e-3"],
           "multiclass": ["--multiclass ovr", "--multiclass softmax", "--multiclass softmax --penalty l1",
                          "--multiclass softmax --penalty none", "--multiclass ovr --penalty l1",
                          "--multiclass softmax --intercept none", "--multiclass ovr --intercept none"]}
TABLE = {"table": ["--missing drop", "--missing median", "--missing indicator", "--missing error", "--categorical age",
                   "--text note", "--text note --text-unit char --text-value count", "--text note --hash-bits 5",
                   "--cross age:city", "--degree 2", "--rff 12", "--weight w", "--weight w --scale standard",
                   "--weight w --intercept none"],
         "titanic": ["--missing drop", "--missing median", "--missing mean", "--missing error", "--categorical Pclass",
                     "--min-count 20", "--cross Sex:Pclass", "--degree 2", "--rff 12"]}
NUMBERS = ["--degree 2", "--rff 12"]  # of other sets

# words: the options of `train` that make the case; threads: of both programs.
Case = namedtuple("Case", "data algorithm solver words threads")


def name_of(case):
    """As bits.expected knows it."""
    return " ".join([case.data.name, case.algorithm, *case.words] + (["--threads 2"] if case.threads == 2 else []))


def is_chosen(case, sample):
    """True for one case in `sample`, the same ones in every run."""
    return crc32(name_of(case).encode()) % sample == 0


class Catalogue:
    """What a program can do."""

    def __init__(self, program):
        lists = {what: json.loads(run([program, "list", what, "--json"])[1])[what]
                 for what in ("algorithms", "losses", "penalties", "solvers")}
        self.options = {entry["name"]: set(entry["options"].split()) for entry in lists["algorithms"]}
        self.losses, self.penalties, self.solvers = ([entry["name"] for entry in lists[what] if "not for --solver" not in entry["help"]]
                                                     for what in ("losses", "penalties", "solvers"))

    def grid(self, algorithm):
        """All (loss, penalty, solver), as words; whether they are accepted or not."""
        def choices(option, names, *first):
            return [*first, *(f"--{option} {name}" for name in names)] if option in self.options[algorithm] else [""]
        return list(itertools.product(choices("loss", self.losses), choices("penalty", self.penalties),
                                      choices("solver", self.solvers, "")))


def limits(options, algorithm):
    """So that no case takes long."""
    return ["--max-epochs", "12" if algorithm in DESCENT else "100"] if "max-epochs" in options else []


def label_of(data):
    return {"iris": "Iris-setosa"}.get(data.name, "1")


def solver_of(words):
    return words[words.index("--solver") + 1] if "--solver" in words else "auto"


class Plan:
    """Which cases there are for BASE. What it refuses on the first set of a kind of target is tried on that set alone."""

    def __init__(self, program, folder, sets, algorithms, jobs):
        self.program, self.folder, self.catalogue = program, folder, Catalogue(program)
        self.algorithms = [name for name in self.catalogue.options if not algorithms or name in algorithms]
        self.probes = {}
        for data in sets:
            self.probes.setdefault(data.target, data)
        asked = [(target, algorithm, cell) for target in self.probes for algorithm in self.algorithms
                 for cell in self.catalogue.grid(algorithm)]
        with ThreadPoolExecutor(jobs) as pool:
            self.accepted = {key for key, good in zip(asked, pool.map(lambda key: self.accepts(*key), asked)) if good}

    def accepts(self, target, algorithm, cell):
        data = self.probes[target]
        command = [self.program, "train", str(self.folder / data.file), "-a", algorithm, *data.words, *" ".join(cell).split()]
        command += ["--max-epochs", "1"] if "max-epochs" in self.catalogue.options[algorithm] else []
        done = subprocess.run([*command, "--threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode != USAGE

    def problems(self, data, algorithm):
        """loss x penalty x solver x intercept; what the program refuses is tried once."""
        takes = "intercept" in self.catalogue.options[algorithm]
        intercepts = [f"--intercept {word}" for word in INTERCEPTS] if takes else [""]
        for cell in self.catalogue.grid(algorithm):
            good = (data.target, algorithm, cell) in self.accepted
            if good or data is self.probes[data.target]:
                yield from (" ".join([*cell, word]) for word in intercepts[:None if good else 1])

    def solvers(self, data, algorithm):
        """Those that the algorithm takes, each with a loss and a penalty (l2 where it may be) that it takes; first: auto."""
        found = {}
        for loss, penalty, solver in sorted(self.catalogue.grid(algorithm), key=lambda cell: cell[1] != "--penalty l2"):
            if solver and (data.target, algorithm, (loss, penalty, solver)) in self.accepted:
                found.setdefault(solver, f"{loss} {penalty} {solver}")
        return ["", *found.values()]

    def variations(self, data, algorithm):
        options = self.catalogue.options[algorithm]
        yield from EVERY
        yield from (text for option, texts in ALONE.items() if option in options for text in texts)
        for option, texts in WITH_SOLVERS.items():
            if option in options:
                yield from (f"{solver} {text}" for text in texts for solver in self.solvers(data, algorithm))
        if data.target == "several":
            texts = [text for option, texts in SEVERAL.items() if option in options for text in texts]
            solvers = [""] + [f"--solver {name}" for name in self.catalogue.solvers if "multiclass" in options]
            yield from (f"{text.format(label=label_of(data))} {solver}" for text in texts for solver in solvers)
        yield from TABLE.get(data.name, NUMBERS)

    def unknown(self, later):
        """What the catalogue of the present program has and BASE does not: its cases cannot be compared."""
        kinds = (("-a", "options"), ("--loss", "losses"), ("--penalty", "penalties"), ("--solver", "solvers"))
        return [f"{word} {name}" for word, kind in kinds
                for name in getattr(later, kind) if name not in getattr(self.catalogue, kind)]

    def cases(self, data, solvers, sample):
        """In order, none twice; those alone that name one of the solvers (`auto`: none), None for all; one in `sample`."""
        texts = {}
        for algorithm in self.algorithms:
            for text in itertools.chain(self.variations(data, algorithm), self.problems(data, algorithm)):
                texts.setdefault((algorithm, tuple(text.split())))
        found = [Case(data, algorithm, solver_of(words), words, 1) for algorithm, words in texts]
        found = [case for case in found if not solvers or case.solver in solvers]
        found += [case._replace(threads=2) for case in found if is_chosen(case, SAMPLE)]
        return [case for case in found if is_chosen(case, sample)]
