#!/usr/bin/env python3
"""Reports with hostile names: check_page.py PROGRAM   Prints TAP.

Columns, labels, levels, files and titles hold markup, quotes, control characters, bidirectional overrides, very long names and
bytes that are not UTF-8. Python's parser must find the same elements and attributes as in the page of the same data with plain
names, no reference to anything outside the page, and all names as text. The commands of the page, given to a shell, must have
the words that they show. A page is also checked for what a reader needs: labels, captions, headings, one landmark of each kind.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

HOSTILE = [
    "<script>alert(1)</script>", "</title><b>x", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "a&amp;b&lt;",
    "</style><style>*{}", "--><!--", "]]>", "javascript:alert(1)", "http://example.com/<a href=x>", "\u202etxt.exe", "\u2066x",
    "null\u0007bell\u001b[31mred", "\u200b", "\u05e9\u05dc\u05d5\u05dd", "x" * 3000, "<" * 500, "${7*7} $(id) `id`", "a\\b", "'; DROP", "\u0001",
]
VOID = {"meta", "link", "img", "br", "hr", "input"}
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class Page(HTMLParser):
    """The elements with their attributes in order, the text, and what does not nest."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.open, self.faults, self.commands = [], [], [], [], []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(sorted(attrs))))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "pre":
            self.commands.append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, tuple(sorted(attrs))))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text.append(data)
        if "pre" in self.open:
            self.commands[-1] += data

    def handle_comment(self, data):
        self.faults.append(f"a comment: {data[:40]}")

    def handle_pi(self, data):
        self.faults.append(f"a processing instruction: {data[:40]}")

    def unknown_decl(self, data):
        self.faults.append(f"a declaration: {data[:40]}")


def drawn(tag, attrs):
    """What varies between pictures of different names: glyphs and places, never the kind of thing."""
    return tag in {"g", "path", "use", "symbol", "rect", "defs", "clippath", "image"}


def skeleton(page):
    """Elements and names of attributes without drawings; values too, where they are not sizes of bars or identifiers."""
    return [(tag, tuple(name for name, _ in attrs)) for tag, attrs in page.tags if not drawn(tag, attrs)]


