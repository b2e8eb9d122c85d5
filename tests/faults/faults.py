#!/usr/bin/env python3
"""Every command with exactly one system call failing, each in turn: faults.py PROGRAM LIBRARY [--plot] [WORD...]

An interrupted call and a short read or write must make no difference. Any other failure either makes none (exit code, output and
files are those of a run without it), or ends the command with exit code 3, one line of error, and every file as it was. No
temporary file stays; the pictures of a folder appear one by one, and a checkpoint is there for the next run. A sample of the calls;
all of them with HSP_CHECK_FULL=1. With WORDs only the commands that hold one of them. Prints TAP.
"""

import concurrent.futures
import os
import random
import subprocess
import sys

from runs import COMMANDS, OLD, PLOTS, Runner, is_leftover

SAMPLE = 10  # failures of a command
SHOWN = 8
SURVIVED = ('EINTR', 'short')
HOW = {
    'open': ('EMFILE', 'EINTR'), 'read': ('EIO', 'EINTR', 'short'), 'write': ('ENOSPC', 'EIO', 'EINTR', 'short'), 'sync': ('EIO', 'EINTR'),
    'rename': ('EIO', 'ENOSPC'), 'mmap': ('ENOMEM',), 'thread': ('EAGAIN',), 'close': ('EIO', 'EINTR'), 'truncate': ('ENOSPC',), 'stat': ('EIO',),
    'lock': ('ENOLCK',), 'unlink': ('EIO',), 'mkdir': ('ENOSPC',), 'duplicate': ('EMFILE',), 'seek': ('EIO',),
}


def differences(command, right, found):
    """What differs between two outcomes, but for files that the command may do without."""
    for name in sorted({*right.files, *found.files}):
        a, b = right.files.get(name), found.files.get(name)
        if a != b and not name.endswith('.ckpt') and not (b is None and name in command.optional):
            return f'{name}: {describe(a)} became {describe(b)}'
    lost = any(name not in found.files for name in command.optional)  # which the report says
    return '' if right.out == found.out or lost else f'another output: {str(found.out)[:300]}'


def describe(content):
    return 'none' if content is None else 'the old file' if content == OLD else f'{len(content)} bytes, {content[:40]!r}'


def wrong(command, kind, how, right, before, found):
    """What is wrong with the outcome of a run with a failure; empty: nothing."""
    left = [name for name in found.files if is_leftover(name)]
    if left and kind != 'unlink':
        return f'left behind: {left}'
    if found.code == right.code:
        return differences(command, right, found)
    if how in SURVIVED:
        return f'exit code {found.code}: {found.err.strip()}'
    lines = [line for line in found.err.splitlines() if not line.startswith(('halfspace: warning: ', 'halfspace: plan: '))]
    if found.code != 3 or len(lines) != 1 or not lines[0].startswith('halfspace: '):
        return f'exit code {found.code}: {found.err.strip()[-600:]}'
    if lines[0].endswith('written all the same') and not any('/' in name for name in command.writes):
        return differences(command, right._replace(out=None), found._replace(out=None))
    for name in sorted({*before, *found.files}):
        kept = found.files.get(name) == before.get(name) or name in left or name in command.optional or name.endswith('.ckpt')
        one_of_many = '/' in name and found.files.get(name) == right.files.get(name)  # pictures of a folder appear one by one
        if not kept and not one_of_many:
            return f'exit code 3, and {name}: {describe(before.get(name))} became {describe(found.files.get(name))}'
    return ''


def sweep(runner, command, most):
    right = {old: runner.right(command, old) for old in (False, True)}
    before = {False: {}, True: {name: OLD for name in command.writes if name not in command.optional and not command.again}}
    for files in before.values():
        if 'own.csv' in command.words:
            files['own.csv'] = right[False][0].files['own.csv']
    cases = [(kind, n, how) for kind, count in right[False][1].items() for how in HOW.get(kind, ()) for n in range(1, count + 1)]
    if most:
        cases = random.Random(command.words).sample(cases, min(most, len(cases)))
    found = []
    for number, (kind, n, how) in enumerate(cases):
        old = number % 2 == 1
        try:
            outcome = runner.run(command, {'HSP_FAULT': f'{kind}:{n}:{how}'}, old)
            problem = wrong(command, kind, how, right[old][0], before[old], outcome)
        except subprocess.TimeoutExpired:
            problem = 'hangs'
        if problem:
            found.append(f'{kind}:{n}:{how}{" over old files" if old else ""}: {problem}')
    return found, len(cases)


def main():
    options = [a for a in sys.argv[1:] if a.startswith('--')]
    program, library, *words = [a for a in sys.argv[1:] if not a.startswith('--')]
    most = 0 if os.environ.get('HSP_CHECK_FULL') else SAMPLE
    commands = [c for c in COMMANDS + (PLOTS if '--plot' in options else []) if not words or any(w in c.words for w in words)]
    runner = Runner(program, library)
    bad = total = 0
    print(f'1..{len(commands)}')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, (command, (found, count)) in enumerate(zip(commands, pool.map(lambda c: sweep(runner, c, most), commands)), 1):
            print(f'{"not ok" if found else "ok"} {number} - {command.words}: {count} failures', flush=True)
            for line in found[:SHOWN]:
                print('# ' + line.replace('\n', '\n# '))
            if len(found) > SHOWN:
                print(f'# and {len(found) - SHOWN} more')
            bad += bool(found)
            total += count
    runner.close()
    print(f'# {total} failures of calls in {len(commands)} commands')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
