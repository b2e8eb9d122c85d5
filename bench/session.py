"""One session of measuring: the data, the table and what else is to say. bench/run and bench/solvers hold one each."""
import argparse
import csv
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

from peers import NAMES, PACKAGES, find_peers
from timing import Failed, Timing, interleaved, run

ROOT = Path(__file__).resolve().parent.parent
REAL = {"a9a": "a9a/a9a.zst", "news20bi": "20news/news20bi.binary.svm.zst", "mnist": "mnist/mnist_train.csv.zst",
        "reuters": "reuters21578/reuters_tfidf_train.svm.zst", "spambase": "spambase/spambase.data", "wdbc": "wdbc/wdbc.data",
        "kddcup": "kddcup99-10pct/kddcup.data_10_percent.zst"}
NOTES = """\
ratio: the peer's seconds over ours; above 1, halfspace is faster; >: it is at least that; missed: the peer got there and
halfspace did not. asked: what it should be at least, where that is settled. spread: (slowest - fastest) / median, the worse
of the two."""

# ours, theirs: Timing; theirs may be None. bound: '>' when the ratio is a lower bound, '<' when we did not get there and it
# has no meaning. more: further cells of the CSV.
Row = namedtuple("Row", "measure data peer ours theirs asked note bound more", defaults=("", {}))
MORE = ("epochs", "gap", "solver")  # keys of `more`


class Bench:
    def __init__(self, program, threads, folder, *, large=False, choice=None):
        self.program, self.threads, self.large, self.folder = program, threads, large, Path(folder)
        self.peers, self.rows, self.remarks, self.made, self.choice = find_peers(), [], [], {}, choice
        self.kept = {}  # what one group leaves for another

    # -- running --

    def path(self, name):
        return str(self.folder / name)

    def halfspace(self, *words, threads=None):
        return [self.program, *map(str, words), "--threads", str(threads or self.threads), "--quiet"]

    def reported(self, command, *keys):
        """Seconds of the report, added; those that it does not have count as none, but for the first."""
        seconds = json.loads(run(command + ["--json"])[1])["seconds"]
        return seconds[keys[0]] + sum(seconds.get(key) or 0 for key in keys[1:])

    # -- data: made when they are asked for, kept until the end or until they are dropped --

    def generated(self, kind, rows, name, *options):
        if name not in self.made:
            run(self.halfspace("generate", kind, "--rows", rows, *options, "-o", self.path(name)))
            self.made[name] = self.path(name)
        return self.made[name]

    def drop(self, path):
        self.made.pop(os.path.basename(path), None)
        Path(path).unlink(missing_ok=True)

    def real(self, name):
        """A real set as plain text, (path, what to call it), or None when it is not here."""
        if name not in self.made:
            found = data_folder() / REAL[name]
            self.made[name] = None
            if not found.exists() or (found.suffix == ".zst" and not shutil.which("zstd")):
                self.remarks.append(f"{name}: not here, left out")
            elif found.suffix != ".zst":
                self.made[name] = (str(found), self.label(name, found))
            else:
                path = self.path(name + Path(found.stem).suffix if "." in found.stem else name + ".svm")
                run(["zstd", "-q", "-d", "-f", str(found), "-o", path])
                self.made[name] = (path, self.label(name, path))
        return self.made[name]

    def words(self):
        path = self.generated("sparse", 200000, "words.svm")
        return path, self.label("Zipf words", path)

    def sparse_sets(self):
        """[(path, what to call it)]: generated, then the real ones that are here."""
        blobs = self.generated("blobs", 100000, "blobs.svm", "--features", 20)
        sets = [self.words(), (blobs, self.label("blobs 100k x 20", blobs))]
        return sets + [found for found in map(self.real, ("a9a", "news20bi")) if found]

    def mnist(self):
        found = self.real("mnist")
        return found and found[0]

    @staticmethod
    def label(name, path):
        size = os.path.getsize(path) / 1e6
        return f"{name}, {size:.0f} MB" if size >= 10 else f"{name}, {size:.1f} MB"

    # -- the table --

    def compare(self, measure, data, ours, peers, asked=None):
        """peers: {name: function}; one row each, or one without a ratio when there is none. asked: {name: ratio}."""
        timings, failures = interleaved({"halfspace": ours, **peers})
        self.remarks += [f"{measure}, {data}: {failure}" for failure in failures]
        if "halfspace" not in timings:
            raise Failed(failures[0])
        mine = timings.pop("halfspace")
        for peer, theirs in timings.items():
            self.show(measure, data, mine, peer=peer, theirs=theirs, asked=(asked or {}).get(peer, ""))
        if not timings:
            self.show(measure, data, mine)

    def show(self, measure, data, ours, *, peer="", theirs=None, asked="", note="", bound="", more=None):
        self.rows.append(Row(measure, data, peer, ours, theirs, asked, note, bound, more or {}))
        print(line_of(self.rows[-1]), flush=True)

    def shout(self, text):
        """What must not be overlooked: in its place in the table, and once more at the end."""
        print(f"!!! {text}", flush=True)
        self.remarks.append(f"!!! {text}")


