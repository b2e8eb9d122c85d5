"""One process of bench/python: the arrays of one cell, our estimator and those of the peers, on a given number of threads.

Reads requests, a JSON object on each line, and answers each with one: fitting.py is the other end. Seconds are those of `fit`
alone, on arrays that are in memory in the form that the method likes best.
"""
import json
import os
import sys
import time
import warnings

import numpy

import fitting_data
from fitting_problems import Problem, least_all_zero, objective, ours, peer

FEW = 300  # rows of the fit that compiles and loads what the first call of a package has to


class Worker:
    def __init__(self):
        self.forms = {}
        self.y = self.problem = None
        self.warm = set()

    def load(self, folder, kind, strength, threads):
        x, self.y = fitting_data.load(folder)
        if kind == "lasso":
            strength *= least_all_zero(x, self.y)
        self.forms, self.problem, self.warm = {"": x}, Problem(kind, strength), set()
        self.threads = threads
        return {}

    def pools(self):
        """The most threads of any library that is loaded: the environment should have limited them all."""
        import threadpoolctl
        return {"threads": max((pool["num_threads"] for pool in threadpoolctl.threadpool_info()), default=1)}

    def versions(self, modules):
        """{name: version} of what can be imported; the others have the reason."""
        found, missing = {}, {}
        for name, module in modules.items():
            try:
                __import__(module)
                from importlib.metadata import version
                found[name] = version(name)
            except Exception as reason:  # packages fail to load in ways of their own
                missing[name] = str(reason).splitlines()[0] if str(reason) else type(reason).__name__
        return {"found": found, "missing": missing}

    def rows(self, form):
        """Made before any run, so that no time includes it."""
        if form not in self.forms:
            x = self.forms[""]
            self.forms[form] = x.astype(numpy.float64) if form == "double" else numpy.asfortranarray(x)
        return self.forms[form]

    def some(self, x):
        """A few rows of all over, with every class in them if they have classes."""
        step = max(1, x.shape[0] // FEW)
        return x[::step], self.y[::step]

    def estimator(self, who, method=None, settings=None, tol=None):
        if who == "halfspace":
            return ours(self.problem, len(self.y), tol)
        if who == "scikit-learn-intelex":
            import daal4py
            daal4py.daalinit(self.threads)
        return peer(self.problem, len(self.y), who, method, settings)

    def warm_up(self, who, **what):
        """Import, compile and load what the first call has to, by a fit of a few rows, and make the array in its form."""
        x = self.rows((what.get("settings") or {}).get("form", ""))
        key = who, x.dtype.name
        if key not in self.warm:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.estimator(who, **what).fit(*self.some(x))
            self.warm.add(key)
        return {}

    def fit(self, who, **what):
        self.warm_up(who, **what)
        x, model = self.rows((what.get("settings") or {}).get("form", "")), self.estimator(who, **what)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began, worked = time.perf_counter(), time.process_time()
            model.fit(x, self.y)
            seconds, work = time.perf_counter() - began, time.process_time() - worked
        answer = {"seconds": seconds, "processor": work,
                  "objective": objective(self.problem, self.forms[""], self.y, model.coef_, model.intercept_)}
        if who == "halfspace":
            report = model.report_
            answer["stages"] = {name: report.get(f"{name}_seconds") for name in ("train", "certify")}
            answer["solver"] = report.get("solver")
        return answer


def main():
    worker, answers = Worker(), os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what libraries print must not end up among the answers
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as failure:  # of any package
            text = str(failure).replace("\n", " ")
            answer = {"failed": f"{type(failure).__name__}: {text}"[:300]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
