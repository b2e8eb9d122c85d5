"""Whole programs, from text to a model, and how training grows with the data."""
import json

from datasets import data_set, svmlight_text
from entrant import goals
from ladder import LIBLINEAR, best, climb, least_time
from opponent import Opponent
from reading import GROWTH, growth as reading_growth
from timing import Failed, Timing, exponent, run, tolerance

TEXTS = ("reuters", "news20bi", "words", "mnist")  # above 10 MB
TOL, LIMIT = 1e-3, 20
FORMS = [{"loss": loss, "C": 1, "penalty": "l2", "intercept": "free"} for loss in ("hinge", "logistic")]
# Growth. With one lambda the problem is the same for any number of rows, and its cost should be that of its passes; with one C
# the penalty fades as rows are added, and the problem itself gets harder.
SETTINGS = (("--lambda", 1e-4), ("-C", 1))
PATIENCE = 200
KINDS = {"hinge": ("-a", "svm", "--loss", "hinge"), "logistic": ("-a", "logistic")}


# ---- text to model ----

def setting_of(bench, opponent, name, form):
    """LIBLINEAR's quickest solver that comes within TOL, and its -e: (words, None), or (None, (seconds, why))."""
    data = data_set(bench, name, opponent)
    opponent.load(data.load)
    goals_of = {"penalised": goals(bench, data, {**form, "intercept": "penalised"}, (TOL,))}
    climbs = [climb(opponent, peer, form, goals_of["penalised"], LIMIT) for peer in LIBLINEAR[form["loss"]]]
    found = best(climbs, goals_of, TOL)
    return (f"{found[0].peer.name} -e {found[1].setting:g}", None) if found else (None, least_time(climbs, goals_of, TOL))


def text_to_model(bench, opponent, name, form):
    text, model = svmlight_text(bench, name), bench.path("whole.hsm")
    label, measure = bench.label(name, text), f"{form['loss']} from text"
    words, least = setting_of(bench, opponent, name, form)
    theirs = f"liblinear-train {words}" if words else f"liblinear-train: solver alone, {least[1] if least else 'failed'}"
    command = ["liblinear-train", *(words or "").split(), "-c", "1", "-B", "1", "-q", text, bench.path("whole.model")]
    for threads in (2, 1):
        ours = bench.halfspace("train", text, *KINDS[form["loss"]], "-C", 1, "--tol", TOL, "-o", model, threads=threads)
        plural = f"{threads} thread{'s' if threads > 1 else ''}"
        if words:
            bench.compare(f"{measure}, {plural}", label, lambda: run(ours)[0], {theirs: lambda: run(command)[0]}, {theirs: "8"})
        else:
            mine = [run(ours)[0] for _ in range(3)]
            peer = Timing(*[least[0]] * 3) if least else None
            bench.show(f"{measure}, {plural}", label, Timing(sorted(mine)[1], min(mine), max(mine)), peer=theirs, theirs=peer,
                       asked="8", bound=">" if peer else "")


def programs(bench):
    """Each program with what it takes to be within TOL of the optimum of its own objective."""
    if not {"liblinear", "sklearn"} <= bench.peers:
        bench.remarks.append("programs: needs LIBLINEAR, and NumPy and scikit-learn for Debian's Python, left out")
        return
    chosen, opponent = bench.choice.data if bench.choice else TEXTS, Opponent()
    try:
        for name in (name for name in TEXTS if name in chosen):
            for form in FORMS if svmlight_text(bench, name) else ():
                try:
                    text_to_model(bench, opponent, name, form)
                except Failed as failure:
                    bench.shout(f"programs: {name}, {form['loss']}: {failure}")
    finally:
        opponent.end()


# ---- growth ----

def train_seconds(bench, hsd, loss, setting):
    """The median of three, or one run when it is long."""
    command = bench.halfspace("train", hsd, *KINDS[loss], *setting, "--tol", TOL, "--max-seconds", PATIENCE)
    seconds = [bench.reported(command, "train")]
    while seconds[0] < 5 and len(seconds) < 3:
        seconds.append(bench.reported(command, "train"))
    return Timing(sorted(seconds)[len(seconds) // 2], min(seconds), max(seconds))


def grow(bench, hsd, count, loss, setting, found):
    """One size of one curve. A size that takes too long ends its curve, and the table says so."""
    measure, data = f"growth of training, {loss}, {' '.join(map(str, setting))}", f"{count:.2e} non-zeros"
    if len(found) > 0 and found[-1] is None:
        return
    try:
        timing = train_seconds(bench, hsd, loss, setting)
        bench.show(measure, data, timing, note=f"{1e9 * timing.median / count:.1f} ns a non-zero, to {tolerance(TOL)}")
        found.append(timing.median)
    except Failed as failure:
        bench.remarks.append(f"{measure}, {data}: {failure}")
        found.append(None)


def training_growth(bench):
    """Seconds to TOL against non-zeros, over sizes a factor 10 apart."""
    counts, curves = [], {(loss, setting): [] for setting in SETTINGS for loss in KINDS}
    for rows in GROWTH:
        text, hsd = bench.generated("sparse", rows, "training.svm"), bench.path("training.hsd")
        run(bench.halfspace("convert", text, hsd))
        bench.drop(text)
        counts.append(nonzeros(bench, hsd))
        for (loss, setting), found in curves.items():
            grow(bench, hsd, counts[-1], loss, setting, found)
    bench.drop(hsd)
    for (loss, setting), found in curves.items():
        reached = [(count, seconds) for count, seconds in zip(counts, found) if seconds is not None]
        if len(reached) > 1:
            sizes, seconds = zip(*reached)
            powers = f"{exponent(sizes, seconds):.2f}, over the last decade {exponent(sizes[-2:], seconds[-2:]):.2f}"
            asked = " (asked: at most 1.05)" if setting[0] == "--lambda" else ""
            bench.remarks.append(f"growth over {sizes[0]:.1e} to {sizes[-1]:.1e} non-zeros: training time, {loss}, "
                                 f"{' '.join(map(str, setting))}, as their power {powers}{asked}")


def nonzeros(bench, hsd):
    return json.loads(run(bench.halfspace("train", hsd, "-a", "nearest-mean", "--json"))[1])["nonzeros"]


def growth(bench):
    reading_growth(bench)
    training_growth(bench)
