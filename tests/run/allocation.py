#!/usr/bin/env python3
"""Jobs on the hosts of a Slurm allocation, which a script named srun stands for."""

import os

import harness
import several_hosts
from several_hosts import RSH


class Allocation(several_hosts.SeveralHosts):
    def allocation(self, scontrol="printf 'h1\\nh2\\n'"):
        """As if in the shell of salloc: srun is the command of AM_RSH, behind options."""
        self.script("srun", "#!/bin/sh\nwhile [ $1 != -w ]; do shift; done; shift\n" + RSH[len("#!/bin/sh\n"):])
        self.script("scontrol", f"#!/bin/sh\n[ \"$*\" = 'show hostnames h[1-2]' ] && {scontrol}\n")
        return {"PATH": f"{self.folder}:{os.environ['PATH']}", "SLURM_JOB_NODELIST": "h[1-2]",
                "SLURM_JOB_NUM_NODES": "2", "SLURM_TASKS_PER_NODE": "2,1"}

    def test_the_hosts_of_an_allocation(self):
        env = self.allocation()
        done = harness.run("--label", "hostname", env=env)
        self.check(done, 0)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        if os.geteuid() == 0:
            self.assertEqual(sorted(done.stdout.splitlines()), ["[0] h1", "[1] h1", "[2] h2"])
        self.assertEqual(len(harness.run("-n", 2, harness.HELLO, env=env).stdout.splitlines()), 2)
        self.assertEqual(len(harness.run("-n", 7, harness.HELLO, env=env).stdout.splitlines()), 7)

    def test_am_run_for_one_host_within_an_allocation(self):
        for more in ({"SLURM_STEP_ID": "0"}, {"SLURM_JOB_NUM_NODES": "1"}):
            with self.subTest(more=more):
                done = harness.run("-n", 4, harness.HELLO, env={**self.allocation("false"), **more})
                self.check(done, 0)
                self.assertEqual(len(done.stdout.splitlines()), 4)

    def test_an_allocation_whose_hosts_are_not_known(self):
        self.check(harness.run("true", env=self.allocation("false")), 2,
                   r"am-run: the Slurm allocation: cannot list the hosts .* exit status 1 .*")
        self.check(harness.run("true", env={**self.allocation(), "SLURM_TASKS_PER_NODE": "2(x3)"}),
                   2, r"am-run: the Slurm allocation: SLURM_TASKS_PER_NODE=.* its 2 hosts .*")


if __name__ == "__main__":
    harness.main()
