"""What tests need: a cluster that stays up while a test runs, and what is on this machine."""

import os
import pathlib
import subprocess
import sys
import unittest

import clusters
import commands

CLUSTER = pathlib.Path(__file__).with_name("cluster")
# Prints the cluster's name, and waits for the end of its input.
UNTIL_INPUT_ENDS = 'echo "$LIBAM_TEST_CLUSTER"; cat'


def run(*words, **settings):
    settings.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([CLUSTER, *map(str, words)], capture_output=True, text=True, timeout=60,
                          **settings)


def start(*words, **settings):
    return subprocess.Popen([CLUSTER, *map(str, words)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


class Up:
    """A cluster, up while this context lasts."""

    def __init__(self, *options, hosts=3):
        self.options = options
        self.hosts = hosts

    def __enter__(self):
        self.process = start("run", "-n", self.hosts, *self.options, "--", "sh", "-c",
                             UNTIL_INPUT_ENDS)
        self.name = self.process.stdout.readline().strip()
        if not self.name:
            self.__exit__()
            raise RuntimeError("no cluster is up")
        return self

    def __exit__(self, *_):
        _, errors = self.process.communicate(timeout=20)
        sys.stderr.write(errors)

    def do(self, what, *words):
        return run(what, "--cluster", self.name, *words)

    def start(self, host, *words):
        return start("exec", "--cluster", self.name, host, "--", *words)

    def status_and_output(self, host, *words):
        """Of a command with little output, without a client of its own."""
        cluster = clusters.find(self.name)
        return commands.output_of(cluster, f"h{host}", list(map(str, words)))

    def status(self, host, *words):
        return self.status_and_output(host, *words)[0]

    def output(self, host, *words):
        status, output = self.status_and_output(host, *words)
        if status != 0:
            raise AssertionError(f"h{host}: {words}: status {status}: {output}")
        return output

    def python(self, host, text, *words):
        return self.output(host, sys.executable, "-S", "-c", text, *words)


def of_machine():
    """What a cluster must not change: interfaces with their addresses, mounts, and where clusters
    have their directories. Not the counters: other programs use the network."""
    addresses = subprocess.run(["ip", "-o", "address"], capture_output=True, text=True, check=True)
    links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True)
    mounts = pathlib.Path("/proc/self/mounts").read_text()
    return addresses.stdout, links.stdout, mounts, os.uname().nodename


def members(name):
    """The processes of this machine that belong to a cluster, by its directory in their words or
    their environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        for file in ("cmdline", "environ"):
            try:
                if name.encode() in (process / file).read_bytes():
                    found.append(int(process.name))
            except OSError:
                continue
    return sorted(set(found) - {os.getpid()})


def namespaces_of(pids):
    """What these processes are in."""
    found = set()
    for pid in pids:
        for kind in ("net", "mnt", "pid", "ipc", "uts"):
            try:
                found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
            except OSError:
                continue
    return found


def main(*options):
    """Runs the tests; a skip if this machine can have no cluster."""
    tried = run("run", "-n", 1, *options, "--", "true")
    if tried.returncode != 0:
        print(tried.stderr, end="")
        sys.exit(tried.returncode)
    done = unittest.main(module="__main__", exit=False).result
    for test, reason in done.skipped:
        print(f"not tried: {test}: {reason}")
    sys.exit(1 if not done.wasSuccessful() else 77 if done.skipped else 0)
