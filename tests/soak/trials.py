"""The trials of a soak, one function each: it does something at random, and raises Broken when what must hold does not.

Each has a random generator of its own, so that one trial can be repeated alone. It returns a word for what happened, which is
counted. A new trial is a function here and a line in TRIALS.
"""
import gzip
import json
import random
import signal

from world import ENDED, UNCLAIMED, Broken, World, data_of, must_equal, random_fit

FITTED = (0, 1)  # 1: the tolerance was missed, which is an answer


def same_bits(world: World, rng: random.Random) -> str:
    """A training has the same bytes again, for any number of threads, and verifies."""
    name, words = random_fit(rng)
    world.run("train", *words, "--threads", 1, "-o", "one.hsm", codes=FITTED)
    world.run("train", *words, "--threads", rng.randrange(2, 6), "-o", "many.hsm", codes=FITTED,
              HALFSPACE_SIMD=rng.choice(("", "plain")))
    must_equal(world.path("one.hsm"), world.path("many.hsm"))
    world.run("verify", "one.hsm", data_of(name), "-q", codes=(2,) if words[2] in UNCLAIMED else (0,))
    return "equal"


def other_format(world: World, rng: random.Random) -> str:
    """A copy of the data in the cache or compressed gives the same weights."""
    name, words = random_fit(rng)
    source = data_of(name)
    copy = rng.choice(["copy.hsd", f"copy.{source.split('.')[1]}.gz", f"copy.{source.split('.')[1]}.zst"])
    if source.endswith((".hsd", ".npy")):
        copy = "copy.hsd"
    world.run("convert", source, copy, "-q")
    world.run("train", *words, "-o", "one.hsm", codes=FITTED)
    world.run("train", copy, *words[1:], "-o", "two.hsm", codes=FITTED)
    one, two = (json.loads(world.run("show", model, "--json").out) for model in ("one.hsm", "two.hsm"))
    for member in ("weights", "intercepts", "certificate"):
        if one[member] != two[member]:
            raise Broken(f"{member} differ between {source} and {copy}")
    return copy.split(".", 1)[1]


def killed(world: World, rng: random.Random) -> str:
    """A training that is killed leaves the old model or the new one, whole."""
    _, words = random_fit(rng, ("wide", "tall", "words"))
    _, others = random_fit(rng, ("squares", "moons"))
    world.run("train", *others, "-o", "old.hsm", codes=FITTED)
    wait = world.seconds("train", *words, "-o", "new.hsm", codes=FITTED)
    target = world.path("model.hsm")
    target.write_bytes(world.path("old.hsm").read_bytes())
    world.stop(signal.SIGKILL, wait * rng.uniform(0, 1.1), "train", *words, "-o", "model.hsm")
    for name in ("old", "new"):
        if target.read_bytes() == world.path(f"{name}.hsm").read_bytes():
            return f"{name} model"
    raise Broken("the model is neither the old nor the new one")


def stopped(world: World, rng: random.Random) -> str:
    """A signal ends a training with its exit code, and what it leaves can be loaded."""
    _, words = random_fit(rng, ("wide", "tall", "words"))
    wait = world.seconds("train", *words, codes=FITTED)
    number = rng.choice(list(ENDED))
    done = world.stop(number, wait * rng.uniform(0, 1), "train", *words, "-o", "model.hsm")
    early = done.code == -number and not world.path("model.hsm").exists()  # before the program takes signals
    if not early and done.code not in (*FITTED, ENDED[number]):
        raise Broken(f"exit code {done.code} after signal {number}: {done.err.strip()[-300:]}")
    left = [name for name in ("model.hsm", "model.hsm.partial") if world.path(name).exists()]
    for name in left:
        world.run("show", name, "-q")
    return "finished" if done.code in FITTED else f"stopped, {len(left)} models"


def resumed(world: World, rng: random.Random) -> str:
    """A training by parts that is killed again and again has the same bytes as one that is not."""
    source = data_of(rng.choice(("wide", "tall")))
    words = [source, source, "-a", rng.choice(("logistic", "svm", "ridge")), "-q", "--tol", "1e-8"]
    limit = world.seconds("train", *words, "-o", "whole.hsm", codes=FITTED)
    for kills in range(50):
        more = ["--resume"] if world.path("run.ckpt").exists() else []
        done = world.stop(signal.SIGKILL, limit * rng.uniform(0.1, 0.6 + 0.1 * kills), "train", *words,
                          "--checkpoint", "run.ckpt", *more, "-o", "part.hsm")
        if done.code in FITTED:
            must_equal(world.path("whole.hsm"), world.path("part.hsm"))
            return f"{min(kills, 5)}{'+' if kills > 5 else ''} kills"
        if done.code != -signal.SIGKILL:
            raise Broken(f"exit code {done.code}: {done.err.strip()[-300:]}")
    raise Broken("no end after 50 kills")


