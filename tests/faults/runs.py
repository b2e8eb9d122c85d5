"""Commands that are run with a preloaded library which lets a system call fail (fault.c), and what they leave.

A command reads ../data and writes where it runs. Its outcome is its exit code, stdout, stderr and all files of its folder."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

OLD = b'the content of an older file\n'
SECONDS = 60  # a run that takes longer hangs

TABLE = """city,when,size,note,open,label
Rome,2021-03-04,1.5,a fine day,yes,a
Oslo,2021-03-05,,cold and dark,no,b
Rome,2021-04-04,2.5,a warm day,yes,a
Bonn,2021-05-14,0.5,grey,no,b
,2021-06-01,3.25,fine and warm,yes,a
Oslo,2021-07-30,-1,dark,no,b
Bonn,2021-08-02,2,warm,yes,a
Oslo,2021-09-09,-2.5,cold grey day,no,b
"""

SETUP = [
    'generate blobs --rows 40 --features 3 --noise 3 -o two.csv', 'generate blobs --rows 45 --features 3 --classes 3 --noise 3 -o three.csv',
    'generate blobs --rows 40 --features 2 --noise .1 -o apart.csv', 'generate sparse --rows 50 --features 60 -o sparse.svm',
    'convert two.csv two.hsd', 'convert sparse.svm sparse.svm.gz', 'convert two.csv two.csv.zst', 'convert two.csv two.npy',
    'train two.csv -o two.hsm', 'train table.csv --missing indicator --text note -o table.hsm',
    'train two.csv -a svm -o apart.hsm --certificate cert.csv',
]


class Command(NamedTuple):
    """words: its arguments; writes: the files it makes; optional: those it may do without."""
    words: str
    writes: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    again: str = ''  # more arguments when it is run again after it was killed


COMMANDS = [
    Command('train ../data/two.csv -o m.hsm --trace trace.csv', ('m.hsm', 'trace.csv')),
    Command('train ../data/two.csv -a svm -o m.hsm --certificate cert.csv', ('m.hsm', 'cert.csv')),
    Command('train ../data/table.csv --missing indicator --text note -o m.hsm', ('m.hsm',)),
    Command('train ../data/two.hsd -a ridge -o m.hsm', ('m.hsm',)), Command('train ../data/sparse.svm.gz -a lda --shrinkage .5 -o m.hsm', ('m.hsm',)),
    Command('train own.csv --cache -o m.hsm', ('m.hsm', 'own.csv.hsd'), ('own.csv.hsd',)),
    Command('train ../data/two.csv ../data/two.csv --max-memory 1M -o m.hsm', ('m.hsm',)),
    Command('train ../data/two.csv --checkpoint run.ckpt -o m.hsm', ('m.hsm', 'run.ckpt'), (), '--resume'),
    Command('predict ../data/two.hsm ../data/two.csv --scores --proba -o out.csv', ('out.csv',)),
    Command('predict ../data/table.hsm ../data/table.csv --keep city -o out.csv.gz', ('out.csv.gz',)),
    Command('predict ../data/two.hsm ../data/two.csv.zst'), Command('predict ../data/two.hsm -'),
    Command('evaluate ../data/two.hsm ../data/two.hsd'), Command('verify ../data/apart.hsm ../data/two.csv ../data/cert.csv'),
    Command('inspect ../data/table.csv'), Command('show ../data/table.hsm'), Command('explain ../data/two.csv -a lda'),
    Command('convert ../data/two.csv out.hsd', ('out.hsd',)), Command('convert ../data/two.csv ../data/two.csv out.hsd --max-memory 1M', ('out.hsd',)),
    Command('convert ../data/two.hsd out.svm.zst', ('out.svm.zst',)), Command('convert ../data/two.npy out.csv', ('out.csv',)),
    Command('split ../data/two.csv --stratify -o train.csv test.csv', ('train.csv', 'test.csv')),
    Command('generate blobs --rows 30 -o out.csv', ('out.csv',)), Command('generate sparse --rows 30 -o out.svm.gz', ('out.svm.gz',)),
    Command('cv ../data/two.csv --folds 2 --predictions out.csv --refit -o m.hsm', ('out.csv', 'm.hsm')),
    Command('compare ../data/two.csv --folds 2 --only majority,lda'), Command('path ../data/two.csv --lambdas .1,1 -o out.csv', ('out.csv',)),
]
PLOTS = [
    Command('plot boundary ../data/two.hsm ../data/two.csv -o out.png', ('out.png',)), Command('plot losses -o out.svg', ('out.svg',)),
    Command('plot roc ../data/two.hsm ../data/two.csv -o out.pdf', ('out.pdf',)),
    Command('film ../data/apart.csv -a perceptron --frames 3 -o out.gif', ('out.gif',)),
    Command('film ../data/apart.csv -a perceptron --frames 3 -o out.apng', ('out.apng',)),
    Command('film ../data/apart.csv -a perceptron --frames 2 -o frames/', ('frames/frame-0001.png', 'frames/frame-0002.png')),
    Command('report ../data/two.csv -o out.html --folds 2', ('out.html',)),
]


class Outcome(NamedTuple):
    code: int
    out: object
    err: str
    files: dict[str, bytes]


def stable(value):
    """A report without what differs from run to run."""
    if isinstance(value, dict):
        return {k: stable(v) for k, v in value.items() if k not in ('seconds', 'memory')}
    return [stable(v) for v in value] if isinstance(value, list) else value


def stable_text(text):
    try:
        return stable(json.loads(text))
    except ValueError:
        return text


def stable_file(name, content):
    """Without the seconds in a trace or a page, and of a cache, which names a file by its inode and times, only whether it ends."""
    if name.endswith('.csv.hsd'):
        return content[:40] + b'%d bytes, %r' % (len(content), content[-16:].strip(b'\0') != b'')
    if name.endswith('trace.csv'):
        lines = [line.split(b',') for line in content.splitlines()]
        at = lines[0].index(b'seconds') if lines and b'seconds' in lines[0] else None
        return b'\n'.join(b','.join(line[:at] + line[at + 1:]) for line in lines) if at is not None else content
    return re.sub(rb'[0-9.]+ (ms|s|seconds)\b', b'TIME', content) if name.endswith('.html') else content


def is_leftover(name):
    return os.path.basename(name).startswith('.halfspace-')


class Runner:
    """The program, the preloaded library, and a folder with the data and the folders of runs."""

    def __init__(self, program, library):
        self.program, self.folder = os.path.abspath(program), tempfile.mkdtemp(prefix='halfspace-faults-')
        self.preloaded = os.path.abspath(library)
        data = Path(self.folder, 'data')
        data.mkdir()
        (data / 'table.csv').write_text(TABLE, encoding='ascii')
        for command in SETUP:
            done = subprocess.run([self.program, *command.split(), '-q'], cwd=data, capture_output=True, check=False)
            if done.returncode not in (0, 1):
                raise RuntimeError(f'{command}: {done.stderr.decode()}')

    def close(self):
        shutil.rmtree(self.folder)

    def new_folder(self, command, old):
        """A folder to run in; with old files where the command writes, if asked for."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        if 'own.csv' in command.words:
            shutil.copy2(Path(self.folder, 'data', 'two.csv'), folder / 'own.csv')
        for name in command.writes if old and not command.again else ():
            if name not in command.optional:  # an old file there would be taken for one of the user's
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(OLD)
        return folder

    def start(self, command, folder, settings, more=''):
        environment = {**os.environ, 'LD_PRELOAD': self.preloaded, 'TMPDIR': str(folder), 'SOURCE_DATE_EPOCH': '0', **settings}
        words = [*command.words.split(), *more.split(), '--threads', '1', *(['--json'] if command.writes or 'predict' not in command.words else [])]
        with open(Path(self.folder, 'data', 'two.csv'), 'rb') as rows:
            return subprocess.run([self.program, *words], cwd=folder, env=environment, stdin=rows, capture_output=True, timeout=SECONDS, check=False)

    def outcome(self, done, folder):
        files = {}
        for path in sorted(Path(folder).rglob('*')):
            if path.is_file():
                name = str(path.relative_to(folder))
                files[name] = stable_file(name, path.read_bytes())
        return Outcome(done.returncode, stable_text(done.stdout.decode('utf-8', 'replace')), done.stderr.decode('utf-8', 'replace'), files)

    def run(self, command, settings, old=False):
        """The outcome of a run in a folder of its own."""
        folder = self.new_folder(command, old)
        try:
            return self.outcome(self.start(command, folder, settings), folder)
        finally:
            shutil.rmtree(folder)

    def right(self, command, old=False):
        """The outcome without a fault, and how many calls of each kind were made."""
        counts = os.path.join(tempfile.mkdtemp(dir=self.folder), 'counts')
        found = self.run(command, {'HSP_FAULT_COUNTS': counts}, old)
        if found.code not in (0, 1):
            raise RuntimeError(f'{command.words}: exit code {found.code}: {found.err}')
        with open(counts, encoding='ascii') as f:
            return found, {kind: int(n) for kind, n in (line.split() for line in f)}
