"""What the trials of a soak share: the program, a folder with data sets, and commands whose every outcome is checked."""
import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 120  # seconds until a command counts as hanging
ENDED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


class Broken(Exception):
    """What must not happen has happened."""


@dataclass
class Ended:
    code: int  # negative: killed by that signal
    out: bytes
    err: str


@dataclass
class World:
    program: str
    folder: Path
    said: list[str] = field(default_factory=list)  # the commands of the present trial

    def __post_init__(self) -> None:
        self.environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "TMPDIR": str(self.folder), "LC_ALL": "C"}

    def path(self, name: str) -> Path:
        return self.folder / name

    def start(self, *words: object, **variables: str) -> subprocess.Popen:
        command = [self.program, *map(str, words)]
        self.said.append(" ".join([*(f"{name}={value}" for name, value in variables.items()), *command]))
        return subprocess.Popen(command, cwd=self.folder, env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, child: subprocess.Popen) -> Ended:
        try:
            out, err = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise Broken(f"no end within {PATIENCE} s") from None
        return Ended(child.returncode, out, err.decode("utf-8", "replace"))

    def run(self, *words: object, codes: tuple[int, ...] = (0,), **variables: str) -> Ended:
        """Runs a command to its end. With exit code 2 or 3 the error must be one line."""
        done = self.end(self.start(*words, **variables))
        if done.code not in codes:
            raise Broken(f"exit code {done.code}, not {' or '.join(map(str, codes))}: {done.err.strip()[-500:]}")
        if done.code in (2, 3) and not (done.err.startswith("halfspace: ") and done.err.count("\n") == 1):
            raise Broken(f"exit code {done.code} without exactly one line of error: {done.err.strip()[-500:]!r}")
        return done

    def stop(self, number: int, wait: float, *words: object) -> Ended:
        """Runs a command and sends it a signal after `wait` seconds."""
        child = self.start(*words)
        self.said.append(f"  (signal {number} after {wait:.4f} s)")
        time.sleep(wait)
        if child.poll() is None:
            child.send_signal(number)
        return self.end(child)

    def seconds(self, *words: object, codes: tuple[int, ...] = (0,)) -> float:
        began = time.monotonic()
        self.run(*words, codes=codes)
        return time.monotonic() - began


# Data of every kind: (generator, options, ending). Larger ones leave time to kill a training.
SETS = {
    "squares": ("squares", ["--rows", 300], "csv"),
    "blobs": ("blobs", ["--rows", 900, "--classes", 3, "--features", 6], "csv"),
    "moons": ("moons", ["--rows", 400, "--noise", 0.2], "tsv"),
    "words": ("sparse", ["--rows", 2000, "--features", 3000], "svm"),
    "wide": ("correlated", ["--rows", 6000, "--features", 40], "npy"),
    "tall": ("correlated", ["--rows", 60000, "--features", 12], "hsd"),
}
TRAINED = {  # algorithms with options that fit in a moment
    "logistic": [[], ["-C", 0.1], ["--penalty", "l1"], ["-C", 100, "--tol", 1e-8]],
    "svm": [[], ["--loss", "squared-hinge"], ["-C", 10]],
    "ridge": [[], ["-C", 0.01]],
    "lda": [[]],
    "nearest-mean": [[]],
    "perceptron": [["--max-epochs", 20], ["--order", "shuffle", "--max-epochs", 5]],
    "sgd": [["--max-epochs", 3], ["--loss", "logistic", "--penalty", "l2", "--max-epochs", 3]],
    "gradient-descent": [["--max-epochs", 30]],
}
UNCLAIMED = ("lda", "nearest-mean")  # minimise no objective, so that there is none to verify
WIDE = {"words": {"lda"}}  # algorithms that a data set has too many columns for


def make_world(program: str, folder: Path, seed: int) -> World:
    world = World(program, folder)
    for name, (kind, options, ending) in SETS.items():
        world.run("generate", kind, *options, "--seed", seed, "-o", f"{name}.{ending}", "-q")
    return world


def data_of(name: str) -> str:
    return f"{name}.{SETS[name][2]}"


def random_fit(rng: random.Random, names: tuple[str, ...] = tuple(SETS)) -> tuple[str, list]:
    """A data set, and the words of a training on it, without -o."""
    name = rng.choice(names)
    algorithm = rng.choice([a for a in TRAINED if a not in WIDE.get(name, ())])
    options = rng.choice(TRAINED[algorithm])
    scale = rng.choice([[], [], ["--scale", "standard"]])
    return name, [data_of(name), "-a", algorithm, *options, *scale, "--seed", rng.randrange(1, 5), "-q"]


def must_equal(first: Path, second: Path) -> None:
    if first.read_bytes() != second.read_bytes():
        raise Broken(f"{first.name} and {second.name} differ")


def clear(world: World, kept: set[str]) -> None:
    """Removes what a trial has left in the folder."""
    for path in world.folder.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    world.said.clear()
