"""Runs the program with --json over small data of every sort: pairs of a section of docs/reports.txt and a report."""
import json
import shlex
import shutil
import subprocess
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
TABLE = """age,sex,city,joined,ok,note,w,label
22,male,Ulm,2024-03-05,yes,a red car,1,a
38,female,Bonn,2023-11-20,no,the red boat,2,b
,female,Ulm,2024-01-09,yes,one car,1,a
35,male,Bonn,2023-07-01,no,a small boat,1,b
28,male,Ulm,2024-03-15,no,,1,b
31,female,Kiel,2023-11-21,yes,boat and car,0,a
"""
FILES = {
    "table.csv": TABLE,
    "new.csv": "age,sex,city,joined,ok,note,label\n30,male,Kiel,2024-03-05,yes,a blue car,a\n,female,Bonn,2023-11-20,no,boat,b\n",
    "same.csv": "y,x\n" + "".join(f"3,{i}\n" for i in range(8)),
    "one.csv": "x,label\n1,a\n2,a\n3,a\n",
    "touching.csv": "x,label\n1,a\n2,a\n2,b\n3,b\n",
    "dependent.csv": "a,b,c,k,y\n" + "".join(f"{i},{i * i % 7},{i + i * i % 7},5,{i % 3}\n" for i in range(20)),
    "unlabelled.svm": "0 1:1 2:2\n0 1:2 3:1\n",
    "many.csv": "x,label\n" + "".join(f"{i},{i}\n" for i in [*range(1001)] * 2),
    "rare.csv": "x,label\n" + "".join(f"{i % 7},{'b' if i > 9 else 'a'}\n" for i in range(12)),
    "codes.csv": "x,code,label\n1,A,a\n2,7,b\n3,A,a\n4,7,b\n",
    "unseen.csv": "x,code,label\n1,B,a\n2,7.0,b\n",
    "whole.csv": "x,city,label\n1,Ulm,a\n2,Bonn,b\n3,Ulm,a\n4,Bonn,b\n",
    "minus.csv": "x1,x2,label\n-1,-1,-1\n-2,-1,-1\n",
    "short.csv": "a,b,c,d,label\n1,2,5,1,u\n3,1,1,2,v\n2,2,1,5,u\n4,4,1,1,v\n",
    "unique.csv": "a,label\n" + "".join(f"{i % 7},k{i}\n" for i in range(1100)),
    "constant.csv": "a,b,label\n1,2,u\n1,2,v\n",
    "broad.svm": "a 1:1\nb 100001:1\n",
    "bad.csv": "x1,x2\n1,2\nx,4\n",
    "plain.csv": "x1,x2\n1,2\n3,4\n",
}
# What is written, then read; one command a line, "--json --quiet" is added.
DATA = """
generate squares -o squares.csv
generate blobs --noise 0.5 -o far.csv
generate blobs --classes 3 --noise 2 --rows 60 -o three.csv
generate blobs --classes 3 --noise 0.1 --rows 60 -o three-far.csv
generate blobs --features 4 --rows 60 --noise 2 -o four.csv
generate linear -o linear.csv
generate moons --noise 0.3 -o moons.csv
generate sparse -o words.svm
generate sparse --rows 2100 --features 3000 -o wide.svm
split squares.csv -o a.csv b.csv
split linear.csv --task regression -o c.csv d.csv
split table.csv --weight w -o e.csv f.csv
convert squares.csv squares.hsd
convert table.csv copy.csv --weight w
convert linear.csv --task regression linear.hsd
convert words.svm words.hsd
convert words.hsd words2.svm
split words.hsd -o g.svm h.svm
"""
TRAIN = """
train far.csv far.csv -o parts.hsm
train words.hsd words.hsd --max-memory 4M
train far.csv -a hard-svm -o hard.hsm
train moons.csv -a hard-svm -o none.hsm --certificate none-dual.csv
train three.csv -a hard-svm
train three-far.csv -a hard-svm
train squares.csv -o logistic.hsm
train three.csv -o softmax.hsm
train three.csv --multiclass ovr -o ovr.hsm
train far.csv --penalty none
train moons.csv --penalty none
train three.csv --penalty none --multiclass ovr
train touching.csv --penalty none
train broad.svm -a nearest-mean -o broad.hsm
train squares.csv -a svm -o svm.hsm --certificate svm.csv
train moons.csv -a svm -o held.hsm --trace svm-trace.csv
train moons.csv -a svm --no-certificate -o bare.hsm
train three.csv -a svm -o svm3.hsm
train squares.csv -a svm --loss squared-hinge
train squares.csv -a svm --loss smoothed-hinge
train squares.csv -a svm --loss modified-huber
train squares.csv -a nearest-mean -o mean.hsm
train three.csv -a nearest-mean -o mean3.hsm
train squares.csv -a fisher -o fisher.hsm
train squares.csv -a lda -o lda.hsm
train three.csv -a lda -o lda3.hsm
train squares.csv -a least-squares -o squares.hsm --loo yes
train three.csv -a least-squares -o squares3.hsm
train linear.csv -a least-squares --task regression -o line.hsm
train same.csv -a least-squares --target y --task regression -o same.hsm
train dependent.csv -a least-squares --task regression
train wide.svm -a least-squares
train wide.svm -a ridge
train squares.csv -a ridge -o ridge.hsm --lambda auto --loo yes
train three.csv -a ridge -o ridge3.hsm --lambda auto
train linear.csv -a ridge --task regression -o ridge-line.hsm
train linear.csv -a ridge --task regression --loss huber -o huber.hsm
train far.csv -a perceptron -o perceptron.hsm --trace perceptron-trace.csv
train moons.csv -a perceptron --max-epochs 5
train three.csv -a perceptron --max-epochs 5 -o perceptron3.hsm
train squares.csv -a sgd --max-epochs 5 -o sgd.hsm
train squares.csv -a sgd --penalty l2 --schedule pegasos --max-epochs 5
train squares.csv -a minibatch --loss logistic --max-epochs 5
train moons.csv -a gradient-descent --holdout 0.3 -o descent.hsm --trace descent-trace.csv --max-epochs 20
train three.csv -a gradient-descent -o descent3.hsm --trace three-trace.csv --max-epochs 5
train linear.csv -a gradient-descent --task regression --loss squared --holdout 0.2 --max-epochs 5
train table.csv --missing indicator --text note --weight w -o table.hsm --scale standard
train table.csv --missing median --text note --hash-bits 8 --degree 2 --cross sex:city --min-count 2 --rff 4 --missing-values none -o expanded.hsm
train table.csv --missing mean --transform 'numeric=rank' --ignore note --target sex -o ranks.hsm
train table.csv --missing mean --transform 'age=clip:20:40,w=bins:2' --ignore note -o bins.hsm
train table.csv --missing mean --rff 4 --rff-gamma 0.5 --ignore note,city --scale maxabs -o waves.hsm
train moons.csv -a mlp --hidden 4 -o mlp.hsm --trace mlp-trace.csv --max-epochs 20
train three.csv -a mlp --hidden 3,2 --restarts 1 --max-epochs 10 -o mlp3.hsm
train linear.csv -a mlp --task regression --hidden 2 --max-epochs 10 -o mlp-line.hsm
train squares.csv -a mlp --hidden 2 --solver adam --max-epochs 3
train squares.csv --penalty l1 -o l1.hsm
train squares.csv --penalty elastic --scale minmax
train three.csv --positive 1,2 -o merged.hsm
train squares.csv --class-weight balanced -o balanced.hsm
train words.hsd
train three.csv -a perceptron --max-seconds 1e-9
train three.csv -a svm --max-seconds 1e-9 -o late.hsm
train three.csv -a hard-svm --max-seconds 1e-9
train three.csv --max-seconds 1e-9
train squares.csv -a svm --max-seconds 1e-9
train squares.csv -a svm --max-epochs 1 --solver dual --intercept none -o early.hsm
train squares.csv --penalty none --max-seconds 1e-9
train squares.csv --penalty none --intercept none --scale standard
train short.csv -a least-squares --loo yes
train whole.csv -o whole.hsm
train codes.csv -o codes.hsm
train many.csv --task classification -a nearest-mean -o many.hsm
train table.csv --missing mean --degree 2 --text note -o degree.hsm
train squares.csv -a perceptron --update-on negative
train squares.csv -a ridge --loo no
train squares.csv -a sgd --penalty l1 --max-epochs 5 -o hinge.hsm
train squares.csv -a sgd --loss hinge --penalty l2 --intercept none --max-epochs 1 --no-certificate -o rough.hsm
train four.csv -o four.hsm
train moons.csv -a svm --calibrate platt --decide recall:0.9 -o platt.hsm
train three.csv -a svm --calibrate isotonic -o isotonic.hsm
train squares.csv --calibrate temperature --decide cost:1,4 -o temperature.hsm
train squares.csv --decide 0.3 -o rule.hsm
train moons.csv -a ridge --decide cost:1,4 -o cost.hsm
train moons.csv -a ridge --calibrate platt --decide 1
"""
USE = """
predict platt.hsm moons.csv -o out.csv --decide 0.5
evaluate platt.hsm moons.csv
evaluate isotonic.hsm three.csv
verify platt.hsm moons.csv
predict logistic.hsm squares.csv -o out.csv --scores --proba
predict softmax.hsm three.csv -o out.csv
predict line.hsm linear.csv -o out.csv
evaluate logistic.hsm squares.csv --importance
evaluate logistic.hsm squares.csv --importance 1
predict logistic.hsm plain.csv -o out.csv
predict logistic.hsm bad.csv -o out.csv --bad-rows skip --keep x1
predict table.hsm table.csv -o out.csv
predict table.hsm new.csv -o out.csv
evaluate logistic.hsm squares.csv
evaluate softmax.hsm three.csv
evaluate line.hsm linear.csv
evaluate svm.hsm squares.csv
evaluate table.hsm table.csv --weight w
evaluate table.hsm new.csv
evaluate same.hsm same.csv
evaluate many.hsm many.csv
evaluate logistic.hsm minus.csv
predict logistic.hsm minus.csv -o out.csv
evaluate logistic.hsm squares.hsd
verify logistic.hsm squares.csv
verify svm.hsm squares.csv
verify svm.hsm squares.csv svm.csv
verify logistic.hsm moons.csv
verify logistic.hsm a.csv
verify softmax.hsm three.csv
verify ovr.hsm three.csv
verify svm3.hsm three.csv
verify line.hsm linear.csv
verify hard.hsm far.csv
verify table.hsm table.csv --weight w
verify ridge.hsm squares.csv
verify perceptron.hsm far.csv
verify perceptron3.hsm three.csv
show logistic.hsm
show platt.hsm
show isotonic.hsm
show temperature.hsm
show broad.hsm
show svm.hsm
show held.hsm
show bare.hsm
show softmax.hsm
show mlp.hsm
show mlp3.hsm
verify mlp.hsm moons.csv
verify mlp3.hsm three.csv
verify mlp-line.hsm linear.csv
evaluate mlp3.hsm three.csv
show svm3.hsm
show mean3.hsm --moments
show fisher.hsm --moments
show lda3.hsm --moments
show line.hsm --moments
show squares.hsm --moments
show ridge3.hsm --moments
show perceptron.hsm
show perceptron3.hsm
show descent3.hsm
show table.hsm
show expanded.hsm
show waves.hsm
show hard.hsm
show merged.hsm
show huber.hsm
show balanced.hsm
show whole.hsm
show ranks.hsm
show bins.hsm
show old.hsm
predict codes.hsm unseen.csv -o out.csv
evaluate codes.hsm unseen.csv
show degree.hsm
show rough.hsm
show late.hsm
show early.hsm
verify late.hsm three.csv
verify early.hsm squares.csv
show hinge.hsm
compare squares.csv --only majority,lda,svm,nearest-mean --metric log-loss
compare squares.hsd --only majority,fisher --repeats 2
compare linear.csv --task regression --only majority,lasso,elastic-net --folds 2
compare --list
train squares.csv -a auto --only lda,svm -o auto.hsm
show auto.hsm
cv squares.csv
cv squares.hsd
cv three.csv -a svm
cv linear.csv --task regression -a ridge
cv same.csv --target y --task regression -a ridge
cv rare.csv
cv squares.csv --lambdas 0.01:1:3
cv squares.csv --grid C=0.1,1 --grid scale=none,standard --refit -o chosen.hsm --nested 2 --choose one-se
cv squares.csv --grid algorithm=lda,svm --grid C=0.1,1 --repeats 2 --predictions held.csv
cv squares.csv --grid lambda=0.1,1 --grid algorithm=ridge,logistic --nested 2 --folds 3
cv squares.csv --grid scale=none,standard --nested 2 --folds 2
cv squares.csv --grid algorithm=nearest-mean,svm --grid C=1 --nested 2
cv squares.csv --grid algorithm=nearest-mean,svm --grid lambda=1 --nested 2
cv linear.csv --task regression -a ridge --grid lambda=auto --nested 2
cv linear.csv --task regression -a ridge --max-seconds 0
cv squares.csv -a lda --refit -o lda.hsm
cv linear.csv --task regression -a ridge --folds loo --grid lambda=auto,1
cv linear.csv --task regression -a ridge --lambdas 0.1,1 --nested 2
cv squares.csv -a lda --max-seconds 0
cv squares.csv --grid algorithm=lda,fisher --max-seconds 0
generate sparse --rows 30 --features 1500 -o wide.svm
path wide.svm --steps 3
path squares.csv --steps 3
path squares.hsd --steps 3 --folds 3
path linear.csv --task regression --steps 3
path words.svm --steps 3 --max-seconds 1e-9
explain squares.csv -a nearest-mean
explain squares.hsd -a ridge
explain three.csv -a least-squares
explain squares.csv -a svm
explain three.csv -a logistic
list
list algorithms
list losses
strip softmax.hsm -o stripped.hsm
version
help
help train
help svm
help topics
demo
"""
INSPECT = """
inspect table.csv --transform age=log1p --missing mean --target label
inspect far.csv --certificate far.json
inspect squares.csv --certificate squares.json
inspect three.csv --certificate three.json
inspect touching.csv --certificate touching.json
inspect moons.csv --max-seconds 1e-9 --certificate open.json
inspect unique.csv --task classification --max-seconds 1e-9 --certificate unique.json
inspect one.csv --certificate one.json
inspect table.csv --text note --weight w
inspect linear.csv --task regression
inspect words.svm
inspect constant.csv
inspect words.hsd
verify far.json far.csv
verify squares.json squares.csv
verify three.json three.csv
verify open.json moons.csv
verify far.json moons.csv
"""
PICTURES = """
plot boundary logistic.hsm svm.hsm squares.csv -o p.svg
plot boundary softmax.hsm three.csv -o p.svg
plot boundary four.hsm four.csv --project pca -o p.svg
train four.csv --degree 2 -o bent.hsm
plot boundary bent.hsm four.csv --project pca -o p.svg
plot boundary expanded.hsm table.csv -o p.svg
plot boundary mlp3.hsm three.csv -o p.svg
plot descent squares.csv --max-epochs 3 -o p.svg
plot projection fisher.hsm squares.csv -o p.svg
plot projection lda.hsm squares.csv -o p.svg
plot confusion softmax.hsm three.csv -o p.svg
plot roc logistic.hsm lda.hsm squares.csv -o p.svg
plot roc softmax.hsm three.csv -o p.svg
plot pr logistic.hsm squares.csv -o p.svg
plot calibration logistic.hsm squares.csv -o p.svg
plot scores logistic.hsm squares.hsd -o p.svg
plot weights logistic.hsm -o p.svg
plot predicted line.hsm linear.csv -o p.svg
plot residuals line.hsm linear.csv -o p.svg
plot residuals same.hsm same.csv -o p.svg
plot trace svm-trace.csv -o p.svg
plot trace perceptron-trace.csv three-trace.csv -o p.svg
plot losses -o p.svg
plot lambda squares.csv --lambdas 0.01:1:3 -o p.svg
plot lambda linear.csv --task regression -a ridge --lambdas 0.01:1:3 -o p.svg
plot bias-variance squares.csv --lambdas 0.1,1 --bootstraps 4 -o p.svg
plot learning-curve squares.csv --repeats 2 -o p.svg
plot path squares.csv --lambdas 0.01:1:5 -o p.svg
plot path linear.csv --task regression -a ridge --lambdas 0.01:1:5 -o p.svg
film far.csv -a perceptron -o p.apng --frames 4
report moons.csv -o p.html --only majority,lda,svm,hard-svm --folds 3 --model page.hsm
report linear.csv --task regression -a ridge -o p.html
report squares.hsd -a nearest-mean -o p.html
film squares.csv -a sgd -o p.apng --frames 4 --max-epochs 2
film squares.hsd -a minibatch --max-epochs 1 -o p.apng --frames 2
"""


