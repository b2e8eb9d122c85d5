"""One data set and the solvers of other toolkits, in a process of its own, which can be ended when it takes too long.

Reads requests, a JSON object on each line, and answers each with one: bench/opponent.py is the other end. The seconds are
those of the solver's call alone, on rows that are in memory in the form that it likes best."""
import json
import os
import sys
import time
import warnings

import numpy
import scipy.sparse

from linear_library import Library, Rows, Unusable
from objective import objective

SPARSE = 0.3  # share of non-zeros below which scikit-learn is given sparse rows


class Worker:
    def __init__(self):
        self.x = self.y = self.sparse = self.rows = self.library = self.bias = None

    # -- data --

    def load(self, array=None, svmlight=None, positive=None):
        """array: .npy with the label in its last column; svmlight: text, kept as .npz for the next worker."""
        if array:
            table = numpy.load(array)
            self.x, y = numpy.ascontiguousarray(table[:, :-1], dtype=float), table[:, -1]
        else:
            self.x, y = self.load_sparse(svmlight, svmlight + ".npz")
        self.y = numpy.where(numpy.isin(y, positive) if positive else y > 0, 1.0, -1.0)
        nonzeros = self.x.nnz if scipy.sparse.issparse(self.x) else int(numpy.count_nonzero(self.x))
        return {"rows": self.x.shape[0], "features": self.x.shape[1], "nonzeros": nonzeros}

    @staticmethod
    def load_sparse(text, kept):
        if not os.path.exists(kept):
            from sklearn.datasets import load_svmlight_file
            x, y = load_svmlight_file(text)
            numpy.savez(kept, data=x.data, indices=x.indices, indptr=x.indptr, shape=x.shape, y=y)
        arrays = numpy.load(kept)
        return scipy.sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), arrays["shape"]), arrays["y"]

    # -- LIBLINEAR --

    def liblinear_rows(self, bias):
        """Before any run with this bias, so that no run's time has it."""
        if self.rows is None or self.bias != bias:
            self.rows = None
            self.library = self.library or Library()
            self.rows, self.bias = Rows(scipy.sparse.csr_matrix(self.x), self.y, bias), bias
        return {"version": self.library.version}

    def liblinear(self, solver, C, eps, **form):
        found = self.library.train(self.rows, solver, C, eps)
        w = found.pop("w")
        w, b = (w[:-1], w[-1]) if self.bias >= 0 else (w, 0.0)
        return {**found, "objective": objective(self.x, self.y, w, b, C=C, **form)}

    # -- scikit-learn --

    def sklearn_rows(self, method):
        """In the form that suits the method; made before the run, and kept."""
        if self.sparse is None:
            few = scipy.sparse.issparse(self.x) or numpy.count_nonzero(self.x) <= SPARSE * self.x.size
            self.sparse = scipy.sparse.csr_matrix(self.x) if few else self.x
        return self.x if method == "newton-cholesky" else self.sparse

    def sklearn(self, method, C, rung, loss, intercept):
        """rung: iterations of LogisticRegression, the tolerance of LinearSVC, which has one setting for it."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC
        if method.startswith("LinearSVC"):
            solver = LinearSVC(loss=loss.replace("-", "_"), dual=method.endswith("dual"), C=C, tol=rung, max_iter=10 ** 7,
                               random_state=1)
        else:
            solver = LogisticRegression(C=C, solver=method, tol=1e-14, max_iter=int(rung), random_state=1)
        x = self.sklearn_rows(method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began = time.perf_counter()
            solver.fit(x, self.y)
            seconds = time.perf_counter() - began
        w, b = solver.coef_[0], float(solver.intercept_[0])
        ended = not method.startswith("LinearSVC") and numpy.max(solver.n_iter_) < int(rung)
        return {"seconds": seconds, "gave_up": bool(ended),
                "objective": objective(self.x, self.y, w, b, loss=loss, C=C, intercept=intercept)}

    # -- ours, judged by the same code --

    def objective_of(self, model, C, **form):
        """model: what `halfspace show --json` wrote."""
        with open(model, encoding="utf-8") as file:
            found = json.load(file)
        w = numpy.zeros(self.x.shape[1])
        w[:len(found["weights"][0])] = found["weights"][0]
        return {"objective": objective(self.x, self.y, w, found["intercepts"][0], C=C, **form)}


def main():
    worker, answers = Worker(), os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what libraries print must not end up among the answers
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except (Unusable, ImportError, ValueError, MemoryError, OSError) as failure:
            answer = {"failed": str(failure).replace("\n", " ") or type(failure).__name__}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
