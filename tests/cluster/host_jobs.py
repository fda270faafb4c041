"""Jobs of am-run over the three hosts of a cluster, two ranks on each, and how hosts are lost."""

import os
import pathlib
import unittest

from in_hosts import Up

BUILD = pathlib.Path(os.environ["LIBAM_TEST_BUILD"])
PROGRAMS = BUILD / "tests"
HOSTS = "h1:2,h2:2,h3:2"
RANKS = 6
TIMEOUT = 3  # AM_PEER_TIMEOUT
SILENT = rf"its host is lost: silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)"
# The others of a host are lost to it, and it to the others.
LOSSES = ("crash", "cut", "in", "out")
# The processes of a host that run this program, or have this word in their command line.
PROCESSES = """
import os, pathlib, sys
for process in filter(str.isdigit, os.listdir("/proc")):
  try: words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\\0")
  except OSError: continue
  if int(process) != os.getpid() and any(os.path.basename(word) == sys.argv[1].encode()
                                         for word in words): print(process)
"""


def death(rank, how, host="h3"):
    """am-run's line about it."""
    return rf"am-run: rank {rank} \(pid \d+, host {host}\) died,? {how}\n"


class HostJobs(unittest.TestCase):
    def new_cluster(self):
        """Until the test ends: for one that takes a host away."""
        return self.enterContext(Up("--no-slurm", "--build", str(BUILD)))

    def start(self, up, *words, hosts=HOSTS, **settings):
        settings = {"AM_PEER_TIMEOUT": TIMEOUT, **settings}
        variables = [f"{name}={value}" for name, value in settings.items()]
        job = up.start(1, "env", *variables, "am-run", "--hosts", hosts, *words)
        self.addCleanup(job.communicate)
        self.addCleanup(job.terminate)
        return job

    def run_job(self, up, *words, **settings):
        """To its end: the status, the output and the errors."""
        return self.end(self.start(up, *words, **settings))

    def end(self, job):
        output, errors = job.communicate(timeout=60)
        return job.returncode, output, errors

    def wait_until_in_job(self, job):
        """All ranks have printed that they are in."""
        for _ in range(RANKS):
            self.assertRegex(job.stderr.readline(), r"^in \d+$")

    def processes(self, up, host, word):
        return up.python(host, PROCESSES, word).split()

    def kill(self, up, host, word):
        """One process of this host."""
        up.output(host, "kill", "-KILL", min(self.processes(up, host, word), key=int))

    def lose(self, up, how):
        """The host h3, by a crash, a cut, or a cut of one direction."""
        words = {"crash": ["crash", 3], "cut": ["cut", 3]}.get(how, ["cut", 3, "--one-way", how])
        done = up.do(*words)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
