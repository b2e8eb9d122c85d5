"""The group `paths` of bench/run: bench/paths, which needs an environment of its own."""
import subprocess
import sys
from pathlib import Path

from timing import Failed


def paths(bench):
    command = [sys.executable, str(Path(__file__).resolve().parent / "paths"), "--program", str(bench.program)]
    sys.stdout.flush()
    if subprocess.run(command).returncode != 0:
        raise Failed("bench/paths: some of it would not run")
