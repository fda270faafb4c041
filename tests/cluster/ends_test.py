#!/usr/bin/env python3
"""What a cluster passes on, and how it ends: nothing of it remains, whatever ends it, and this
machine is as it was; what is impossible or wrong gets one line."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import in_hosts
import services
from in_hosts import CLUSTER, Up, run, start

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from harness import wait_until  # noqa: E402

UNPRIVILEGED = ["setpriv", "--reuid", "65534", "--clear-groups"]
NO_NAMESPACES = ["setpriv", "--bounding-set", "-sys_admin"]


class Ends(unittest.TestCase):
    def setUp(self):
        self.before = in_hosts.of_machine()

    def check_nothing_left(self, name):
        self.assertTrue(wait_until(lambda: not in_hosts.members(name)), in_hosts.members(name))
        self.assertTrue(wait_until(lambda: not pathlib.Path("/run", name).exists()))
        self.assertEqual(in_hosts.of_machine(), self.before)

    def test_status_and_streams_pass_through(self):
        script = "read word; echo $word; echo error >&2; exit 42"
        done = run("run", "-n", 1, "--no-slurm", "sh", "-c", script, stdin=None, input="word\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (42, "word\n", "error\n"))
        done = run("run", "-n", 1, "--no-slurm", "--", "sh", "-c", "kill -9 $$")
        self.assertEqual(done.returncode, 137)
        self.assertEqual(in_hosts.of_machine(), self.before)

    def test_the_current_folder_is_seen_even_below_tmp(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "word").touch()
            done = run("run", "-n", 1, "--no-slurm", "--", "ls", cwd=folder)
            self.assertEqual(done.stdout, "word\n", done.stderr)

    def test_signals_pass_through_and_the_cluster_ends_with_the_command(self):
        # Without children: a shell that starts one in that moment may miss the signal, or end.
        script = """import os, signal
signal.signal(signal.SIGINT, lambda *_: print("int", flush=True))
signal.signal(signal.SIGTERM, lambda *_: (print("term", flush=True), os._exit(3)))
print(os.environ["LIBAM_TEST_CLUSTER"], flush=True)
while True:
    signal.pause()
