#!/usr/bin/env python3
"""The same binary under Open MPI's mpirun, and the errors of starts that cannot succeed: no module,
no libpmix, another version, MPICH's mpirun, no PMIx server, a launcher that is stopped or
killed."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness
import launched
from launched import Launched, copied_tree, skip_or_fail, member

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []


class Mpirun(Launched, unittest.TestCase):
    launcher = ["mpirun.openmpi", "--oversubscribe", *AS_ROOT]
    environment = {}

    def start(self, ranks, *command, folder, options=()):
        """Keeps running; each rank's output goes to a file, since the launcher is to be killed."""
        script = f"exec {' '.join(command)} >{folder}/$PMIX_RANK 2>&1"
        job = subprocess.Popen([*self.launcher, *options, "-n", str(ranks), "sh", "-c", script],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(harness.finish, job)
        return job

    def texts(self, folder):
        return [path.read_text() for path in sorted(pathlib.Path(folder).iterdir())]

    # ---- deaths ----

    def survivors(self, how, survive=2):
        done = self.launched(3, harness.OTHERS["test-death-member"], how,
                             options=["--enable-recovery"], env={"AM_ON_PEER_DEATH": "callback"})
        self.assertEqual(done.stdout, "survived\n" * survive, self.output_of(done))
        self.assertEqual(done.returncode, 0, self.output_of(done))  # mpirun's status in this case
        self.assertNotRegex(done.stderr, r"am\[\d+\]: ", self.output_of(done))

    def test_with_recovery_the_others_survive_a_death(self):
        for how in ("waiting", "looping", "exiting", "abandoning", "leaving", "fencing",
                    "sending_before", "credits", "calls", "all_reduce"):
            with self.subTest(how=how):
                self.survivors(how)

    def test_with_recovery_the_others_survive_a_second_death(self):
        self.survivors("two", survive=1)

    def test_with_recovery_but_without_callback_the_first_rank_to_notice_a_death_ends_the_job(self):
        done = self.launched(3, *member("kill", 1), options=["--enable-recovery"])
        self.assertIn(" error: rank 1 has died: the job ends\n", done.stderr, self.output_of(done))

    def test_with_recovery_no_rank_joins_where_deaths_are_not_reported(self):
        blind = harness.OTHERS["test-without-pidfd"]
        one_is = f"[ $PMIX_RANK = 1 ] && exec {blind} {harness.HELLO}; exec {harness.HELLO}"
        for command in ((blind, harness.HELLO), ("sh", "-c", one_is)):
            with self.subTest(command=command):
                done = self.launched(2, *command, options=["--enable-recovery"])
                self.assertEqual(len(re.findall(
                    r"mpirun lets the others go on when a rank dies \(--enable-recovery\), but the "
                    r"ranks of this host cannot watch each other .*: start it without", done.stderr)),
                    2, self.output_of(done))
                self.assertEqual(done.stdout, "")

    def test_with_recovery_a_death_in_the_join_ends_the_job(self):
        for on_death in ("abort", "callback"):
            with self.subTest(on_death=on_death), tempfile.TemporaryDirectory() as folder:
                hold = harness.OTHERS["libhold_open.so"]  # rank 1 opens the file and stays there
                command = (f"'[ $PMIX_RANK = 1 ] && export AM_STATS={folder}/stays LD_PRELOAD={hold}; "
                           f"echo $$ >{folder}/pid$PMIX_RANK; exec {harness.HELLO}'")
                job = self.start(2, "sh -c", command, folder=folder,
                                 options=["--enable-recovery", "-x", f"AM_ON_PEER_DEATH={on_death}"])
                pids = [pathlib.Path(f"{folder}/pid{rank}") for rank in (0, 1)]
                self.assertTrue(harness.wait_until(
                    lambda: all(pid.exists() and pid.read_text() for pid in pids)))
                self.assertTrue(harness.wait_until(pathlib.Path(f"{folder}/stays.held").exists))
                os.kill(int(pids[1].read_text()), signal.SIGKILL)
                self.assertTrue(harness.wait_until(
                    lambda: not harness.alive(int(pids[0].read_text()))))
                self.assertIn(" error: rank 1 has died: the job ends\n",
                              pathlib.Path(f"{folder}/0").read_text())

    def test_without_recovery_mpirun_ends_the_job(self):
        done = self.launched(3, harness.OTHERS["test-death-member"], "waiting",
                             env={"AM_ON_PEER_DEATH": "callback"})
        self.assertEqual(done.returncode, 137, self.output_of(done))
        self.assertNotIn("survived", done.stdout)
        self.assertIn("process rank 1", done.stderr)

    def test_mpirun_is_killed(self):
        for wait in ("block", "spin"):
            with self.subTest(wait=wait), tempfile.TemporaryDirectory() as folder:
                job = self.start(2, f"env AM_WAIT={wait}", harness.MEMBER, "wait", folder=folder)
                self.assertTrue(harness.wait_until(
                    lambda: [text[:3] for text in self.texts(folder)] == ["in "] * 2))
                ranks = harness.descendants(job.pid)
                self.assertEqual(len(ranks), 2)
                job.kill()
                self.assertTrue(harness.wait_until(lambda: not any(map(harness.alive, ranks)), 20))
                for rank, text in enumerate(self.texts(folder)):
                    self.assertRegex(text, rf"am\[{rank}\]: error: the launcher is gone \(its PMIx "
                                           r"server on host \S+\): this rank ends\n")

    def test_mpirun_is_stopped_while_ranks_join(self):
        if not launched.THOROUGH:
            return  # it takes half a minute
        with tempfile.TemporaryDirectory() as folder:
            job = self.start(1, "sh -c", f"'kill -STOP {'$PPID'}; OMPI_COMM_WORLD_SIZE=2 exec "
                             f"{harness.HELLO}'", folder=folder)
            reported = harness.wait_until(lambda: "for 30 s" in "".join(self.texts(folder)), 60)
            os.kill(job.pid, signal.SIGCONT)
            self.assertTrue(reported, self.texts(folder))
            self.assertIn("is the launcher stopped?", self.texts(folder)[0])

    # ---- starts that cannot succeed ----

    def test_a_process_has_one_endpoint_at_a_time(self):
        done = self.launched(2, *member("join-too", 1))
        self.assertEqual(done.returncode, 0, self.output_of(done))
        self.assertIn("join: this process has joined the job already, and can do so once: close "
                      "that endpoint first\n", done.stderr, self.output_of(done))

    def test_mpirun_of_MPICH(self):
        if shutil.which("mpirun.mpich") is None:
            self.skipTest("no mpirun of MPICH here")
        # To files: when a rank ends so early, MPICH's mpirun may lose its output.
        with tempfile.TemporaryDirectory() as folder:
            script = f"exec {harness.HELLO} >{folder}/$PMI_RANK 2>&1"
            status = subprocess.run(["mpirun.mpich", "-n", "2", "sh", "-c", script], timeout=50,
                                    stdin=subprocess.DEVNULL, capture_output=True).returncode
            output = "".join(self.texts(folder))
        self.assertRegex(output, r"PMI_SIZE=2 says that this process is one of "
                         r"several, but no PMIx server .* start it with mpirun\.openmpi \(package "
                         r"openmpi-bin\) or am-run -n N PROGRAM")
        self.assertNotEqual(status, 0)
        self.assertNotIn("hello from", output)

    def test_without_a_server(self):
        for env, line in (({"PMIX_RANK": "0"}, "no PMIx server has started it"),
                          ({"PMIX_RANK": "0", "PMIX_NAMESPACE": "x"},
                           r"PMIx_Init failed on host \S+: "),
                          # A launcher is a task of Slurm, which has started this one.
                          ({"PMIX_RANK": "3", "PMIX_NAMESPACE": "x", "SLURM_STEP_NUM_TASKS": "1"},
                           r"PMIx_Init failed on host \S+: "),
                          ({"AM_BOOTSTRAP": "pmix"}, "AM_BOOTSTRAP=pmix, but no PMIx server")):
            done = subprocess.run([harness.HELLO], env={**os.environ, **env}, capture_output=True,
                                  text=True, timeout=50)
            self.assertRegex(done.stderr, rf"cannot join the job: join: .*{line}.*am-run")
            self.assertEqual(done.stdout, "")

    def test_without_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = copied_tree(folder)
            tree.module.unlink()
            self.refused(r"OMPI_COMM_WORLD_SIZE=2 .* there is no pmix\.so in \S+.*libam-pmix", 2,
                         tree.program)
            # And found again through AM_MODULE_PATH.
            built = pathlib.Path(harness.HELLO).parents[1] / "lib/am"
            self.good(2, tree.program, env={"AM_MODULE_PATH": str(built)})

    def test_without_libpmix(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = copied_tree(folder)
            tree.replace(b"libpmix.so.2\0", b"libpmix.so.9\0")
            self.refused(r"cannot load it: libpmix\.so\.9: cannot open shared object file.*libpmix2",
                         2, tree.program)
            alone = subprocess.run([tree.program], capture_output=True, text=True, timeout=50)
            self.assertEqual((alone.stdout, alone.stderr), ("hello from rank 0 of 1\n", ""))

    def test_a_module_of_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = copied_tree(folder)
            version = subprocess.run([harness.AM_RUN, "--version"], capture_output=True,
                                     text=True).stdout.split(None, 1)[1].strip()
            other = re.sub(r"^\d", "9", version)
            tree.replace(version.encode(), other.encode())
            self.refused(rf"pmix\.so is of libam {re.escape(other)}, and this is libam "
                         rf"{re.escape(version)}", 2, tree.program)

    def test_ranks_of_different_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = copied_tree(folder)
            for file in (tree.module, *tree.module.parents[1].glob("libam.so*")):
                tree.module = file
                if b"0.1.0 (git" in file.read_bytes():
                    tree.replace(b"0.1.0 (git", b"0.1.9 (git")
            done = self.launched(1, harness.HELLO, ":", "-n", "1", tree.program)
            self.assertRegex(done.stderr, r"cannot join the job: join: rank \d is of libam 0\.1\.\d "
                             r"\(git \w+\), and this is libam 0\.1\.\d \(git \w+\): give all ranks the "
                             r"same")


if __name__ == "__main__":
    if shutil.which("mpirun.openmpi") is None:
        skip_or_fail("no mpirun of Open MPI here")
    harness.main()
