#!/usr/bin/env python3
"""Jobs over more hosts than am-run starts agents on itself (several_hosts.py)."""

import os
import signal
import time

import harness
import several_hosts
from harness import alive, own_lines, read_pids, wait_until
from several_hosts import LINE, RSH, ancestors

MANY = ",".join(f"h{i}" for i in range(20))


class HostTrees(several_hosts.SeveralHosts):
    def test_many_hosts_are_a_tree(self):
        """Ten agents of am-run's, each of which has started one more."""
        job = self.start_on(MANY, harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 20)
        agents = self.agents(job)
        self.assertEqual(len(agents), 20)
        below = [pid for pid in agents if any(other in agents for other in ancestors(pid))]
        self.assertEqual(len(below), 10)
        job.terminate()
        job.communicate(timeout=30)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)
        self.assertFalse(any(map(alive, pids + list(agents))))

    def test_a_large_tree(self):
        """At length of three steps: more than 16 hosts for each of 16 agents. Sanitizers take too
        much memory and time, and a slow machine does not start 300 agents in 9 s."""
        at_length = "LIBAM_TEST_LONG" in os.environ and "LIBAM_TEST_SANITIZED" not in os.environ
        count = 300 if at_length else 40
        # Without a name for each host, which takes several processes: each has 9 s to answer.
        plain = self.script("plain", '#!/bin/sh\nshift\nexec sh -c "exec $*"\n')
        done = self.run_on(",".join(f"h{i}" for i in range(count)), harness.HELLO,
                           env={"AM_TRANSPORT": "tcp", "AM_RSH": plain})
        self.check(done, 0)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(f"hello from rank {r} of {count}" for r in range(count)))

    def test_output_of_hosts_below(self):
        text = "x" * 99
        done = self.run_on(MANY, "--label", "sh", "-c",
                           f"for i in $(seq 2000); do echo {text}; done; hostname")
        self.check(done, 0)
        lines = done.stdout.splitlines()
        for rank in range(20):
            self.assertEqual(lines.count(f"[{rank}] {text}"), 2000)
            if os.geteuid() == 0:
                self.assertIn(f"[{rank}] h{rank}", lines)

    def test_join_leave_and_join_again_below(self):
        self.check(self.run_on(MANY, harness.MEMBER, "again", 5), 0)

    def test_deaths_below(self):
        for words, status, line in (
                (["kill", 3], 137, LINE.format(3, "h3", "died first: SIGKILL")),
                (["exit", 19], 1, LINE.format(19, "h19", "died first: it ended without closing its endpoint")),
                (["abort", 1, 42], 42, LINE.format(1, "h1", "ended the job with status 42.*"))):
            with self.subTest(words=words):
                self.check(self.run_on(MANY, harness.MEMBER, *words), status, line)

    def test_others_outlive_a_death_below(self):
        done = self.run_on(MANY.replace("h1,", "h1:2,"), harness.OTHERS["test-death-member"],
                           "waiting", env={"AM_ON_PEER_DEATH": "callback"})
        self.check(done, 137, LINE.format(1, r"\S+", "died first: SIGKILL"))
        self.assertEqual(done.stdout, "survived\n" * 20)

    def test_a_lost_agent_takes_the_hosts_below_along(self):
        for rank, line in ((3, LINE.format(3, "h3", "died first: its host is lost: rsh ended with SIGKILL")),
                           (2, LINE.format(2, "h2", "died first: its host is lost: rsh ended with SIGKILL"))):
            with self.subTest(rank=rank):
                job = self.start_on(MANY, harness.MEMBER, "wait")
                pids = read_pids(job.stderr, 20)
                os.kill(self.agent_of(rank, pids), signal.SIGKILL)
                errors = job.communicate(timeout=30)[1]
                self.assertRegex(errors, line)
                self.assertEqual(len(own_lines(errors)), 1, errors)
                self.assertTrue(wait_until(lambda: not any(map(alive, pids))))

    def test_a_stop_holds_back_hosts_that_are_still_to_start(self):
        slow = self.script("slow", RSH.replace("shift\n", "shift\n[ $host = h5 ] && sleep 2\n"))
        begun = self.folder / "begun"
        self.env["AM_RSH"] = slow
        job = self.start_on(MANY, "sh", "-c", f"echo $AM_JOB_RANK >> {begun}; sleep 60",
                            preexec_fn=several_hosts.as_a_shell_would)
        self.assertTrue(wait_until(lambda: begun.exists() and len(begun.read_text().split()) == 19))
        job.send_signal(signal.SIGTSTP)
        time.sleep(4)
        self.assertNotIn("5", begun.read_text().split())
        job.send_signal(signal.SIGCONT)
        self.assertTrue(wait_until(lambda: "5" in begun.read_text().split()))
        job.terminate()
        job.communicate(timeout=30)

    def test_a_host_below_that_cannot_start(self):
        refuse = self.script("refuse", RSH.replace("shift\n", "shift\n[ $host = h5 ] && exit 255\n"))
        self.check(self.run_on(MANY, "sleep", 60, env={"AM_RSH": refuse}), 125,
                   "am-run: host h5: refuse ended with exit status 255")
        self.check(self.run_on(MANY, "./no-such-program"), 127,
                   r"am-run: host h\d+: cannot run ./no-such-program: No such file or directory")


if __name__ == "__main__":
    harness.main()