class Tap:
    count = failed = 0

    def test(self, name, faults):
        self.count += 1
        self.failed += bool(faults)
        print("not ok" if faults else "ok", self.count, "-", name)
        for fault in list(faults)[:20]:
            print("#", repr(fault)[:300])


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def table(names, levels, labels, rows=60):
    """A CSV table with these names of columns, levels of the first and labels of the last."""
    lines = [",".join(map(quoted, names))]
    for i in range(rows):
        cells = [levels[i % len(levels)]] + [str((i * (k + 3)) % (11 + k)) for k in range(len(names) - 2)]
        lines.append(",".join(map(quoted, [*cells, labels[(i * i + i // 7) % len(labels)]])))
    return "\n".join(lines) + "\n"


def report(program, *arguments, cwd=None, code=0):
    done = subprocess.run([program, "report", *arguments], cwd=cwd, capture_output=True)
    if done.returncode != code:
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done


def page_of(path):
    data = Path(path).read_bytes()
    return Page(data.decode("utf-8")), data.decode("utf-8")


def references(page):
    """Attributes that load or run something."""
    faults = []
    for tag, attrs in page.tags:
        if tag in {"script", "link", "iframe", "object", "embed", "base", "form", "audio", "video", "source", "foreignobject", "animate", "set"}:
            faults.append(f"<{tag}>")
        for name, value in attrs:
            inner = (value or "").startswith("#") or (tag == "image" and (value or "").startswith("data:image/png;base64,"))
            if name in {"href", "src", "srcset", "action", "xlink:href", "data", "poster"} and not inner:
                faults.append(f"{tag} {name}={value}")
            if name.startswith("on") or (name == "style" and re.search(r"url\((?!#)", value or "")):
                faults.append(f"{tag} {name}={value}")
    return faults


def for_readers(page, text):
    """What screen readers, phones and printers need."""
    ids = [value for _, attrs in page.tags for name, value in attrs if name == "id"]
    faults = [f"id {i} twice" for i in set(ids) if ids.count(i) > 1]
    of = lambda tag: [dict(attrs) for t, attrs in page.tags if t == tag]
    for tag, attrs in page.tags:
        for name, value in attrs:
            if name in {"aria-labelledby"} and value not in ids:
                faults.append(f"{tag} {name}={value}: no such id")
            if name == "href" and value.startswith("#") and value[1:] not in ids:
                faults.append(f"{tag} {name}={value}: no such id")
    faults += [f"{tag}: {len(of(tag))} of them" for tag in ("main", "header", "footer", "nav", "h1", "title") if len(of(tag)) != 1]
    faults += ["an <svg> without role and label" for a in of("svg") if a.get("role") != "img" or "aria-labelledby" not in a]
    faults += [f"{len(of('svg'))} pictures, {len(of('figcaption'))} captions"] * (len(of("svg")) != len(of("figcaption")))
    faults += [f"{len(of('table'))} tables, {len(of('caption'))} captions"] * (len(of("table")) != len(of("caption")))
    faults += ["a header cell without scope" for a in of("th") if a.get("scope") not in {"row", "col"}]
    faults += ["no viewport"] * (not any(a.get("name") == "viewport" for a in of("meta")))
    faults += [f"no {rule}" for rule in ("@media print", "prefers-color-scheme:dark", "break-inside") if rule not in text.replace(": ", ":")]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    faults += [f"headings {a} {b}" for a, b in zip(levels, levels[1:]) if b > a + 1]
    return faults


def words_of(command):
    """The words that a shell makes of a command; "halfspace" prints them."""
    script = "halfspace() { printf '%s\\0' \"$@\"; }\n" + command + "\n"
    done = subprocess.run([shutil.which("bash"), "-c", script], capture_output=True, env={"PATH": "/nonexistent"}, check=True)
    return done.stdout.split(b"\0")[:-1]


def check_names(tap, program, folder):
    order = sorted(HOSTILE, key=lambda name: name.encode())
    plain = [f"n{order.index(name):02}" for name in HOSTILE]  # sorted in the same order, as classes are
    options = ["--missing", "mean", "--only", "majority,lda,ridge", "--seed", "3"]
    for kind, chosen in (("compared", options), ("network", ["-a", "mlp", "--hidden", "3", "--max-epochs", "5"]), ("logistic", ["-a", "logistic"])):
        for labels in (2, 3):
            files = {}
            for style, names in (("plain", plain), ("hostile", HOSTILE)):
                file, out = folder / f"{style}.csv", folder / f"{style}.html"
                file.write_text(table([f"{name}" for name in names[:6]] + [names[6 + labels]], names[7:12], names[12:12 + labels]), encoding="utf-8")
                report(program, str(file), "-o", str(out), "--target", "7", "--title", names[1], *chosen)
                files[style] = page_of(out)
            page, text = files["hostile"]
            a, b = skeleton(files["plain"][0]), skeleton(page)
            tap.test(f"{kind}, {labels} classes: names add no element and no attribute", [] if a == b else [x for x in zip(a, b) if x[0] != x[1]][:3] or [len(a), len(b)])
            tap.test(f"{kind}, {labels} classes: the page is whole and refers to nothing", page.faults + references(page))
            tap.test(f"{kind}, {labels} classes: no character is hidden", HIDDEN.findall(text))
            shown = "".join(page.text)
            missing = [name for name in HOSTILE[:4] if name not in shown] + [code for code in ("[U+0007]", "[U+001B]") if code not in shown]
            tap.test(f"{kind}, {labels} classes: names are shown as text", missing)
            tap.test(f"{kind}, {labels} classes: what readers need", for_readers(page, text))
            tap.test(f"{kind}, {labels} classes: at most 1 MB", [len(text)] if len(text) > 1000000 else [])


def check_every_name(tap, program, folder):
    """Each hostile name by itself as column, level, label, title and file."""
    faults = []
    for i, name in enumerate(HOSTILE):
        if "\u200b" == name or name == "\u0001":
            continue
        safe = name.replace("/", "_")[:200].encode()[:200].decode(errors="ignore")
        file, out = folder / f"{safe}.csv", folder / f"{i}.html"
        file.write_text(table([name, "b", "label"], [name, "other", "third"], ["no", name]), encoding="utf-8")
        report(program, str(file), "-o", str(out), "-a", "lda", f"--title={name}", "--target", "label", "--categorical", "1")
        page, text = page_of(out)
        faults += [(name[:20], fault) for fault in page.faults + references(page) + HIDDEN.findall(text)]
        for command in page.commands:
            words = words_of(command)
            if str(file).encode() not in words and b"new.csv" not in words:
                faults.append((name[:20], command[:200]))
        file.unlink()
    tap.test("every name alone: nothing but text, and commands that a shell reads as they are shown", faults)


def check_broken_names(tap, program, folder):
    """Bytes that are not UTF-8 in names of columns, labels and files."""
    raw = b"a\xff<b>,b\xc3\x28,label\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"no\xfe" if i % 3 else b"yes\x80<i>") for i in range(40))
    file = os.path.join(os.fsencode(str(folder)), b"bad\xff<u>.csv")
    with open(file, "wb") as out:
        out.write(raw)
    done = subprocess.run([program, "report", file, "-o", str(folder / "bad.html"), "-a", "lda"], capture_output=True)
    if done.returncode == 2:
        tap.test("names that are not UTF-8 are refused in one line", [] if done.stderr.count(b"\n") == 1 and not (folder / "bad.html").exists() else [done.stderr])
        with open(file, "wb") as out:
            out.write(raw.replace(b"\xff", b"").replace(b"\xc3\x28", b"").replace(b"\xfe", b"").replace(b"\x80", b""))
        report(program, file, "-o", str(folder / "bad.html"), "-a", "lda")
    page, text = page_of(folder / "bad.html")
    words = [words_of(command) for command in page.commands]
    tap.test("a file whose name is not UTF-8 is not named in commands, which would not find it",
             page.faults + references(page) + ["no U+FFFD"] * ("\ufffd" not in text) + [w for w in words if b"DATA" not in w and b"new.csv" not in w])


def check_same_bytes(tap, program, folder):
    (folder / "same.csv").write_text(table(["c", "x", "y", "label"], ["u", "v"], ["no", "yes"], 90))
    pages = []
    for threads in ("1", "2", "5"):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "86400"}
        subprocess.run([program, "report", "same.csv", "-o", "same.html", "--threads", threads, "-q", "--only", "lda,ridge,logistic,majority"],
                       cwd=folder, env=environment, check=True)
        pages.append((folder / "same.html").read_bytes())
    tap.test("the same bytes for any number of threads", [] if len(set(pages)) == 1 else ["they differ"])
    tap.test("with the date of SOURCE_DATE_EPOCH", [] if b"1970-01-02" in pages[0] else ["another date"])
    (folder / "page.html").write_text("old")
    done = subprocess.run([program, "report", "same.csv", "-o", "page.html", "-a", "lda", "--model", "no/m.hsm"], cwd=folder, capture_output=True)
    kept = (folder / "page.html").read_text() == "old" and sorted(os.listdir(folder)) == sorted(set(os.listdir(folder)) - {"no"})
    tap.test("a page that cannot be completed replaces none", [] if done.returncode in (2, 3) and kept else [done.returncode, done.stderr])


def check_commands(tap, program, folder):
    """Every command of a page works on the file."""
    faults, quick = [], ["--only", "majority,lda,ridge,logistic", "--folds", "3"]
    (folder / "t.csv").write_text("id,town,age,day,label\n" + "".join(
        f"{i},town {i % 9},{'' if i % 11 == 0 else i * 7 % 50},{i // 4},{'yes' if i * 7 % 50 > 20 + i % 5 else 'no'}\n"
        for i in range(120)))
    (folder / "n.csv").write_text("a b,c,price\n" + "".join(f"{i % 17},{i * i % 23},{i % 17 * 3.5 + i % 5}\n" for i in range(90)))
    runs = [["t.csv", "--missing", "indicator", *quick], ["t.csv", "--missing", "mean", "--group", "town", "--ignore", "id", *quick],
            ["t.csv", "--missing", "median", "--time", "day", "-a", "svm", "-C", "0.3", "--loss", "squared-hinge"],
            ["n.csv", "--task", "regression", "--only", "majority,ridge,lasso", "--folds", "3"],
            ["n.csv", "--target", "a b", "--task", "regression", "-a", "lasso", "--lambda", "0.1"]]
    for run in runs:
        report(program, *run, "-o", "out.html", cwd=folder)
        shutil.copy(folder / run[0], folder / "new.csv")
        page, _ = page_of(folder / "out.html")
        for command in page.commands:
            script = f"halfspace() {{ {shlex.quote(program)} \"$@\"; }}\n{command} -q\n"
            done = subprocess.run([shutil.which("bash"), "-c", script], cwd=folder, capture_output=True, text=True)
            if done.returncode:
                faults.append((command, done.returncode, done.stderr))
        if len(page.commands) < 4:
            faults.append((run, page.commands))
    tap.test("every command of a page works", faults)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder, program = Path(name), os.path.abspath(sys.argv[1])
        check_names(tap, program, folder)
        check_every_name(tap, program, folder)
        check_broken_names(tap, program, folder)
        check_commands(tap, program, folder)
        check_same_bytes(tap, program, folder)
    print(f"1..{tap.count}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
