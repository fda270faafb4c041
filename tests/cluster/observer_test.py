#!/usr/bin/env python3
"""An observer at the bridge, and one in a host: what a job over several hosts lets them see."""

import base64
import contextlib
import os
import pathlib
import sys
import unittest

import clusters
import in_hosts
from in_hosts import Up
from recording import Recorder, forms_of

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from harness import wait_until  # noqa: E402

BUILD = pathlib.Path(os.environ["LIBAM_TEST_BUILD"])
SENDER = os.environ["LIBAM_TEST_SENDER"]
CALLS = ("small", "medium", "store", "get")
HELLO = b"am-tcp 1"


def visible_words():
    """The pid of every process of this machine, and so of all hosts, with its arguments, and with
    its environment."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        for file in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                yield process.name, (process / file).read_bytes()


def pids_with(text, words):
    """Not what they have besides: a test's output is public."""
    return {pid for pid, one in words if text in one}


class Observer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--no-slurm", "--build", str(BUILD)))
        cls.cluster = clusters.find(cls.up.name)

    @contextlib.contextmanager
    def job(self, text, *more, crypt):
        """Two ranks on each of two hosts have told each other the text: the job's secret."""
        job = self.up.start(1, "env", "AM_TRANSPORT=tcp", f"AM_TCP_CRYPT={crypt}",
                            f"AM_MODULE_PATH={BUILD}/lib/am", "am-run", "--hosts", "h1:2,h2:2",
                            SENDER, text, *more)
        try:
            secret = bytes.fromhex(job.stdout.readline())
            self.assertEqual(len(secret), 32)
            yield secret
        finally:
            _, errors = job.communicate(timeout=30)
        self.assertEqual((job.returncode, errors), (0, ""))

    def recorded(self, *words, crypt):
        text = os.urandom(8).hex()
        with Recorder(self.cluster) as seen, self.job(text, *words, crypt=crypt) as secret:
            pass
        connected = [one for one in seen.streams().values() if one.startswith(HELLO)]
        self.assertGreaterEqual(len(connected), 2)  # two pairs of neighbours are on two hosts
        texts = [call for call in CALLS if seen.sees(f"{text}.{call}".encode())]
        return texts, any(map(seen.sees, forms_of(secret)))

    def test_the_texts_of_a_job_are_seen_and_its_secret_is_not(self):
        self.assertEqual(self.recorded(crypt=0), (list(CALLS), False))

    def test_of_an_encrypted_job_nothing_is_seen(self):
        self.assertEqual(self.recorded("secret", crypt=1), ([], False))

    def test_a_secret_that_a_rank_sends_is_found(self):
        """So the others are tests."""
        self.assertEqual(self.recorded("secret", crypt=0), (list(CALLS), True))

    def test_the_forms_of_a_secret_are_found_among_other_bytes(self):
        secret = os.urandom(32)
        for before in range(3):
            coded = base64.b64encode(bytes(before) + secret + b"more")
            self.assertTrue(any(form in coded for form in forms_of(secret)), before)

    def test_no_secret_is_in_arguments_or_environments(self):
        with self.job("text", crypt=0) as secret:
            words = list(visible_words())
            leak = self.up.start(2, "env", f"LEAK={secret.hex()}", "sleep", 60)
            self.addCleanup(leak.communicate)
            self.addCleanup(leak.terminate)
            for form in forms_of(secret):
                self.assertEqual(pids_with(form, words), set())
            # They are those of all hosts, and what is there is found.
            self.assertGreaterEqual(len(pids_with(b"am-run\0--agent\0", words)), 1)
            self.assertGreaterEqual(len(pids_with(SENDER.encode(), words)), 4)
            self.assertTrue(wait_until(
                lambda: pids_with(secret.hex().encode(), visible_words())))


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