def several(known, kind=str):
    """The type of an option: a list with commas between; of `known` when there is a list of them."""
    def parse(text):
        found = tuple(kind(word) for word in text.split(","))
        for word in found:
            if known and word not in known:
                raise argparse.ArgumentTypeError(f"no '{word}': choose from {', '.join(known)}")
        return found
    return parse


def data_folder():
    return Path(os.environ.get("HALFSPACE_DATA", ROOT.parent / "shared" / "data"))


def line_of(row):
    spread = max((t.most - t.least) / t.median for t in (row.ours, row.theirs) if t)
    ratio = "missed" if row.bound == "<" else f"{row.bound}{row.theirs.median / row.ours.median:.2f}" if row.theirs else ""
    theirs = f"{row.theirs.median:9.4f} {ratio:>8}" if row.theirs else " " * 18
    line = f"{row.measure:<29} {row.data:<26} {row.ours.median:9.4f} {theirs} {row.asked:>10} {100 * spread:5.0f} %"
    return f"{line}  {'; '.join(word for word in (row.peer, row.note) if word)}".rstrip()


def write_csv(path, rows):
    """Seconds with six digits behind the point; an empty cell where there is no peer."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        seconds = [f"{who}_{what}" for who in ("halfspace", "peer") for what in ("median", "least", "most")]
        table.writerow(["measure", "data", "peer", "ratio", *seconds, "note", "asked", "bound", *MORE])
        for row in rows:
            theirs = row.theirs or Timing("", "", "")
            ratio = f"{theirs.median / row.ours.median:.4f}" if row.theirs and row.bound != "<" else ""
            cells = [f"{s:.6f}" if s != "" else "" for s in (*row.ours, *theirs)]
            table.writerow([row.measure, row.data, row.peer, ratio, *cells, row.note, row.asked, row.bound,
                            *(row.more.get(key, "") for key in MORE)])


def machine():
    """One line on where the figures come from."""
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    cores = len(os.sched_getaffinity(0))
    return f"{model or platform.machine()}, {cores} cores, load {os.getloadavg()[0]:.2f} at the start"


def measure(bench, groups):
    """groups: {name: function}. Whether all programs ran. A group that cannot go on is told of, and the next begins."""
    good = True
    for name, group in groups.items():
        try:
            group(bench)
        except Failed as failure:
            print(f"bench: {name}: {failure}", file=sys.stderr, flush=True)
            good = False
    return good


def hold(groups, *, program, csv_path, threads, large=False, choice=None, after=None):
    """All groups, the table, the CSV; `after` gets the bench when they are done. The exit code."""
    if subprocess.run([str(ROOT / "tools" / "setup"), *PACKAGES]).returncode != 0:
        print("bench: going on with the peers that are here", file=sys.stderr)
    began = time.monotonic()
    print(f"{machine()}; bench/README.md says what is measured, by whom and how often")
    print(f"{'measure':<29} {'data':<26} {'halfspace':>9} {'peer':>9} {'ratio':>8} {'asked':>10} {'spread':>7}  peer or note",
          flush=True)
    with tempfile.TemporaryDirectory(prefix="halfspace-bench-") as folder:
        bench = Bench(program, threads, folder, large=large, choice=choice)
        bench.remarks += [f"{peer}: not here, left out" for peer in NAMES if peer not in bench.peers]
        try:
            good = measure(bench, groups)
            if after:
                after(bench)
        except KeyboardInterrupt:
            print("bench: interrupted", file=sys.stderr)
            return 130
        finally:
            write_csv(csv_path, bench.rows)
    print("\n" + "\n".join([*bench.remarks, NOTES]))
    print(f"{time.monotonic() - began:.0f} s; the table is also in {csv_path}")
    return 0 if good else 1