def section(words):
    """The section of the table that describes what a command prints."""
    if words[:2] in (["help", "svm"], ["help", "topics"]):
        return "halfspace help topic" + "s" * (words[1] == "topics")
    if words == ["compare", "--list"]:
        return "halfspace compare list"
    proof = words[0] == "verify" and words[1].endswith(".json")
    return f"halfspace {words[0]}" + (" proof" if proof else "")


def run(program, folder, line):
    """The report of one command, and that of its certificate when it is a proof."""
    words = shlex.split(line)
    done = subprocess.run([program, *words, "--json", "--quiet"], cwd=folder, stdin=subprocess.DEVNULL, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"halfspace {line}: exit code {done.returncode}: {done.stderr.decode()}")
    yield section(words), json.loads(done.stdout)
    if words[0] == "inspect" and "--certificate" in words:
        yield "separability", json.loads(Path(folder, words[-1]).read_text())


def program_reports(program, folder, pictures):
    """All reports, in order; without `pictures` no plots and films."""
    for name, text in FILES.items():
        Path(folder, name).write_text(text)
    shutil.copy(GOLDEN / "model-4-table.hsm", Path(folder, "old.hsm"))
    for block in [DATA, TRAIN, USE, INSPECT] + ([PICTURES] if pictures else []):
        for line in block.strip().splitlines():
            yield from run(program, folder, line)
