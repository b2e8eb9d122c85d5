#!/usr/bin/env python3
"""Commands that end at any moment: crashes.py PROGRAM LIBRARY [--plot] [WORD...]

Kills: the program is killed before each call that changes files, and in the middle of each write. Power failures: the calls of a
complete run are written down; after each of them, what was not synced may be lost, changes of a folder in order of the calls. In
every state each file is the old one or the new one, whole (an old or new checkpoint, to its last complete reply), the same command
then succeeds with the files of an undisturbed run, and no temporary file is left. A cache is not synced: after a power failure it
may be torn, and is then written again. A sample; all states with HSP_CHECK_FULL=1. Prints TAP.
"""

import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from runs import COMMANDS, OLD, PLOTS, Runner, is_leftover, stable_file

SAMPLE = 2  # kills, and power failures, of a command
SHOWN = 8


# ---- what a power failure leaves ----

class File:
    """The bytes as programs see them, and those on the disk."""

    def __init__(self, content=b''):
        self.now, self.synced = bytearray(content), bytes(content)

    def left(self, how):
        """Unsynced bytes are lost, kept, or there as zeros."""
        if how == 'kept':
            return bytes(self.now)
        return self.synced if how == 'lost' else self.synced.ljust(len(self.now), b'\0')


def folder_of(path):
    return os.path.normpath(os.path.dirname(path) or '.')


class Disk:
    """Names as they are on the disk, and the changes of names that may not be."""

    def __init__(self, names):
        self.durable = {os.path.normpath(name): File(content) for name, content in names.items()}
        self.pending = []  # (operation, name, file or second name)

    def current(self, count=None):
        names = dict(self.durable)
        for operation, name, more in self.pending[:count]:
            if operation == 'create':
                names[name] = more
            elif operation == 'rename' and name in names:
                names[more] = names.pop(name)
            elif operation == 'exchange' and name in names and more in names:
                names[name], names[more] = names[more], names[name]
            elif operation == 'unlink':
                names.pop(name, None)
        return names

    def sync(self, path):
        names = self.current()
        if path in names:
            names[path].synced = bytes(names[path].now)
            return
        mine = [change for change in self.pending if folder_of(change[1]) == path]
        others = [change for change in self.pending if folder_of(change[1]) != path]
        self.pending = mine
        self.durable = self.current()
        self.pending = others

    def apply(self, words, content):
        operation, path = words[0], os.path.normpath(words[1])
        if operation == 'create' and path not in self.current():
            self.pending.append(('create', path, File()))
        elif operation == 'write':
            at = int(words[2])
            file = self.current()[path].now
            file[len(file):at] = b'\0' * (at - len(file))
            file[at:at + len(content)] = content
        elif operation == 'truncate':
            del self.current()[path].now[int(words[2]):]
        elif operation in ('rename', 'exchange'):
            self.pending.append((operation, path, os.path.normpath(words[2])))
        elif operation == 'unlink':
            self.pending.append(('unlink', path, None))
        elif operation == 'sync' and path != '?':
            self.sync(path)

    def states(self):
        for count in range(len(self.pending) + 1):
            for how in ('lost', 'kept', 'zeros'):
                yield {name: file.left(how) for name, file in self.current(count).items()}


def read_log(path):
    """The operations of a run: their words, and the bytes of writes."""
    with open(path, 'rb') as f:
        while line := f.readline():
            words = line.decode().rstrip('\n').split('\t')
            content = b''
            if words[0] == 'write':
                content = f.read(int(words[3]))
                f.read(1)
            yield words, content


# ---- checks ----

def is_whole(command, name, content, old, new):
    if name.endswith('.ckpt'):  # grows reply by reply; the program finds its end
        return not content or content[:8].rstrip(b'\0') == b'hspjrnl1'[:len(content[:8].rstrip(b'\0'))]
    return content in (old, new) or (content is None and name in command.optional)


def torn(command, state, old, right, cache_may_be_torn):
    for name in command.writes:
        if name in command.optional and cache_may_be_torn:
            continue
        content = state.get(name)
        content = stable_file(name, content) if content is not None else None
        if not is_whole(command, name, content, old.get(name), right.files.get(name)):
            return f'{name} has {len(content) if content is not None else "no"} bytes, {str(content)[:60]}'
    return ''


def after_crash(runner, command, folder, right):
    """What is wrong with running the command again; empty: nothing."""
    more = command.again if any(name.endswith('.ckpt') and (folder / name).exists() for name in command.writes) else ''
    found = runner.outcome(runner.start(command, folder, {'LD_PRELOAD': ''}, more), folder)
    if found.code != right.code:
        return f'the next run ends with exit code {found.code}: {found.err.strip()[-300:]}'
    left = [name for name in found.files if is_leftover(name)]
    if left:
        return f'the next run leaves {left}'
    for name in sorted({*right.files, *found.files}):
        if right.files.get(name) != found.files.get(name):
            return f'the next run makes another {name}'
    return ''


