"""Builds a commit beside the tree, for bench/bits and bench/against."""
import os
import tempfile

from session import ROOT
from timing import Failed, run

HOME = ROOT / "build" / "bits"
TARGETS = ("halfspace", "bench/time_train")


def build(source, folder, jobs):
    """The program, release, without pictures and tests."""
    if not (folder / "build.ninja").exists():
        run(["meson", "setup", str(folder), str(source), "--buildtype=release", "-Dtests=disabled", "-Dplot=disabled"])
    run(["ninja", "-C", str(folder), "-j", str(jobs), *TARGETS])
    return str(folder / "halfspace")


def build_base(base, jobs):
    """The program of the commit, which stays in build/bits/<commit>/."""
    try:
        commit = run(["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", base + "^{commit}"])[1].decode().strip()
    except Failed:
        raise Failed(f"no commit '{base}': give a branch, a tag or a hash") from None
    home = HOME / commit[:12]
    source = home / "source"
    if not source.exists():
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as fresh:
            run(["git", "-C", str(ROOT), "archive", "-o", f"{fresh}/source.tar", commit])
            os.mkdir(f"{fresh}/source")
            run(["tar", "-x", "-f", f"{fresh}/source.tar", "-C", f"{fresh}/source"])
            os.rename(f"{fresh}/source", source)
    return build(source, home / "build", jobs)
