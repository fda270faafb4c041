#!/usr/bin/env python3
"""Jobs over ucx from outside: mixed with other transports, where UCX cannot be used, and with ranks
that die.

usage: jobs.py AM-RUN MEMBER HELLO STRESS"""

import os
import pathlib
import shutil
import signal
import tempfile
import threading
import unittest

import harness

POSIX = {"UCX_TLS": "posix,cma,self"}
TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


def stress(ranks, seconds="1", **settings):
    return harness.run("-n", ranks, harness.OTHERS["stress"], "--seconds", seconds, env=settings)


def each_with_its_own(transports, command, **settings):
    """With one AM_TRANSPORT for each rank."""
    choose = "; ".join(f"[ $AM_JOB_RANK != {rank} ] || export AM_TRANSPORT={names}"
                       for rank, names in enumerate(transports))
    return harness.shell(len(transports), f"{choose}; exec {command}", env=settings)


class Jobs(unittest.TestCase):
    def check_stress(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^stress: ([1-9]\d*) requests, \1 handled, 0 lost\n$")

    def test_stress_over_each_ucx_transport(self):
        for ucx_settings in (POSIX, TCP):
            for more in ({}, {"AM_CREDITS": "1"}, {"AM_WAIT": "block"}, {"AM_WAIT": "spin"}):
                with self.subTest(ucx_settings, **more):
                    done = stress(3, AM_TRANSPORT="ucx", **ucx_settings, **more)
                    self.check_stress(done)
                    self.assertEqual(done.stderr, "")

    def test_pairs_of_one_job_are_on_different_transports(self):
        done = each_with_its_own(["shm,ucx,tcp", "shm,ucx,tcp", "^shm", "tcp"],
                                 f"{harness.OTHERS['stress']} --seconds 1", AM_LOG="debug", **POSIX)
        self.check_stress(done)
        for one, other, due in ((0, 1, "shm"), (0, 2, "ucx"), (2, 1, "ucx"), (0, 3, "tcp"),
                                (2, 3, "tcp"), (3, 1, "tcp")):
            self.assertIn(f"am[{one}]: debug: rank {other} is reached by {due}\n", done.stderr)

    def test_segments_of_shm_are_accessed_by_ucx_too(self):
        for ucx_settings in (POSIX, TCP):
            with self.subTest(ucx_settings):
                done = each_with_its_own(["self,shm,ucx", "self,shm,ucx", "self,ucx"],
                                         f"{harness.OTHERS['test-conformance']} 40", **ucx_settings)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_on_one_host_it_is_used_only_if_named(self):
        done = harness.run("-n", 2, harness.HELLO, env={"AM_LOG": "info"})
        self.assertIn("ucx is not used: all ranks are on this host; name it in AM_TRANSPORT "
                      "to use it", done.stderr)
        done = harness.run("-n", 2, harness.HELLO, env={"AM_LOG": "info",
                                                        "AM_TRANSPORT": "shm,ucx"})
        self.assertNotIn("ucx is not used", done.stderr)

    def test_without_a_usable_transport_it_quotes_the_error_of_ucx(self):
        done = stress(2, AM_TRANSPORT="ucx", UCX_TLS="rc_x")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"no transport reaches rank \d \(.*; ucx: ucp_\w+: No such "
                                      r"device: no usable transports/devices.*\)")
        done = stress(2, AM_TRANSPORT="ucx,tcp", UCX_TLS="rc_x")
        self.check_stress(done)

    def test_a_tree_without_the_module_or_its_library(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            stress_there, = harness.copy_for_everyone(tree, harness.OTHERS["stress"])
            module = tree / "lib/am/ucx.so"
            arguments = ("-n", 2, stress_there, "--seconds", "1")
            module.unlink()
            done = harness.run(*arguments, env={"AM_TRANSPORT": "ucx", **POSIX})
            self.assertRegex(done.stderr, rf"ucx: there is no ucx.so in {folder}/lib/am")
            # A module that needs a library the system lacks.
            shutil.copy(tree / "lib/am/tcp.so", module)
            content = module.read_bytes()
            self.assertIn(b"libsodium.so", content)
            module.write_bytes(content.replace(b"libsodium.so", b"libgone00.so"))
            done = harness.run(*arguments, env={"AM_TRANSPORT": "ucx", **POSIX})
            self.assertRegex(done.stderr, r"ucx: cannot load it: libgone00.so.*: cannot open shared "
                                          r"object file")
            done = harness.run(*arguments, env={"AM_TRANSPORT": "ucx,tcp", **POSIX})
            self.check_stress(done)

    def test_a_rank_that_is_killed_ends_the_job_and_is_named(self):
        for ucx_settings in (POSIX, TCP):
            with self.subTest(ucx_settings):
                done = stress(3, "20", AM_TRANSPORT="ucx", AM_FAULT="kill,seed=5", **ucx_settings)
                self.assertEqual(done.returncode, 137, done.stderr)
                self.assertRegex(done.stderr, r"am-run: rank \d \(pid \d+, host .*\) died first: "
                                              r"SIGKILL\n")

    def test_separate_hosts_are_notified_of_a_death_by_ucx(self):
        # To another host the transport must report failures, which UCX's shared memory does not.
        ucx_settings = {"UCX_TLS": "posix,cma,tcp,self", "UCX_NET_DEVICES": "lo", "AM_TRANSPORT": "ucx"}
        command = f"{harness.OTHERS['stress']} --seconds"
        own = "exec unshare --uts sh -c 'hostname host$AM_JOB_RANK && exec "
        self.check_stress(harness.shell(3, f"{own} {command} 1'", env=ucx_settings))
        done = harness.shell(3, f"{own} {command} 3'", env={
            "AM_FAULT": "kill,seed=5", "AM_LOG": "info", **ucx_settings})
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"am-run: rank \d \(pid \d+, host .*\) died first: SIGKILL\n")

    def test_a_store_into_a_stopped_rank_reports_the_rank(self):
        for verb, words in (("store-to", "yet to answer first contact, for 1 s, in first contact"),
                            ("store-again-to", "yet to do its part of a transfer, for 1 s, in a store")):
            with self.subTest(verb):
                job = harness.start("-n", 2, harness.MEMBER, verb, 1,
                                    env={**os.environ, "AM_TRANSPORT": "ucx", "AM_STALL_WARN": "1",
                                         **TCP})
                alarm = threading.Timer(50, job.kill)
                alarm.start()
                self.addCleanup(harness.finish, job)
                self.addCleanup(alarm.cancel)
                pids = harness.read_pids(job.stderr, 2)
                line = job.stderr.readline()
                for pid in pids:
                    os.kill(pid, signal.SIGCONT)
                self.assertRegex(line, rf"^am\[0\]: warn: stall: no progress from rank 1.*, which has {words}\n$")
                self.assertEqual((job.wait(50), job.stderr.read()), (0, ""))

    def test_nothing_is_left_behind(self):
        before = harness.leftovers()
        stress(3, AM_TRANSPORT="ucx", **POSIX)
        stress(3, "20", AM_TRANSPORT="ucx", AM_FAULT="kill,seed=5", **POSIX)
        self.assertTrue(harness.nothing_left_since(before), harness.leftovers())

    def test_output_of_ucx_goes_to_the_log_and_not_to_standard_output(self):
        done = harness.run("-n", 2, harness.HELLO,
                           env={"AM_TRANSPORT": "ucx", "UCX_TLS": "posix,self,nonsense",
                                "AM_LOG": "warn"})
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["hello from rank 0 of 2", "hello from rank 1 of 2"])
        for line in filter(None, done.stderr.splitlines()):
            self.assertRegex(line, r"^am\[\d\]: warn: UCX: ")


harness.main()