def kill(runner, command, fault, old, right):
    folder = runner.new_folder(command, old)
    try:
        before = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob('*') if p.is_file()}
        done = runner.start(command, folder, {'HSP_FAULT': fault})
        if done.returncode != -9:
            return f'not killed: exit code {done.returncode}'
        state = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob('*') if p.is_file()}
        return torn(command, state, before, right, False) or after_crash(runner, command, folder, right)
    finally:
        shutil.rmtree(folder)


def power_failure(runner, command, old, state, right):
    """Runs the command in the state that a power failure left."""
    folder = runner.new_folder(command, old)
    try:
        for path in [p for p in folder.rglob('*') if p.is_file() and str(p.relative_to(folder)) not in state]:
            path.unlink()
        for name, content in state.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
        return after_crash(runner, command, folder, right)
    finally:
        shutil.rmtree(folder)


def crash_states(runner, command, old, right):
    """The different states that a power failure can leave, and what is wrong with one of them."""
    folder = runner.new_folder(command, old)
    before = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob('*') if p.is_file()}
    log = Path(str(folder) + '.log')
    done = runner.start(command, folder, {'HSP_FAULT_LOG': str(log)})
    operations = list(read_log(log))
    shutil.rmtree(folder)
    if done.returncode != right.code:
        return {}, f'exit code {done.returncode}: {done.stderr.decode()}'
    disk, states = Disk(before), {}
    for step, (words, content) in enumerate([(['begin', '?'], b''), *operations]):
        disk.apply(words, content)
        for state in disk.states():
            states.setdefault(tuple(sorted(state.items())), (state, f'after {step} of {len(operations)} calls ({words[0]} {words[1]})'))
    for state, where in states.values():
        problem = torn(command, state, before, right, True)
        if problem:
            return states, f'{where}: {problem}'
    for state in disk.states():  # the command has said that it is done
        for name in command.writes:
            if name not in command.optional and not name.endswith('.ckpt') and stable_file(name, state.get(name, b'')) != right.files.get(name, b''):
                return states, f'a file that was written is lost: {name}'
    return states, ''


def sweep(runner, command, most):
    chance = random.Random(command.words)
    found, killed, failed = [], 0, 0
    for old in (False, True):
        right, counts = runner.right(command, old)
        faults = [f'change:{n}:kill' for n in range(1, counts['change'] + 1)] + [f'write:{n}:half' for n in range(1, counts['write'] + 1)]
        for fault in chance.sample(faults, min(most or len(faults), len(faults))):
            problem = kill(runner, command, fault, old, right)
            found += [f'{fault}: {problem}'] * bool(problem)
            killed += 1
        states, problem = crash_states(runner, command, old, right)
        found += [f'power failure: {problem}'] * bool(problem)
        chosen = list(states.values())
        for state, where in chance.sample(chosen, min(most or len(chosen), len(chosen))):
            problem = power_failure(runner, command, old, state, right)
            found += [f'power failure {where}: {problem}'] * bool(problem)
            failed += 1
    return found, killed, failed


def guarded(runner, command, most):
    try:
        return sweep(runner, command, most)
    except (subprocess.TimeoutExpired, RuntimeError) as why:
        return [str(why)], 0, 0


def main():
    options = [a for a in sys.argv[1:] if a.startswith('--')]
    program, library, *words = [a for a in sys.argv[1:] if not a.startswith('--')]
    most = 0 if os.environ.get('HSP_CHECK_FULL') else SAMPLE
    commands = [c for c in COMMANDS + (PLOTS if '--plot' in options else [])
                if c.writes and (not words or any(w in c.words for w in words))]
    runner = Runner(program, library)
    bad = kills = failures = 0
    print(f'1..{len(commands)}')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, (command, result) in enumerate(zip(commands, pool.map(lambda c: guarded(runner, c, most), commands)), 1):
            found, killed, failed = result
            print(f'{"not ok" if found else "ok"} {number} - {command.words}: {killed} kills, {failed} power failures', flush=True)
            for line in found[:SHOWN]:
                print('# ' + line.replace('\n', '\n# '))
            if len(found) > SHOWN:
                print(f'# and {len(found) - SHOWN} more')
            bad += bool(found)
            kills += killed
            failures += failed
    runner.close()
    print(f'# {kills} kills and {failures} power failures in {len(commands)} commands')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
