"""Paths against paths: each peer at the loosest tolerance of its ladder at which every point is within the gap."""
import csv
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy

import path_data
from session import machine

HERE = Path(__file__).resolve().parent
GAP = 1e-6
DEFAULT = {"glmnet": 1e-7, "celer": 1e-4, "skglm": 1e-4, "adelie": 1e-7}
LADDERS = {"glmnet": [10.0 ** -k for k in range(7, 13)], "celer": [10.0 ** -k for k in range(2, 9)],
           "skglm": [10.0 ** -k for k in range(2, 9)], "adelie": [10.0 ** -k for k in range(6, 13)]}
INTERCEPT = {"glmnet": "free", "celer": "none", "skglm": "none", "adelie": "free"}
ASKED = {"glmnet": 5, "celer": 2, "skglm": 2, "adelie": 2}


class Ours:
    """halfspace, in a process that holds the rows."""

    def __init__(self, program, file, intercept, threads):
        self.command = [program, "path", str(file), "--intercept", intercept, "--json", "--quiet", "--tol", "1e-9"]
        self.words = f"intercept={intercept} threads={threads}\n"
        self.process = subprocess.Popen([str(Path(program).parent / "bench" / "time_path"), str(file)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def reference(self):
        return json.loads(subprocess.run(self.command, stdout=subprocess.PIPE, check=True).stdout)

    def run(self):
        """Processor seconds, and seconds by the clock."""
        self.process.stdin.write(self.words)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer or answer.startswith("!"):
            raise ValueError(answer.strip() or "time_path ended")
        return tuple(float(word) for word in answer.split())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Peer:
    """One that answers a tolerance with its seconds."""

    def __init__(self, name, python, folder, x):
        self.name, self.folder, self.shape = name, folder, x.shape
        layout = "sparse" if hasattr(x, "tocsr") else "dense"
        command = [python, str(HERE / "path_worker.py"), name, str(folder)]
        if name == "glmnet":
            command = ["Rscript", str(HERE / "path_worker.R"), str(folder), *map(str, x.shape), layout]
        one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **one},
                                        stderr=subprocess.DEVNULL)

    def seconds(self, tol):
        self.process.stdin.write(f"{tol!r}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise path_data.Absent(self.name)
        return float(answer)

    def point(self):
        """Weights and intercepts of the last path."""
        if self.name == "glmnet":
            numbers = numpy.fromfile(self.folder / "glmnet.bin")
            count = len(numbers) // (self.shape[1] + 1)
            return numbers[count:].reshape(count, self.shape[1]), numbers[:count]
        with numpy.load(self.folder / f"{self.name}.npz") as kept:
            return kept["weights"], kept["intercepts"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def largest_gap(x, y, reference, weights, intercepts):
    """(P - D) / P with D the certified bound of the reference; infinite where points are missing."""
    side, worst = 2 * y - 1, 0.0
    if len(weights) < len(reference["lambdas"]):
        return numpy.inf
    for k, value in enumerate(reference["lambdas"]):
        loss = numpy.logaddexp(0, -side * (x @ weights[k] + intercepts[k])).mean()
        objective = numpy.abs(weights[k]).sum() + loss / value
        bound = reference["objectives"][k] * (1 - reference["relative_gaps"][k])
        worst = max(worst, (objective - bound) / objective)
    return worst


def leave_lambdas(peer, folder, reference):
    values = numpy.array(reference["lambdas"])
    numpy.save(folder / f"{peer}.lambdas.npy", values)
    (folder / f"{peer}.lambdas").write_text("\n".join(repr(v) for v in values.tolist()), encoding="ascii")


def climb(peer, x, y, reference, limit):
    """[(tolerance, gap)] of the default and of the loosest that is enough; the first run of each is discarded."""
    found = {}
    peer.seconds(DEFAULT[peer.name])
    found["default"] = DEFAULT[peer.name], largest_gap(x, y, reference, *peer.point())
    for tol in LADDERS[peer.name]:
        seconds = peer.seconds(tol)
        gap = largest_gap(x, y, reference, *peer.point())
        if gap <= GAP:
            found["equal"] = tol, gap
            break
        if seconds > limit:
            break
    return found


def contest(name, peer_name, chosen, python, folder, x, y, file, rows):
    ours = {threads: Ours(chosen.program, file, INTERCEPT[peer_name], threads) for threads in (1, 2)}
    reference = ours[1].reference()
    for one in ours.values():
        one.run()
    leave_lambdas(peer_name, folder, reference)
    peer = Peer(peer_name, python, folder, x)
    found = climb(peer, x, y, reference, chosen.limit)
    times = {key: [] for key in ("cpu", "one", "two", *found)}
    for _ in range(chosen.rounds):
        cpu, wall = ours[1].run()
        times["cpu"].append(cpu)
        times["one"].append(wall)
        times["two"].append(ours[2].run()[1])
        for key, (tol, _) in found.items():
            times[key].append(peer.seconds(tol))
    peer.end()
    for one in ours.values():
        one.end()
    for key, (tol, gap) in found.items():
        mine, theirs = statistics.median(times["cpu"]), statistics.median(times[key])
        spread = max((max(t) - min(t)) / statistics.median(t) for t in (times["cpu"], times[key]))
        row = [name, peer_name, "default" if key == "default" else "gap 1e-6", f"{tol:g}", f"{gap:.1e}", f"{mine:.3f}", f"{theirs:.3f}",
               f"{theirs / mine:.2f}", ASKED[peer_name], f"{100 * spread:.0f} %", f"{min(times['one']):.3f}", f"{min(times['two']):.3f}"]
        rows.append(row)
        print("{:<9}{:<8}{:<10}{:>7}{:>9}{:>10}{:>9}{:>8}{:>7}{:>8}{:>9}{:>9}".format(*map(str, row)), flush=True)
    if "equal" not in found:
        print(f"{name}, {peer_name}: no tolerance of its ladder brings every point within {GAP:g}", flush=True)


def measure(chosen, python):
    rows, good = [["data", "peer", "at", "tol", "gap", "halfspace", "peer s", "ratio", "asked", "spread", "wall, 1", "wall, 2"]], True
    print(f"{machine()}; processor seconds, one thread; wall: the least seconds of our path by the clock, with 1 and 2 threads")
    print("{:<9}{:<8}{:<10}{:>7}{:>9}{:>10}{:>9}{:>8}{:>7}{:>8}{:>9}{:>9}".format(*rows[0]), flush=True)
    for name in chosen.data.split(","):
        with tempfile.TemporaryDirectory(prefix="halfspace-paths-") as made:
            folder = Path(made)
            try:
                x, y, file = path_data.make(name, folder, chosen.program)
            except path_data.Absent:
                print(f"{name}: not here, left out")
                continue
            for peer in chosen.peers.split(","):
                if peer == "glmnet" and not shutil.which("Rscript"):
                    print("glmnet: not here, left out (Debian: r-cran-glmnet)")
                    continue
                try:
                    contest(name, peer, chosen, python, folder, x, y, file, rows)
                except path_data.Absent:
                    print(f"{name}, {peer}: would not run, left out", flush=True)
                except (OSError, subprocess.CalledProcessError, ValueError) as failure:
                    print(f"{name}, {peer}: {failure}", flush=True)
                    good = False
    with open(chosen.csv, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
    return good
