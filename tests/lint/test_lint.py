#!/usr/bin/env python3
"""Plants one fault at a time in a small clean tree and asks whether tools/lint finds it there. Prints TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LINT = Path(__file__).resolve().parents[2] / "tools" / "lint"
HEADER = '#ifdef __cplusplus\nextern "C" {\n#endif\n#define HSP_API\nHSP_API int hsp_one(void);\n#ifdef __cplusplus\n}\n#endif\n'
CLEAN = {
    "include/halfspace.h": HEADER,
    "src/base/memory.c": "void *hsp_alloc(void) {\n    return malloc(1);\n}\n",
    "src/base/text.h": "int hsp_text(void);\n",
    "src/base/text.c": '#include "base/text.h"\n\nint hsp_text(void) {\n    return 0;\n}\n',
    "tools/modules.txt": "# a comment\nbase: the ground:\nkernel: sums: base\ndata: rows:\nread: readers:\nloss: losses:\nprepare: scales:\n"
                         "solve/loop: runs: base data/rows.h\nmodel: models: base prepare\nverify: claims: data read\npredict: streams: read model\n"
                         "classifier: names:\nplot/draw: canvas:\n",
    "src/kernel/dot.c": '#include "base/text.h"\n\nint x = hsp_text();\n',
    "src/read/csv.h": "int hsp_csv(void);\n",
    "src/model/model.h": '#include "halfspace.h"\n#include "base/text.h"\n#include "prepare/scale.h"\n'
                         "#define HSP_MODEL (hsp_one() + hsp_text() + hsp_scale())\n",
    "src/model/model.c": '#include "model/model.h"\n\nint y = hsp_text();\n',
    "src/prepare/scale.h": "int hsp_scale(void);\n",
    "src/predict/stream.c": '#include "model/model.h"\n#include "read/csv.h"\n\nint z = HSP_MODEL + hsp_csv();\n',
    "src/classifier/table.c": "/* the list */\n",
    "src/classifier/perceptron.c": 'const hsp_classifier hsp_perceptron = {\n    .name = "perceptron",\n};\n',
    "src/solve/loop/table.c": '/* file names of tables repeat */\n#include "base/text.h"\n#include "data/rows.h"\n\nhsp_row r = HSP_ROWS + hsp_text();\n',
    "src/verify/claim.c": '#include "data/rows.h"\n#include "read/csv.h"\n\nint c = hsp_rows(HSP_WIDE) + hsp_csv();\n',
    "src/data/rows.h": "#define HSP_ROWS 3\nenum { HSP_NARROW, HSP_WIDE };\ntypedef struct hsp_row {\n    int n;\n} hsp_row;\nint hsp_rows(int n);\nextern const hsp_row hsp_first, hsp_last;\n",
    "src/plot/draw/canvas.h": "int hsp_canvas(void);\n",
    "src/plot/draw/canvas.c": '#include "plot/draw/canvas.h"\n#include "halfspace.h"\n\nvoid *space(void) {\n    hsp_one();\n    return 0;\n}\n',
    "cli/main.c": '#include "halfspace.h"\n\nint main(void) {\n    printf("100%% done, 5 %d\\n", 3);\n    return 0;\n}\n',
    "tests/unit/base/test_text.c": '#include "base/text.h"\n\ndouble oracle(void) {\n    return strtod("1", 0);\n}\n',
    "tests/cli/tabs.tsv": "a\tb \nno newline at the end",
    "docs/perceptron.md": "# perceptron\n\n" + "A line of prose may be as long as it likes. " * 5 + "end\n",
    "Makefile": "all:\n\t@true\n",
    # What looks like a fault and is none: words in comments and strings, braces in literals, members called free.
    "src/base/traps.c": "/* strcpy(a, b) and malloc(3) { */\n// sprintf(x) {\n#define OPEN {\n"
                        "int hsp_traps(struct s *p) {\n    const char *t = \"strcpy(\\\" {\"; char c = '{', q = '\"';\n"
                        "    p->free(p); p->kind.free(p); hsp_free(p);\n#if A\n    if (c) {\n#else\n    if (q) {\n#endif\n"
                        "        return 1;\n    }\n    return t[0];\n}\n"
                        + "".join(f"int x{i};\n" for i in range(120))
                        + "void hsp_time(char *b) {\n    strftime(b, 9, \"%F\", 0);\n}\n",
}


def body(lines):
    return "int hsp_long(void) {\n" + "    ;\n" * (lines - 2) + "}\n"


def call(statement):
    return f"void f(void) {{\n    {statement};\n}}\n"


MARK = "/* lint: length {}, a table of cases */\n"
# name: ({file: text}, what must be in one line of the output)
FAULTS = {
    "base includes kernel": ({"src/base/up.c": '#include "kernel/dot.h"\n'}, "src/base/up.c:1: include:"),
    "loss includes data": ({"src/loss/up.c": '#include "data/rows.h"\n'}, "src/loss/up.c:1: include:"),
    "model includes solve": ({"src/model/up.c": '\n#include "solve/run.h"\n'}, "src/model/up.c:2: include:"),
    "model includes read": ({"src/model/up.c": '#include "read/csv.h"\n'}, "include:"),
    "verify includes solve": ({"src/verify/up.c": '#include "solve/run.h"\n'}, "include:"),
    "verify includes kernel": ({"src/verify/up.c": '#include "kernel/dot.h"\n'}, "include:"),
    "plot sees the inside": ({"src/plot/draw/up.c": '#include "base/text.h"\n'}, "src/plot/draw/up.c:1: include:"),
    "a header beside the one that is allowed": ({"src/solve/loop/up.c": '#include "data/block.h"\n'}, "src/solve/loop/up.c:1: include:"),
    "an edge that is never used": ({"src/kernel/dot.c": "int x;\n"}, "'kernel' may include 'base' and never does"),
    "a module that includes a later one": ({"tools/modules.txt": CLEAN["tools/modules.txt"].replace("data: rows:", "data: rows: read")},
                                           "tools/modules.txt:4: include: 'data' includes 'read'"),
    "a function of a header that is not included": ({"src/predict/up.c": "int x = hsp_csv();\n"}, "src/predict/up.c:1: use: 'hsp_csv' is of read/csv.h"),
    "a macro of a header that comes by another": ({"src/verify/up.c": "int x = HSP_ROWS;\n"}, "use: 'HSP_ROWS' is of data/rows.h"),
    "a constant of a header that is not included": ({"src/verify/up.c": "int x = HSP_NARROW;\n"}, "use: 'HSP_NARROW' is of data/rows.h"),
    "a type of a header that is not included": ({"src/verify/up.c": "hsp_row *x;\n"}, "use: 'hsp_row' is of data/rows.h"),
    "an object of a header that is not included": ({"src/verify/up.c": "const void *x = &hsp_last;\n"}, "use: 'hsp_last' is of data/rows.h"),
    "an include of which nothing is used": ({"src/verify/up.c": '#include "data/rows.h"\n'}, "src/verify/up.c:1: use: nothing of data/rows.h"),
    "the program sees the inside": ({"cli/up.c": '#include "base/text.h"\n'}, "cli/up.c:1: include:"),
    "spaces do not hide an include": ({"src/base/up.c": '  #  include "data/rows.h"\n'}, "include:"),
    "an include without its module": ({"src/base/up.c": '#include "text.h"\n'}, "write 'text.h' as module/file.h"),
    "an unknown module": ({"src/attic/x.c": "int x;\n"}, "no known module"),
    "a file in no module": ({"src/x.c": "int x;\n"}, "no known module"),
    "a struct of 26 fields": ({"src/data/s.c": "typedef struct wide {\n" + "    int a, *b;\n" * 12 + "    int (*f)(int x, int y);\n    struct {\n        int c, d;\n    } g;\n} wide;\n"},
                              "src/data/s.c:1: struct: 'wide' has 26 fields"),
    "a struct of 26 fields behind a handle": ({"src/data/s.c": "struct hsp_wide {\n" + "    int a, *b;\n" * 13 + "};\n"},
                                              "src/data/s.c:1: struct: 'hsp_wide' has 26 fields"),
    "one type name in two files": ({"src/data/s.c": "typedef struct wide {\n    int a;\n} wide;\n", "src/loss/t.c": "typedef enum wide { A } wide;\n"},
                                   "src/loss/t.c:1: type: 'wide'"),
    "fifteen questions which entry it is": ({"src/data/s.c": "int f(void *p) {\n" + "    if (p == &hsp_first) return 1;\n" * 15 + "    return 0;\n}\n"},
                                            "src/data/s.c:16: identity: one of 15"),
    "a static function called run": ({"src/data/s.c": "static int run(void) {\n    return 0;\n}\n"}, "src/data/s.c:1: name: run() says nothing"),
    "a status called rc": ({"src/data/s.c": "int f(hsp_error **err) {\n    int rc = hsp_text(1, err);\n    return rc;\n}\n"}, "'rc' is a status"),
    "a function of 101 lines": ({"src/data/long.c": body(101)}, "src/data/long.c:1: length: hsp_long() has 101 lines"),
    "a long function after a macro with a brace": ({"src/data/long.c": "#define A \\\n    {\n" + body(101)}, "hsp_long()"),
    "a long function with an #else": ({"src/data/long.c": "#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n"
                                       + "    ;\n" * 120 + "}\n"}, "length: f()"),
    "a long function in extern C": ({"src/data/long.c": 'extern "C" {\n' + body(101) + "}\n"}, "hsp_long()"),
    "a file of 801 lines": ({"src/data/long.c": "int x;\n" * 801}, "src/data/long.c:1: length: the file has 801"),
    "an exemption that is too small": ({"src/read/long.c": "int x;\n" + MARK.format(110) + body(120)}, "its exemption of 110"),
    "an exemption in the wrong module": ({"src/model/long.c": "int x;\n" + MARK.format(130) + body(120)}, "exemption:"),
    "an exemption without a reason": ({"src/read/long.c": "int x;\n/* lint: length 130 */\n" + body(120)}, "exemption:"),
    "an exemption that is not needed": ({"src/read/long.c": "int x;\n" + MARK.format(130) + body(20)}, "remove it"),
    "malloc outside memory.c": ({"src/data/m.c": call("p = malloc(3)")}, "src/data/m.c:2: call: malloc()"),
    "free in the library": ({"src/data/m.c": call("free (p)")}, "call: free()"),
    "printf in the library": ({"src/data/m.c": call("printf(0)")}, "call: printf()"),
    "exit in pictures": ({"src/plot/m.c": call("exit(1)")}, "call: exit()"),
    "strtod in the program": ({"cli/m.c": call('strtod("1", 0)')}, "call: strtod()"),
    "JSON parsed inside the library": ({"src/base/m.c": call('hsp_json_parse("{}", 2, 0, 0)')}, "call: hsp_json_parse()"),
    "strtol in the library": ({"src/data/m.c": call("a = strtoll(b, c, 10)")}, "call: strtoll()"),
    "sscanf": ({"src/data/m.c": call("sscanf(a)")}, "call: sscanf()"),
    "sprintf in a test": ({"tests/unit/data/test_m.c": call("sprintf(a, b)")}, "call: sprintf()"),
    "a call in a macro": ({"src/data/m.c": "#define COPY(a, b) strcpy(a, b)\n"}, "call: strcpy()"),
    "a call after a string": ({"src/data/m.c": call('g("\\\\"); rand()')}, "call: rand()"),
    "%g in the library": ({"src/data/m.c": call('g("%g")')}, "src/data/m.c:2: format: %g"),
    "%-8.3f in the program": ({"cli/m.c": call('g("%%%-8.3f")')}, "format: %-8.3f"),
    "%.*e in the program": ({"cli/m.c": call('g("%.*e")')}, "format: %.*e"),
    "malloc in the pictures": ({"src/plot/draw/m.c": call("malloc(1)")}, "call: malloc()"),
    "a forgotten task": ({"src/data/m.c": "/* TO" + "DO: more */\n"}, "src/data/m.c:1: word:"),
    "a forgotten task in the docs": ({"docs/x.md": "FIX" + "ME\n"}, "docs/x.md:1: word:"),
    "an absolute path": ({"docs/x.md": "see /ho" + "me/someone/x\n"}, "docs/x.md:1: path:"),
    "an absolute path in test data": ({"tests/cli/x.out": "read /wo" + "rk/x\n"}, "tests/cli/x.out:1: path:"),
    "a space at the end": ({"docs/x.md": "a \n"}, "docs/x.md:1: space:"),
    "a tab": ({"src/data/m.c": "\tint x;\n"}, "src/data/m.c:1: tab:"),
    "no newline at the end": ({"src/data/m.c": "int x;"}, "src/data/m.c:1: end:"),
    "a line of 129 columns": ({"src/data/m.c": "/*" + "x" * 125 + "*/\n"}, "src/data/m.c:1: width: 129"),
    "one name in two modules": ({"src/data/csv.c": "int x;\n"}, "'csv' is also in"),
    "a folder called misc": ({"src/data/misc/m.c": "int x;\n"}, "'misc' says nothing"),
    "a file called utils": ({"tests/utils.py": "x = 1\n"}, "'utils.py' says nothing"),
    "a header that is not C": ({"include/halfspace.h": "int hsp_one(size_t n);\n"}, "include/halfspace.h:1: header:"),
    "a header that is not C++": ({"include/halfspace.h": "int hsp_one(int class);\n"}, "alone as c++"),
    "a classifier without a page": ({"src/classifier/ridge.c": 'const hsp_classifier r = {"ridge", 0};\n'},
                                    "src/classifier/ridge.c:1: docs: classifier 'ridge'"),
    "Python that does not parse": ({"python/halfspace/m.py": "def f(:\n"}, "python/halfspace/m.py:1: syntax:"),
    "a tool that does not parse": ({"tools/t": "#!/usr/bin/env python3\nif\n"}, "tools/t:1: syntax:"),
    "a line of 141 columns in Python": ({"python/tests/m.py": "\nx = '" + "x" * 135 + "'\n"}, "python/tests/m.py:2: width: 141"),
    "a function of 101 lines in Python": ({"python/halfspace/m.py": "def f():\n" + "    f()\n" * 100}, "python/halfspace/m.py:1: length: f()"),
    "no classifiers found": ({"src/classifier/perceptron.c": "int x;\n"}, "found no classifier names"),
}
INTERNAL_HEADER = {"include/halfspace_internal.h": HEADER.replace("hsp_one", "hsp_inside").replace("HALFSPACE_H", "HALFSPACE_INTERNAL_H")}
EXPORTS = {
    "a symbol that no header declares": ("int hsp_one(void) { return 1; }\nint hsp_two(void) { return 2; }\n", "exports 'hsp_two'"),
    "a declared symbol that is missing": ("int x(void);\n", "'hsp_one' is declared"),
    "exported data": ("int hsp_one(void) { return 1; }\nint hsp_state = 3;\n", "the data 'hsp_state'"),
}

# What each pattern of tools/words.txt finds.
UNWANTED = {
    "the whole street": "street", "a dear step": "dear step", "dearer solvers": "dearer solvers", "a hole in a row": "hole",
    "fill the Holes": "Holes", "learnt anew": "anew", "who learns must know": "who learns", "for one who trains": "one who",
    "it is no reason to fail": "is no reason", "classes of so many rows": "so many", "for bent boundaries": "bent",
    "N waves in all": "waves", "options overrule it": "overrule", "encoded by themselves": "by themselves",
    "what is to be known": "what is to be", "the first is told": "is told", "all are told": "are told", "it tells of that": "tells of",
    "weights speak for it": "speak for", "a weight speaks for a": "speaks for",
}
WORDS = {"tools/words.txt": (LINT.parent / "words.txt").read_text()}
# What looks like an unwanted word and is none: names alone, comments, parts of words.
WANTED = {
    "docs/x.md": "The key `street` of old models, `\"street\":1`, is read as margin_width. Anyone who reads them, Streetwise.\n",
    "python/halfspace/m.py": '"""The key `street` of old models."""\n# who learns anew\nx = {"street": "holes"}\n',
    "python/tests/m.py": '"""The whole street."""\n',
    "src/data/m.c": "/* who learns anew */\nconst char *key = \"street\", *path = \"base/holes.h\", *text = \"anyone who \\n asks\";\n",
}

# Commits, oldest first, and what is wrong with each. Those before the check, and the check itself, are not checked.
SUBJECTS = {
    "Whatever it was, before the check": None,
    "lint: check commit subjects": None,
    "read: name the column of a bad number": None,
    "src/read, model-format, README: keep it short; embed nothing": None,
    "read: pass on what was read": None,
    "Read faster": "has no area",
    "read faster: : and more": "has no area",
    "read: names the column": "'names' is not an imperative",
    "read: named the column": "'named' is not an imperative",
    "read: naming the column": "'naming' is not an imperative",
    "read: the column is named": "'the' is not an imperative",
    "read: " + "x" * 67: "73 characters, more than 72",
    "read: " + "x" * 66: None,
}


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def build(root, code):
    (root / "build").mkdir()
    (root / "build" / "x.c").write_text(code)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", root / "build" / "libhalfspace.so", root / "build" / "x.c"], check=True)


def lint(files, library=None):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        plant(root, CLEAN)
        plant(root, files)
        if library:
            build(root, library)
        # Compiling is what takes the time: the compilers are hidden where they are not the subject.
        hidden = {} if library or "include/halfspace.h" in files else {"PATH": ""}
        run = subprocess.run([sys.executable, LINT, root], env={**os.environ, **hidden}, capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


def words_cases():
    yield "words that are names, comments or parts of words pass", lint({**WORDS, **WANTED}), 0, ", 0 findings, "
    page = "# page\n\n" + "\n\n".join(UNWANTED) + "\n"
    code, output = lint({**WORDS, "docs/x.md": page, "README.md": page, "CHANGELOG.md": page, "docs/halfspace.1": page})
    for number, (text, word) in enumerate(UNWANTED.items()):
        for file in ("docs/x.md", "README.md", "CHANGELOG.md", "docs/halfspace.1"):
            yield f"'{text}' in {file}", (code, output), 1, f"{file}:{2 * number + 3}: words: '{word}': write "
    literals = "".join(f'const char *t{n} = "%d\\n{text}";\n' for n, text in enumerate(UNWANTED))
    code, output = lint({**WORDS, "src/data/m.c": literals, "cli/m.c": literals})
    for number, (text, word) in enumerate(UNWANTED.items()):
        for file in ("src/data/m.c", "cli/m.c"):
            yield f"'{text}' in {file}", (code, output), 1, f"{file}:{number + 1}: words: '{word}': write "
    docstrings = "".join(f'def f{n}():\n    """{text}."""\n' for n, text in enumerate(UNWANTED))
    code, output = lint({**WORDS, "python/halfspace/m.py": docstrings})
    for number, (text, word) in enumerate(UNWANTED.items()):
        file = "python/halfspace/m.py"
        yield f"'{text}' in {file}", (code, output), 1, f"{file}:{2 * number + 2}: words: '{word}': write "
    yield "words in a message of Python", lint({**WORDS, "python/halfspace/m.py": 'm = f"{x} of so many rows"\n'}), 1, "m.py:1: words: 'so many'"
    yield "words over two lines", lint({**WORDS, "docs/x.md": "a number of so\nmany\n"}), 1, "docs/x.md:1: words: 'so many'"
    yield "words over two literals", lint({**WORDS, "cli/m.c": 'g("so "\n  "many");\n'}), 1, "cli/m.c:1: words: 'so many'"
    patterns = [line.partition(": ")[0] for line in WORDS["tools/words.txt"].splitlines() if line and line[0] != "#"]
    idle = [p for p in patterns if not any(re.search(p, text, re.I) for text in UNWANTED)]
    yield "every pattern has a planted fault", (len(idle), f"idle: {idle}"), 0, "idle: []"


def commit(root, subjects):
    """A repository with an empty commit for each subject; the second one brings tools/lint."""
    who = {"GIT_CONFIG_GLOBAL": os.devnull, **{f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}}

    def git(*arguments):
        subprocess.run(["git", "-C", root, *arguments], check=True, env={**os.environ, **who}, stdout=subprocess.DEVNULL)

    git("init", "-q")
    for number, subject in enumerate(subjects):
        if number == 1:
            (root / "tools").mkdir(exist_ok=True)
            shutil.copyfile(LINT, root / "tools" / "lint")
            git("add", "tools/lint")
        git("commit", "-q", "--allow-empty", "-m", subject)


def subject_cases():
    if not shutil.which("git"):
        yield "commit subjects # SKIP no git", (0, ""), 0, ""
        return
    with tempfile.TemporaryDirectory() as folder:
        whole, shallow = Path(folder) / "whole", Path(folder) / "shallow"
        whole.mkdir()
        commit(whole, SUBJECTS)
        # The commit that brought the check is not among the last six.
        subprocess.run(["git", "clone", "-q", "--depth", "6", whole.resolve().as_uri(), shallow], check=True)
        results = []
        for root in (whole, shallow):
            run = subprocess.run([sys.executable, LINT, root], capture_output=True, text=True)
            results.append((run.returncode, run.stdout + run.stderr))
        code, output = results[0]
        for subject, fault in SUBJECTS.items():
            if fault:
                yield f"commit subject '{subject}'", (code, output), 1, f"subject: '{subject}' {fault}: write"
        bad = sum(fault is not None for fault in SUBJECTS.values())
        yield "good commit subjects pass", (code, output), 1, f", {bad} findings, "
        yield "older commits are counted", (code, output), 1, f"{len(SUBJECTS) - 2} commit subjects checked, 2 older ones skipped"
        yield "a shallow clone is checked as far as it goes", results[1], 1, "5 commit subjects checked, 1 older ones skipped"


def cases():
    clean = ", 0 findings, "
    yield "a clean tree passes", lint({"include/halfspace.h": HEADER}), 0, f"{clean}0 exemptions"
    yield "100 lines pass", lint({"src/data/long.c": body(100)}), 0, clean
    for name, mark in (("function", "int x;\n" + MARK.format(130) + body(120)), ("file", MARK.format(900) + "int x;\n" * 850)):
        yield f"an exempt {name} passes and is counted", lint({"src/read/long.c": mark}), 0, f"{clean}1 exemptions"
    yield "what is built is not looked at", lint({"build-x/m.c": "\tint x;"}), 0, clean
    yield "exports that agree pass", lint({}, "int hsp_one(void) { return 1; }\n"), 0, clean
    both = "int hsp_one(void) { return 1; }\nint hsp_inside(void) { return 2; }\n"
    yield "exports of the internal header pass", lint(INTERNAL_HEADER, both), 0, clean
    yield "a symbol of the internal header that is missing", lint(INTERNAL_HEADER, both.split("\n")[0]), 1, "'hsp_inside' is declared"
    for name, (files, expected) in FAULTS.items():
        needs_cxx = "C++" in name and not shutil.which("g++")
        yield name + (" # SKIP no g++" if needs_cxx else ""), lint(files), 1, expected
    for name, (code, expected) in EXPORTS.items():
        yield name, lint({}, code), 1, expected
    yield from words_cases()
    yield "outside of git commit subjects are skipped", lint({}), 0, "not a git repository: 0 commit subjects checked"
    yield from subject_cases()


def main():
    failed = count = 0
    for count, (name, (code, output), expected_code, expected) in enumerate(cases(), 1):
        good = "# SKIP" in name or code == expected_code and any(expected in line for line in output.splitlines())
        failed += not good
        print(f"{'ok' if good else 'not ok'} {count} - {name}")
        if not good:
            print("".join(f"# {line}\n" for line in [f"exit {code}, expected {expected!r}"] + output.splitlines()), end="")
    print(f"1..{count}")
    return 1 if failed else 0


sys.exit(main())
