"""Peers in Python, in a process that holds the rows: path_worker.py PEER FOLDER. Each line of stdin is a tolerance; the answer is a
line with the processor seconds of the path, whose intercepts and weights are then in FOLDER/PEER.npz. One thread (environment)."""
import sys
import time
import warnings
from pathlib import Path

import numpy
import scipy.sparse

warnings.filterwarnings("ignore")


def rows_of(folder):
    y = numpy.where(numpy.fromfile(folder / "y.bin", numpy.int32) > 0, 1.0, -1.0)
    if (folder / "rows.npz").exists():
        return scipy.sparse.load_npz(folder / "rows.npz").tocsc(), y
    return numpy.asfortranarray(numpy.load(folder / "x.npy")), y


def celer(x, y, lambdas):
    from celer import celer_path
    return lambda tol: (celer_path(x, y, pb="logreg", alphas=lambdas * len(y), tol=tol, max_iter=100, max_epochs=100000)[1].T, None)


def skglm(x, y, lambdas):
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    def path(tol):
        weights = []
        estimator = GeneralizedLinearEstimator(Logistic(), L1(1.0), ProxNewton(tol=tol, fit_intercept=False, warm_start=True))
        for value in lambdas:
            estimator.penalty = L1(value)
            weights.append(estimator.fit(x, y).coef_.ravel().copy())
        return numpy.array(weights), None
    return path


def adelie(x, y, lambdas):
    import adelie as ad
    matrix = (ad.matrix.sparse if scipy.sparse.issparse(x) else ad.matrix.dense)(x, method="naive", n_threads=1)

    def path(tol):
        state = ad.grpnet(matrix, ad.glm.binomial((y + 1) / 2), lmda_path=lambdas, intercept=True, tol=tol, irls_tol=tol,
                          progress_bar=False, early_exit=False, max_iters=10 ** 7, irls_max_iters=10 ** 5, n_threads=1)
        return state.betas.toarray(), state.intercepts
    return path


def main():
    peer, folder = sys.argv[1], Path(sys.argv[2])
    x, y = rows_of(folder)
    path = {"celer": celer, "skglm": skglm, "adelie": adelie}[peer](x, y, numpy.load(folder / f"{peer}.lambdas.npy"))
    for line in sys.stdin:
        began = time.process_time()
        weights, intercepts = path(float(line))
        seconds = time.process_time() - began
        numpy.savez(folder / f"{peer}.npz", weights=weights, intercepts=numpy.zeros(len(weights)) if intercepts is None else intercepts)
        print(seconds, flush=True)


main()
