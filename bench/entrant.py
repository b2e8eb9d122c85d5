"""Halfspace's own runs in bench/solvers, and whether what it says of them is true."""
import json
import subprocess
from collections import namedtuple
from pathlib import Path

from timing import Failed, run

PATIENCE = 60  # seconds after which our own run is stopped, and says that it was
AGREE = 1e-9  # relative difference of NumPy's objective and ours that is rounding

Run = namedtuple("Run", "seconds epochs gap reached objective bound solver")


def train_words(data, form, tol):
    """form: loss, C, penalty and intercept of the objective."""
    kind = ("-a", "logistic") if form["loss"] == "logistic" else ("-a", "svm", "--loss", form["loss"])
    penalty = ("--penalty", form["penalty"]) if form["penalty"] != "l2" else ()
    return ("train", data.hsd, *data.words, *kind, *penalty, "-C", form["C"], "--intercept", form["intercept"], "--tol", tol,
            "--max-seconds", PATIENCE)


class Standing:
    """A process that has the rows of one data set in memory and trains when it is asked: what the peers' worker is to them.
    One at a time."""

    def __init__(self, program, data):
        pairs = [f"{name.lstrip('-')}={value}" for name, value in zip(data.words[::2], data.words[1::2])]
        self.data, timer = data, Path(program).parent / "bench" / "time_train"
        self.process = subprocess.Popen([timer, data.hsd, *pairs, "threads=1"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def report(self, form, tol, patience=PATIENCE):
        """Of one run."""
        kind = "algorithm=logistic" if form["loss"] == "logistic" else f"algorithm=svm loss={form['loss']}"
        print(kind, *(f"{name}={form[name]}" for name in ("penalty", "intercept", "C")), f"tol={tol} max-seconds={patience}",
              file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            raise Failed(f"time_train: {line.strip() or self.process.stderr.read().strip()}")
        return json.loads(line)

    def seconds(self, form, tol):
        """Of one run: train_seconds of its report."""
        return self.report(form, tol)["train_seconds"]

    def end(self):
        self.process.communicate()


def standing(bench, data):
    """The process for this data set; that of another ends."""
    held = bench.kept.get("standing")
    if held is None or held.data is not data:
        dismiss(bench)
        bench.kept["standing"] = held = Standing(bench.program, data)
    return held


def dismiss(bench):
    held = bench.kept.pop("standing", None)
    if held:
        held.end()


def train(bench, data, form, tol, *words, threads=1):
    """One run: seconds.train, and what else the report says. Exit 1 is a report too: the tolerance was missed."""
    command = bench.halfspace(*train_words(data, form, tol), *words, "--json", threads=threads)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        last = (done.stderr.decode("utf-8", "replace").strip() or "no message").splitlines()[-1]
        raise Failed(f"halfspace ended with {done.returncode}: {last}")
    report = json.loads(done.stdout)
    gap = report["relative_gap"]
    stages = report.get("stages") or [{"method": report["solver"]}]
    methods = " > ".join(dict.fromkeys(stage["method"] for stage in stages))
    return Run(report["seconds"]["train"], report["epochs"], gap, gap is not None and gap <= tol, report["objective"],
               report["dual_bound"], methods)


def reference(bench, data, form):
    """The optimum of an objective, between a certified bound and a value that was found: (bound, value), 1e-9 apart when all
    went well. Made once for each objective."""
    key = ("reference", data.name, *sorted(form.items()))
    if key not in bench.kept:
        found = train(bench, data, form, 1e-9, threads=bench.threads)
        bench.kept[key] = (found.bound if found.bound is not None else -float("inf"), found.objective)
    return bench.kept[key]


def goals(bench, data, form, tols):
    """{tol: what a peer has to come near}: the certified bound where it is ten times nearer than that, else, in the peer's
    favour, the least value that is known."""
    bound, value = reference(bench, data, form)
    return {tol: bound if value - bound <= 0.1 * tol * value else value for tol in tols}


def check(bench, data, form, found, model, opponent, name):
    """The model is verified by the checker, and its weights by NumPy; whoever disagrees is told of loudly."""
    verify = bench.halfspace("verify", model, data.hsd, "--json")
    done = subprocess.run(verify, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    report = json.loads(done.stdout) if done.returncode in (0, 1) else {"verified": False, "first_false": "no report"}
    good = report["verified"]
    if not good:
        bench.shout(f"{name}: halfspace verify says no: {report['first_false']}")
    shown = model + ".json"
    with open(shown, "wb") as file:
        file.write(run(bench.halfspace("show", model, "--json"))[1])
    value = opponent.ask({"do": "objective_of", "model": shown, **form})["objective"]
    if not abs(value - found.objective) <= AGREE * abs(value):
        bench.shout(f"{name}: halfspace says that its objective is {found.objective!r}, NumPy {value!r}")
        good = False
    return good