def predicted(world: World, rng: random.Random) -> str:
    """Predictions have the same bytes for any number of threads, and from compressed rows."""
    name, words = random_fit(rng)
    world.run("train", *words, "-o", "model.hsm", codes=FITTED)
    source = data_of(name)
    world.run("predict", "model.hsm", source, "--scores", "--threads", 1, "-o", "one.csv", "-q")
    if not source.endswith((".hsd", ".npy")) and rng.random() < 0.5:
        packed = world.path(f"packed.{source.split('.')[1]}.gz")
        packed.write_bytes(gzip.compress(world.path(source).read_bytes()))
        source = packed.name
    world.run("predict", "model.hsm", source, "--scores", "--threads", rng.randrange(2, 6), "-o", "two.csv", "-q")
    must_equal(world.path("one.csv"), world.path("two.csv"))
    return "equal"


def spoil(rng: random.Random, content: bytes) -> bytes:
    """Other bytes: some changed, cut off, left out, or twice there."""
    content, at = bytearray(content), rng.randrange(len(content))
    how = rng.randrange(4)
    if how == 0:
        for _ in range(rng.randrange(1, 9)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif how == 1:
        del content[at:]
    elif how == 2:
        del content[at:at + rng.randrange(1, 64)]
    else:
        content[at:at] = content[at:at + rng.randrange(1, 64)]
    return bytes(content)


def damaged_model(world: World, rng: random.Random) -> str:
    """A model with other bytes is refused by every command, and nothing is written."""
    name, words = random_fit(rng, ("squares", "blobs", "moons", "words"))
    world.run("train", *words, "-o", "model.hsm", codes=FITTED)
    good = world.path("model.hsm").read_bytes()
    bad = spoil(rng, good)
    world.path("model.hsm").write_bytes(bad)
    codes = (0,) if bad == good else (2,)
    world.run("show", "model.hsm", codes=codes)
    world.run("predict", "model.hsm", data_of(name), "-o", "out.csv", codes=codes)
    if bad != good and world.path("out.csv").exists():
        raise Broken("predictions of a damaged model were written")
    return "intact" if bad == good else "refused"


def damaged_cache(world: World, rng: random.Random) -> str:
    """A cache with other bytes is refused, and no model is written."""
    name, words = random_fit(rng, ("squares", "blobs", "moons", "words"))
    world.run("convert", data_of(name), "cache.hsd", "-q")
    good = world.path("cache.hsd").read_bytes()
    bad = spoil(rng, good)
    world.path("cache.hsd").write_bytes(bad)
    done = world.run("train", "cache.hsd", *words[1:], "-o", "model.hsm", codes=FITTED if bad == good else (2,))
    if done.code == 2 and world.path("model.hsm").exists():
        raise Broken("a model of damaged data was written")
    return "intact" if bad == good else "refused"


def damaged_text(world: World, rng: random.Random) -> str:
    """Text with other bytes is trained or refused; never does the program fail, and a refusal leaves no model."""
    name, words = random_fit(rng, ("squares", "blobs", "moons", "words"))
    ending = data_of(name).split(".")[1]
    world.path(f"bad.{ending}").write_bytes(spoil(rng, world.path(data_of(name)).read_bytes()))
    done = world.run("train", f"bad.{ending}", *words[1:], "-o", "model.hsm", codes=(0, 1, 2))
    if (done.code == 2) == world.path("model.hsm").exists():
        raise Broken(f"exit code {done.code}, and a model is {'there' if done.code == 2 else 'not there'}")
    return "refused" if done.code == 2 else "trained"


def short_of_memory(world: World, rng: random.Random) -> str:
    """Little memory allowed: the same answer block by block, or a refusal that states the plan."""
    name = rng.choice(("wide", "tall"))
    algorithm = rng.choice(("logistic", "svm", "ridge", "lda", "perceptron"))
    done = world.run("train", data_of(name), "-a", algorithm, "--max-memory", f"{rng.choice((1, 2, 4, 64))}M", "-q", "-o", "model.hsm",
                     codes=(0, 1, 2, 3))
    if done.code in FITTED:
        world.run("show", "model.hsm", "-q")
    return "trained" if done.code in FITTED else "refused"


TRIALS = {trial.__name__: trial for trial in (
    same_bits, other_format, killed, stopped, resumed, predicted, damaged_model, damaged_cache, damaged_text, short_of_memory)}
