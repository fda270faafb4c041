"""Jobs of am-run over the three hosts of a cluster, two ranks on each, and how hosts are lost."""

import contextlib
import os
import pathlib
import re
import tempfile
import unittest

from harness import wait_until
from in_hosts import Up

BUILD = pathlib.Path(os.environ["LIBAM_TEST_BUILD"])
PROGRAMS = BUILD / "tests"
TRAFFIC = PROGRAMS / "test-death-traffic"
MOST = 200000  # request_log::most
HOSTS = "h1:2,h2:2,h3:2"
RANKS = 6
# By the transport between hosts.
TRANSPORTS = {"tcp": "self,shm,tcp", "ucx": "self,shm,ucx"}
TIMEOUT = 3  # AM_PEER_TIMEOUT
SILENT = rf"its host is lost: silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)"
AGENT_ENDED = r"its host is lost: ssh ended with exit status \d+"
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


def deaths_with(hosts, why):
    """am-run's lines about the ranks of hosts that are lost in this order."""
    ranks = [rank for host in hosts for rank in (2 * host - 2, 2 * host - 1)]
    return "".join(death(rank, f"{'first' if rank == ranks[0] else 'too'}: {why}",
                         f"h{rank // 2 + 1}") for rank in ranks)


def connections(up, host, program="stress"):
    """Of the ranks on this host with those of others: four for each rank of a job. The kernel cuts
    the names of processes."""
    found = up.output(host, "ss", "-Htnp", "state", "established")
    return len(re.findall(rf'198\.18\..*"{program[:15]}"', found))


def cluster_up():
    return Up("--no-slurm", "--build", str(BUILD))


@contextlib.contextmanager
def new_log():
    """For the request_log of test-death-traffic: a file that the ranks of all hosts map."""
    with tempfile.NamedTemporaryFile(dir=PROGRAMS) as file:
        file.truncate(RANKS * RANKS * MOST)
        yield file.name


class HostJobs(unittest.TestCase):
    def new_cluster(self):
        """Until the test ends: for one that takes a host away."""
        return self.enterContext(cluster_up())

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

    def start_sending(self, up, *before, seconds=60, **settings):
        """A job that floods its connections, over each transport, and has all of them."""
        jobs = [self.start(up, *before, "stress", "--seconds", seconds, AM_TRANSPORT=transport,
                           **settings) for transport in TRANSPORTS.values()]
        for host in (1, 2, 3):
            self.assertTrue(wait_until(lambda: connections(up, host) >= 8 * len(jobs), 40), host)
        return jobs

    def check_survivors(self, ended, status, lines, survivors):
        """Of test-death-traffic: each has accounted for all that it had sent to the dead."""
        ended_with, output, errors = ended
        self.assertEqual(ended_with, status, errors)
        self.assertRegex(errors, f"^({lines})$")
        self.assertEqual(output.count("to the dead: "), survivors, output)

    def processes(self, up, host, word):
        return up.python(host, PROCESSES, word).split()

    def kill(self, up, host, word):
        """One process of this host."""
        up.output(host, "kill", "-KILL", min(self.processes(up, host, word), key=int))

    def lose(self, up, how, host=3):
        """By a crash, a cut, or a cut of one direction."""
        one_way = ["--one-way", how] if how in ("in", "out") else []
        done = up.do("crash" if how == "crash" else "cut", host, *one_way)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)


class SurvivingJobs(HostJobs):
    """Jobs that outlive the loss of ranks."""

    def start(self, up, *words, **settings):
        settings = {"AM_ON_PEER_DEATH": "callback", "AM_TRANSPORT": TRANSPORTS["tcp"], **settings}
        return super().start(up, *words, **settings)
