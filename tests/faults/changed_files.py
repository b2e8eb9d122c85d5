#!/usr/bin/env python3
"""Mapped files that another program changes while they are in use: changed_files.py PROGRAM. Prints TAP.

A file that becomes shorter, or is written over in place, ends the command with exit code 3 and one line, whatever part of it was
lost, and no output appears. One that is replaced by a new file of its name changes nothing.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv[1])
LONG = ['-a', 'sgd', '--loss', 'logistic', '--max-epochs', '9000000000']  # ends by a signal


def start(data, *more):
    return subprocess.Popen([PROGRAM, 'train', str(data), *LONG, '--threads', '1', '-o', 'm.hsm', '-q', *more], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def make(folder, kind='hsd'):
    """Data of about 1.6 MB, which are used in place."""
    data = Path(folder, f'data.{kind}')
    subprocess.run([PROGRAM, 'generate', 'blobs', '--rows', '10000', '--features', '20', '--noise', '9', '-o', str(data), '-q'], check=True)
    return data


def ended(child, what, code=3):
    """A description of what is wrong with how the run ended; empty: nothing."""
    try:
        _, err = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        return f'{what}: hangs'
    lines = err.decode().splitlines()
    if child.returncode != code:
        return f'{what}: exit code {child.returncode}: {lines}'
    if code == 3 and (len(lines) != 1 or 'another program' not in lines[0] or 'data.' not in lines[0]):
        return f'{what}: {lines}'
    there = os.path.exists('m.hsm')
    return f'{what}: a model' if there and code == 3 else ''


def shortened(data, to):
    """The file becomes shorter while a fit runs; then a signal, for one whose rows in use are still there."""
    child = start(data)
    time.sleep(0.6)
    os.truncate(data, to)
    time.sleep(0.3)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    return ended(child, f'{data.name} cut to {to} bytes')


def test_a_file_that_becomes_shorter_is_an_error(folder):
    size = make(folder).stat().st_size
    for to in (0, 4096, size // 2, size - 100, size - 1):
        problem = shortened(make(folder), to)
        if problem:
            return problem
    return ''


def test_an_array_that_becomes_shorter_is_an_error(folder):
    data = make(folder, 'npy')
    size = data.stat().st_size
    return shortened(data, size // 2) or shortened(make(folder, 'npy'), size - 8)


def test_a_file_that_is_written_over_is_an_error(folder):
    data = make(folder)
    child = start(data)
    time.sleep(0.6)
    content = data.read_bytes()
    with open(data, 'r+b') as f:
        f.write(content)
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    return ended(child, 'written over')


def test_a_file_that_is_replaced_changes_nothing(folder):
    data = make(folder)
    command = [PROGRAM, 'train', str(data), *LONG[:-1], '60', '-q', '-o']
    os.environ['SOURCE_DATE_EPOCH'] = '0'
    subprocess.run([*command, 'whole.hsm'], check=True)
    child = subprocess.Popen([*command, 'm.hsm'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.15)
    Path(folder, 'other').write_bytes(b'other bytes')
    os.replace(Path(folder, 'other'), data)
    problem = ended(child, 'replaced', 0)
    return problem or ('' if Path('m.hsm').read_bytes() == Path('whole.hsm').read_bytes() else 'another model')


def test_a_labels_file_and_a_model_may_be_cut_at_any_time(folder):
    """They are read before the work begins."""
    data = make(folder)
    subprocess.run([PROGRAM, 'train', str(data), '-a', 'lda', '-o', 'lda.hsm', '-q'], check=True)
    read_end, write_end = os.pipe()
    child = subprocess.Popen([PROGRAM, 'predict', 'lda.hsm', '-', '--format', 'svmlight'], stdin=read_end, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(read_end)
    time.sleep(0.5)
    os.truncate('lda.hsm', 0)
    os.write(write_end, b'1 1:2\n')
    os.close(write_end)
    return ended(child, 'model', 0)


def main():
    tests = [(name[5:].replace('_', ' '), f) for name, f in globals().items() if name.startswith('test_')]
    failed = 0
    print(f'1..{len(tests)}')
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix='halfspace-') as folder:
            os.chdir(folder)
            try:
                problem = test(folder)
            except (subprocess.SubprocessError, OSError) as why:
                problem = repr(why)
            os.chdir('/')
        print(f'{"not ok" if problem else "ok"} {number} - {name}', flush=True)
        if problem:
            print('# ' + problem.replace('\n', '\n# '))
        failed += bool(problem)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