"""
        job = start("run", "-n", 2, "--no-slurm", "--", sys.executable, "-c", script)
        name = job.stdout.readline().strip()
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.stdout.readline(), "int\n")
        job.send_signal(signal.SIGTERM)
        out, errors = job.communicate(timeout=20)
        self.assertEqual((job.returncode, out), (3, "term\n"), errors)
        self.assertEqual(in_hosts.members(name), [])
        self.check_nothing_left(name)

    def test_a_signal_while_it_starts(self):
        for delay in (0.1, 0.2, 0.3):
            job = start("run", "-n", 3, "--no-slurm", "--", "sleep", "60")
            time.sleep(delay)
            job.terminate()
            self.assertEqual(job.communicate(timeout=20), ("", ""))
            self.assertIn(job.returncode, (143, -15))  # the latter before Python is ready
            self.check_nothing_left(f"am-cluster-{job.pid}")

    def test_nothing_remains_of_one_that_is_killed(self):
        with subprocess.Popen([CLUSTER, "run", "-n", "3", "--no-slurm", "--", "sh", "-c",
                               'echo "$LIBAM_TEST_CLUSTER"; setsid sleep 60 & ssh h2 sleep 60'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
            name = job.stdout.readline().strip()
            members = in_hosts.members(name)
            new = in_hosts.namespaces_of(members) - in_hosts.namespaces_of([os.getpid()])
            self.assertGreaterEqual(len(members), 4 + 3 + 2)
            self.assertEqual(len(new), 4 * 5)  # of three hosts and the switch
            job.kill()
            job.wait()
        self.check_nothing_left(name)

    def test_a_crash_kills_all_processes_and_the_peer_hears_nothing(self):
        with Up("--no-slurm") as up:
            server = up.start(3, "sh", "-c", "setsid sleep 600 & echo there; sleep 600")
            self.addCleanup(server.communicate)
            self.assertEqual(server.stdout.readline(), "there\n")
            listen = ("import socket; s = socket.create_connection(('h3', 22)); s.recv(99);"
                      "s.settimeout(1); print('connected', flush=True); s.recv(99)")
            peer = up.start(1, sys.executable, "-c", listen)
            self.assertEqual(peer.stdout.readline(), "connected\n")
            self.assertEqual(up.do("crash", 3).returncode, 0)
            self.assertEqual(server.wait(timeout=10), 1)
            self.assertEqual(server.stderr.readline(),
                             "cluster: h3 ended, and the command with it\n")
            self.assertIn("TimeoutError", peer.communicate()[1])
            again = up.do("crash", 3)
            self.assertEqual((again.returncode, again.stderr),
                             (1, "cluster: h3 has crashed, or its cluster has ended\n"))
            self.assertEqual(up.output(1, "ssh", "h2", "hostname"), "h2")
        self.check_nothing_left(up.name)

    def test_a_cluster_in_a_host_of_another_one(self):
        inner = "$0 run -n 2 --no-slurm -- ssh h2 hostname -I && ssh h2 hostname"
        done = run("run", "-n", 3, "--no-slurm", "--", "sh", "-c", inner, CLUSTER)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^198\.18\.0\.2 fd00::2 \nh2\n$")

    def test_what_a_killed_one_has_left_is_removed_by_the_next(self):
        left = pathlib.Path("/run/am-cluster-0")  # no process has this pid
        left.mkdir()
        run("run", "-n", 1, "--no-slurm", "--", "true")
        self.assertFalse(left.exists())

    def test_bad_input_gets_one_line(self):
        for words, line in (
                (["run", "-n", "0", "true"], "argument -n/--hosts: '0' is no number from 1 to 64"),
                (["run", "--no-slurm"], "run: which command? see cluster --help"),
                (["run", "--build", "/nowhere", "true"], "there is no directory /nowhere/bin"),
                (["exec", "--cluster", "1", "2", "true"], "there is no cluster am-cluster-1"),
                (["fly"], "argument COMMAND: invalid choice: 'fly'")):
            with self.subTest(words=words):
                done = run(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertTrue(done.stderr.startswith(f"cluster: {line}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_program_that_is_missing_gets_one_line(self):
        done = run("run", "-n", 1, "--no-slurm", "--", "no-such-program")
        self.assertEqual((done.returncode, done.stderr),
                         (127, "cluster: h1: no-such-program: No such file or directory\n"))

    def check_refused(self, wrapper, line, *options):
        """It is a skip, but not for continuous integration."""
        for ci, status in (({}, 77), ({"LIBAM_TEST_CI": "1"}, 1)):
            env = {name: value for name, value in os.environ.items() if name != "LIBAM_TEST_CI"}
            done = subprocess.run([*wrapper, CLUSTER, "run", *options, "true"], env={**env, **ci},
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (status, f"cluster: {line}\n"))

    def test_without_root_it_is_refused(self):
        if subprocess.run([*UNPRIVILEGED, CLUSTER, "--help"], capture_output=True).returncode != 0:
            self.skipTest("other users cannot read this checkout or run its Python")
        self.check_refused(UNPRIVILEGED, "a cluster takes root: it makes namespaces and mounts")

    def test_where_namespaces_are_not_allowed_it_is_refused(self):
        self.check_refused(NO_NAMESPACES, "switch does not start: unshare: unshare failed: "
                                          "Operation not permitted", "--no-slurm")

    def without(self, *programs):
        """Words before a command, for which these programs do not exist."""
        hide = " && ".join(f"mount --bind /dev/null {services.program(name)}" for name in programs)
        return ["unshare", "--mount", "sh", "-c", f'{hide} && exec "$@"', "sh"]

    def test_a_missing_program_is_refused_with_the_name_of_its_package(self):
        self.check_refused(self.without("sshd"), "no sshd here: install openssh-server",
                           "--no-slurm")
        if services.program("munged"):
            line = "no munged here: install munge, or try --no-slurm"
            self.check_refused(self.without("munged"), line)

    def test_a_service_that_ends_while_it_starts_is_reported(self):
        done = subprocess.run(["unshare", "--mount", "sh", "-c",
                               f'mount --bind /bin/false {services.program("sshd")} && exec "$@"',
                               "sh", CLUSTER, "run", "-n", "1", "--no-slurm", "true"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                         (1, "cluster: sshd in h1 ended while it started:"))
        self.assertEqual(in_hosts.of_machine(), self.before)


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
