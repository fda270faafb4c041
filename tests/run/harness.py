"""Runs am-run from outside: its output, its status, and what is left behind."""

import contextlib
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

AM_RUN = ""
MEMBER = ""
HELLO = ""
OTHERS = {}  # by name


def main():
    """The programs come first on the command line, then the arguments of unittest: am-run, the
    scripted member, hello, and others if a test needs some."""
    global AM_RUN, MEMBER, HELLO
    programs = list(itertools.takewhile(lambda word: "/" in word, sys.argv[1:]))
    AM_RUN, MEMBER, HELLO = programs[:3]
    OTHERS.update((os.path.basename(path), path) for path in programs[3:])
    for name in [name for name in os.environ if name.startswith("AM_")]:
        del os.environ[name]
    os.environ["AM_PROFILE"] = os.environ.get("LIBAM_TEST_PROFILE", "off")
    if "LIBAM_TEST_DIAL" in os.environ:
        os.environ["AM_DIAL"] = os.environ["LIBAM_TEST_DIAL"]
    done = unittest.main(argv=sys.argv[:1] + sys.argv[1 + len(programs):], module="__main__",
                         failfast="LIBAM_TEST_FAIL_FAST" in os.environ, exit=False).result
    for test, reason in done.skipped:
        print(f"not tried: {test}: {reason}")
    sys.exit(0 if done.wasSuccessful() and not done.skipped else 77 if done.wasSuccessful() else 1)


def start(*args, **settings):
    settings.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([AM_RUN, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **settings)


def finish(job):
    """Cleans up after a test, however it ended."""
    if job.poll() is None:
        job.kill()
        job.wait()
    for stream in (job.stdout, job.stderr):
        stream.close()


def run(*args, text="", env=None, **settings):
    """Runs to the end: its output, errors and returncode."""
    env = None if env is None else {**os.environ, **env}
    return subprocess.run([AM_RUN, *map(str, args)], input=text, capture_output=True, text=True,
                          timeout=50, env=env, **settings)


def shell(ranks, script, *options, **settings):
    """Every rank runs this shell script; its rank is in $AM_JOB_RANK."""
    return run("-n", ranks, *options, "sh", "-c", script, **settings)


def copy_for_everyone(tree, *programs):
    """Copies programs of the build, whose folder only root may be able to read, with the library
    where they look for it."""
    tree = pathlib.Path(tree)
    tree.chmod(0o755)
    built = pathlib.Path(AM_RUN).parents[1]
    shutil.copytree(built / "lib", tree / "lib", ignore=shutil.ignore_patterns("*.a", "calib"))
    copies = []
    for program in map(pathlib.Path, programs):
        place = tree / program.relative_to(built)
        place.parent.mkdir(exist_ok=True)
        place.parent.chmod(0o755)
        copies.append(shutil.copy(program, place))
    return copies


def descendants(pid):
    """All processes that `pid` has started, and theirs. Any of them may end meanwhile."""
    found, left = [], [pid]
    while left:
        try:
            threads = list(pathlib.Path(f"/proc/{left.pop()}/task").glob("*/children"))
        except OSError:
            continue
        for thread in threads:
            try:
                children = [int(word) for word in thread.read_text().split()]
            except OSError:
                continue
            found += children
            left += children
    return found


def names_below(pid):
    """The programs that its descendants run."""
    names = []
    for each in descendants(pid):
        try:
            names.append(pathlib.Path(f"/proc/{each}/comm").read_text().strip())
        except OSError:
            continue
    return sorted(names)


def blocks(pid, number):
    """Whether it takes this signal from its descriptor; until then it would die of it."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = int(re.search(r"^SigBlk:\s*(\w+)$", status, re.MULTILINE)[1], 16)
    return mask >> (number - 1) & 1 == 1


def alive(pid):
    try:
        return state_of(pid) not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def read_pids(stream, count):
    """The pids of `count` members, which print that they are in the job."""
    pids = []
    while len(pids) < count:
        line = stream.readline()
        if not line:
            break
        if line.startswith("in "):
            pids.append(int(line.split()[1]))
    return pids


def state_of(pid):
    """A letter, as in ps: R runs, S sleeps, T is stopped."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def check_that_signals_end(test, start_three):
    """The job of three waiting ranks that `start_three` starts, by each signal that ends am-run."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with test.subTest(signal=number):
            job = start_three()
            pids = read_pids(job.stderr, 3)
            job.send_signal(number)
            errors = job.communicate(timeout=30)[1]
            test.assertEqual(job.returncode, 128 + number)
            test.assertEqual(errors, f"am-run: stopped by {name_of(number)}\n")
            test.assertFalse(any(map(alive, pids)))


def leftovers():
    """Names in the file system that may belong to a job and that no process holds: files of tests
    that run at the same time are held. Of /tmp, which every program uses, only names of libam's
    form."""
    names = {os.path.join(folder, name) for folder, start in (("/dev/shm", ""), ("/tmp", "am-"))
             for name in os.listdir(folder) if name.startswith(start)}
    return names - in_use(names) if names else names


def in_use(names):
    """Those of `names` that some process has open or mapped."""
    found = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            maps = pathlib.Path(f"/proc/{process}/maps").read_text(errors="replace")
            found.update(name for name in names if f" {name}\n" in maps)
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    found.add(os.readlink(f"/proc/{process}/fd/{descriptor}"))
    return names & found


def nothing_left_since(before):
    """Whether soon no more is left than `before`, an earlier result of leftovers()."""
    return wait_until(lambda: leftovers() <= before)


def own_lines(text):
    """am-run's own lines."""
    return [line for line in text.splitlines() if line.startswith("am-run: ")]


def name_of(number):
    return signal.Signals(number).name
