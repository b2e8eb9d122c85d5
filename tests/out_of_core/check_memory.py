"""Data four times as large as the memory allowed: converting and training take no more, and a killed training is resumed with the
same bits. Usage: check_memory.py PROGRAM. Prints TAP."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 8 << 20
COLUMNS = 20
ROWS = 420_000  # of 80 bytes as numbers: four times the limit
TABLE_ROWS = 160_000  # of about 260 bytes, encoded: five times the limit
SLACK = 1.25


def run(*command: str, pipe: Path | None = None) -> tuple[int, int]:
    """The exit code of a command, and its largest resident memory in bytes. Its input is a file that comes through a pipe."""
    source = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) if pipe else None
    child = subprocess.Popen(command, stdin=source and source.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if source:
        source.stdout.close()
        source.wait()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss * 1024


def write_rows(path: Path, rows: int, table: bool = False) -> None:
    """Writes rows of two classes; of a table they begin with a city, or a missing value."""
    random.seed(1)
    lines = []
    for _ in range(4096):
        x = [random.random() for _ in range(COLUMNS)]
        city = f"city {random.randrange(50)}," if random.random() < 0.9 else ","
        label = "a" if sum(x) + 4 * random.random() > COLUMNS / 2 + 2 else "b"
        lines.append((city if table else "") + ",".join(f"{v:.6f}" for v in x) + f",{label}\n")
    with path.open("w") as out:
        for at in range(0, rows, len(lines)):
            out.writelines(lines[: rows - at])


def resumes(program: str, data: Path, folder: Path) -> bool:
    """Kills a training several times, until it ends, and compares its model with that of a training which was not stopped."""
    command = [program, "train", str(data), "--max-memory", str(LIMIT), "-q", "--tol", "1e-9"]
    run(*command, "-o", str(folder / "whole.hsm"))
    checkpoint = folder / "run.ckpt"
    wait = 0.05
    for _ in range(200):
        more = ["--checkpoint", str(checkpoint), "-o", str(folder / "part.hsm")] + ["--resume"] * checkpoint.exists()
        child = subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL)
        time.sleep(wait)
        wait *= 1.2
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
        if child.wait() == 0:
            return (folder / "part.hsm").read_bytes() == (folder / "whole.hsm").read_bytes()
        if checkpoint.exists() and checkpoint.stat().st_size < 8:  # killed before the first bytes
            checkpoint.unlink()
    return False


def main() -> None:
    program = sys.argv[1]
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["TMPDIR"] = name
        write_rows(folder / "small.csv", 4096)
        write_rows(folder / "large.csv", ROWS)
        write_rows(folder / "table.csv", TABLE_ROWS, table=True)
        limit = ["--max-memory", str(LIMIT)]
        small = run(program, "train", str(folder / "small.csv"), str(folder / "small.csv"), "-q")[1]
        cases = {
            "convert": ["convert", str(folder / "large.csv"), str(folder / "large.hsd")],
            "train from a data file": ["train", str(folder / "large.hsd")],
            "train from text": ["train", str(folder / "large.csv")],
            "train from a table": ["train", str(folder / "table.csv"), "--missing", "mean", "--scale", "standard"],
        }
        print(f"1..{len(cases) + 2}")
        for number, (case, command) in enumerate(cases.items(), 1):
            code, memory = run(program, *command, *limit, "-q")
            good = code == 0 and memory <= small + SLACK * LIMIT
            print(f"{'ok' if good else 'not ok'} {number} - {case} # exit code {code}, {memory >> 20} MiB, small data {small >> 20} MiB")
        good = resumes(program, folder / "large.hsd", folder)
        print(f"{'ok' if good else 'not ok'} {len(cases) + 1} - a killed training is resumed with the same bits")
        one_pass = ["-a", "sgd", "--max-epochs", "1", "--keep", "average", "-q"]
        code, memory = run(program, "train", "-", *one_pass, pipe=folder / "large.csv")
        good = code == 0 and memory <= small + SLACK * LIMIT
        print(f"{'ok' if good else 'not ok'} {len(cases) + 2} - rows of a pipe are seen once # exit code {code}, {memory >> 20} MiB")


main()
