#!/usr/bin/env python3
"""Jobs over several hosts (several_hosts.py)."""

import fcntl
import os
import pathlib
import re
import resource
import signal
import termios
import time

import harness
import several_hosts
from harness import alive, blocks, own_lines, read_pids, wait_until
from several_hosts import LINE, RSH, as_a_shell_would

# Answers as the am-run of another build.
OTHER_BUILD = """#!/usr/bin/env python3
import os, struct, time
build = b"0.0.1 (git 0000000)"
body = struct.pack("<III", 0x68726d61, VERSION, len(build)) + build
os.write(1, struct.pack("<II", len(body), 1000) + body)
time.sleep(60)
"""


def cpu_seconds(pid):
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Hosts(several_hosts.SeveralHosts):
    # ---- what a job does ------------------------------------------------------------------------

    def test_ranks_are_numbered_by_host_and_reach_each_other(self):
        for hosts in ("a:2,b,c:2", "localhost:2,b:3", "b:3,localhost:2"):
            with self.subTest(hosts=hosts):
                done = self.run_on(hosts, harness.HELLO)
                self.check(done, 0)
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 [f"hello from rank {r} of 5" for r in range(5)])

    def test_slots_are_filled_in_order(self):
        show = ["sh", "-c", "echo $AM_JOB_RANK/$AM_JOB_RANKS $AM_HOST_OF_TEST; hostname"]
        done = self.run_on("a:2,b:2,c", "-n", 3, "--label", *show)
        self.check(done, 0)
        self.assertEqual(len(re.findall(r"(?m)^\[\d\] \d/3", done.stdout)), 3)
        if os.geteuid() == 0:
            self.assertEqual(sorted(re.findall(r"(?m)^\[\d\] [abc]$", done.stdout)),
                             ["[0] a", "[1] a", "[2] b"])

    def test_hosts_get_ranks_in_turn(self):
        hosts = "localhost:2,b,c:2"
        done = self.run_on(hosts, "--map-by", "node", "--label", "hostname")
        self.check(done, 0)
        if os.geteuid() == 0:
            here = os.uname().nodename
            self.assertEqual(sorted(done.stdout.splitlines()),
                             [f"[0] {here}", "[1] b", "[2] c", f"[3] {here}", "[4] c"])
        self.check(self.run_on(hosts, "--map-by", "node", harness.MEMBER, "again", 3), 0)
        table = self.run_on(hosts, "--map-by", "node", harness.OTHERS["am-info"], "--transports",
                            env={"AM_TRANSPORT": "shm,tcp"}).stdout
        self.assertRegex(table, r"(?m)^0,3 +0,3 +shm")
        self.check(self.run_on(hosts, "--map-by", "node", harness.MEMBER, "kill", 4), 137,
                   LINE.format(4, "c", "died first: SIGKILL"))

    def test_hosts_of_a_file(self):
        file = self.folder / "hosts"
        file.write_text("# two hosts\na:2\n\n  b slots=1  # the second\na\n")
        done = harness.run("--hostfile", file, harness.HELLO, env=self.env)
        self.check(done, 0)
        self.assertEqual(len(done.stdout.splitlines()), 4)

    def test_join_leave_and_join_again(self):
        self.check(self.run_on("a:2,localhost,b", harness.MEMBER, "again", 20), 0)

    def test_settings_exports_and_a_folder_with_blanks_are_carried_over(self):
        place = self.folder / "a folder's name"
        place.mkdir()
        done = self.run_on("a,b", "-x", "A=one 'and' two", "--label", "sh", "-c",
                           "pwd; echo $A $AM_CREDITS", env={"AM_CREDITS": "7"}, cwd=place)
        self.check(done, 0)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(f"[{r}] {text}" for r in range(2)
                                for text in (place, "one 'and' two 7")))

    def test_the_folder_is_the_ranks_PWD(self):
        place = self.folder.resolve()
        done = self.run_on("a", "env", cwd=place, env={"PWD": "/nowhere"})
        self.check(done, 0)
        self.assertIn(f"PWD={place}", done.stdout.splitlines())

    def test_exports_are_for_the_ranks_alone(self):
        done = self.run_on("a", "-x", "PATH=/nowhere", "/bin/sh", "-c", "echo $PATH",
                           env={"AM_RSH": "rsh", "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.check(done, 0)
        self.assertEqual(done.stdout, "/nowhere\n")

    def test_input_goes_to_rank_0(self):
        text = "".join(f"line {i}\n" for i in range(100000))
        for hosts in ("a,b", "localhost,b"):
            done = self.run_on(hosts, "sh", "-c", "cat; echo end >&2", text=text)
            self.check(done, 0)
            self.assertEqual(done.stdout, text)
            self.assertEqual(done.stderr, "end\n" * 2)

    def test_input_that_no_rank_reads_is_no_failure(self):
        self.check(self.run_on("a,b", "true", text="x" * 1000000), 0)

    def test_much_output_in_whole_lines(self):
        """10 MB from four ranks, of which each knows its lines."""
        script = ('i=0; line=$(printf "%0998d" $AM_JOB_RANK); '
                  'while [ $i -lt 2500 ]; do echo "$line"; i=$((i+1)); done')
        done = self.run_on("a:2,b,localhost", "--label", "sh", "-c", script)
        self.check(done, 0)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 10000)
        self.assertEqual(set(lines), {f"[{r}] {r:0998}" for r in range(4)})

    def test_lines_larger_than_any_buffer_stay_whole(self):
        script = r"""for i in 1 2; do head -c 3000000 /dev/zero | tr '\0' $AM_JOB_RANK; echo; done"""
        done = self.run_on("localhost,a:3", "sh", "-c", script)
        self.check(done, 0)
        lines = done.stdout.splitlines()
        self.assertEqual({(len(line), len(set(line))) for line in lines}, {(3000000, 1)})
        self.assertEqual(len(lines), 8)

    def test_a_reader_that_stops_keeps_no_death_back(self):
        job = self.start_on("a,b", "sh", "-c",
                            'if [ $AM_JOB_RANK = 1 ]; then sleep 1; kill -9 $$; fi; yes')
        self.assertRegex(job.stderr.readline(), LINE.format(1, "b", "died first: SIGKILL"))
        job.communicate(timeout=30)
        self.assertEqual(job.returncode, 137)

    def test_no_secret_is_visible(self):
        job = self.start_on("a:2,b:2", harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 4)
        self.assertEqual(len(pids), 4)
        agents = self.agents(job)
        self.assertEqual(len(agents), 2)
        for pid, words in agents.items():
            self.assertEqual([word for word in words if word][1:], [b"--agent"])
            variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            names = {each.split(b"=")[0] for each in variables if each.startswith(b"AM_")}
            self.assertLessEqual(names, {b"AM_RSH", b"AM_PROFILE"})  # which these tests set
        job.terminate()
        job.communicate(timeout=30)

    # ---- how it ends ----------------------------------------------------------------------------

    def test_the_status_of_the_first_rank_that_failed(self):
        done = self.run_on("a:2,b:2", "sh", "-c", "[ $AM_JOB_RANK = 2 ] && exit 7; sleep 60")
        self.check(done, 7, LINE.format(2, "b", "died first: exit status 7"))

    def test_a_killed_rank_is_named_with_its_host(self):
        self.check(self.run_on("a:2,b:2", harness.MEMBER, "kill", 3), 137,
                   LINE.format(3, "b", "died first: SIGKILL"))

    def test_deaths_by_other_ways(self):
        for words, status, line in (
                (["exit", 1], 1, LINE.format(1, "b", "died first: it ended without closing its endpoint")),
                (["but", 1], 1, LINE.format(1, "b", r"died first: it ended without joining, and rank \d waits for it")),
                (["abandon", 1], 1, LINE.format(1, "b", "died first: it gave up its endpoint without closing it, .*")),
                (["abort", 1, 42], 42, LINE.format(1, "b", "ended the job with status 42.*")),
                (["fail", 1, 9], 9, LINE.format(1, "b", "had left the job and ended with exit status 9"))):
            with self.subTest(words=words):
                self.check(self.run_on("a,b,c", harness.MEMBER, *words), status, line)

    def test_the_last_output_of_a_rank_arrives(self):
        done = self.run_on("a,b", harness.MEMBER, "abort", 1, 42)
        self.assertEqual(done.stdout, "last words")

    def test_a_killed_agent_is_a_lost_host(self):
        job = self.start_on("a:2,b:2", harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 4)
        os.kill(self.agent_of(2, pids), signal.SIGKILL)
        errors = job.communicate(timeout=30)[1]
        self.assertRegex(errors, LINE.format(2, "b", "died first: its host is lost: rsh ended with SIGKILL"))
        self.assertEqual(job.returncode, 1)
        self.assertTrue(wait_until(lambda: not any(map(alive, pids))))

    def test_a_stopped_agent_is_a_lost_host(self):
        self.env["AM_PEER_TIMEOUT"] = "2"
        job = self.start_on("a:2,b:2", harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 4)
        os.kill(self.agent_of(2, pids), signal.SIGSTOP)
        errors = job.communicate(timeout=30)[1]
        self.assertRegex(errors, LINE.format(
            2, "b", r"died first: its host is lost: silent for 2 s \(AM_PEER_TIMEOUT\)"))
        self.assertTrue(wait_until(lambda: not any(map(alive, pids))))

    def test_a_short_time_limit_keeps_no_process_busy(self):
        self.env["AM_PEER_TIMEOUT"] = "2"
        job = self.start_on("a,b", harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 2)
        time.sleep(3)
        self.assertTrue(all(map(alive, pids)))
        self.assertLess(sum(map(cpu_seconds, [job.pid, *self.agents(job)])), 1)
        job.terminate()
        job.communicate(timeout=30)

    def test_a_stopped_am_run_ends_the_ranks_of_other_hosts(self):
        """As when the cable of its host is cut. A stop that it has passed on is none."""
        self.env["AM_PEER_TIMEOUT"] = "2"
        job = self.start_on("a,b", harness.MEMBER, "wait", preexec_fn=as_a_shell_would)
        pids = read_pids(job.stderr, 2)
        job.send_signal(signal.SIGTSTP)
        time.sleep(4)
        self.assertEqual({harness.state_of(pid) for pid in pids}, {"T"})
        job.send_signal(signal.SIGCONT)
        self.assertTrue(wait_until(lambda: not any(harness.state_of(pid) == "T" for pid in pids)))
        job.send_signal(signal.SIGSTOP)
        self.assertTrue(wait_until(lambda: not any(map(alive, pids))))
        job.send_signal(signal.SIGCONT)
        self.assertRegex(job.communicate(timeout=30)[1], "died first: its host is lost: .*ended with")

    def test_the_death_of_am_run_ends_every_rank(self):
        job = self.start_on("a:2,b:2", harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 4)
        agents = list(self.agents(job))
        job.kill()
        self.assertTrue(wait_until(lambda: not any(map(alive, pids + agents)), 3))

    def test_signals_end_the_job(self):
        harness.check_that_signals_end(
            self, lambda: self.start_on("a,localhost,b", harness.MEMBER, "wait"))

    def test_a_key_of_the_terminal_ends_ranks_on_all_hosts_in_order(self):
        """The ranks of another host get the signal from am-run, and once."""
        script = 'trap "echo got; exit 0" INT; echo ready >&2; while :; do sleep 0.1; done'
        parent, child = os.openpty()
        job = self.start_on("localhost,b", "sh", "-c", script, stdin=child, start_new_session=True,
                            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.assertEqual([job.stderr.readline() for _ in range(2)], ["ready\n"] * 2)
        os.write(parent, b"\x03")
        output = job.communicate(timeout=30)[0]
        self.assertEqual((job.returncode, output), (0, "got\n" * 2))
        os.close(parent)
        os.close(child)

    def test_a_signal_that_leaves_ends_unknown_is_the_status(self):
        """Hosts that are still connecting, and hosts that a second signal gives up."""
        slow = self.script("slow", "#!/bin/sh\nsleep 60\n")
        for env, words, signals in (({"AM_RSH": slow}, ["sleep", 60], 1),
                                    ({}, ["sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"], 2)):
            with self.subTest(words=words):
                self.env.update(env)
                job = self.start_on("a,b", *words)
                self.assertTrue(wait_until(lambda: blocks(job.pid, signal.SIGTERM)))
                for _ in range(signals):
                    time.sleep(1)
                    job.terminate()
                job.communicate(timeout=30)
                self.assertEqual(job.returncode, 128 + signal.SIGTERM)
                self.env["AM_RSH"] = str(self.folder / "rsh")

    def test_a_reader_that_has_gone_is_the_status(self):
        script = "trap '' PIPE; while sleep 0.1; do echo x || exit 0; done"
        for hosts in ("a", "a,b,c:2"):
            with self.subTest(hosts=hosts):
                job = self.start_on(hosts, "sh", "-c", script)
                job.stdout.close()
                self.assertEqual(job.wait(timeout=30), -signal.SIGPIPE)

    def test_ranks_have_the_limit_of_am_run(self):
        low = lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                         (500, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        done = self.run_on("localhost,b", "sh", "-c", "ulimit -n", preexec_fn=low)
        self.check(done, 0)
        self.assertEqual(done.stdout, "500\n" * 2)

    def test_user_signals_reach_every_rank(self):
        script = 'trap "echo got; exit 0" USR1; echo ready >&2; while :; do sleep 0.1; done'
        job = self.start_on("a,localhost,b", "sh", "-c", script)
        self.assertEqual([job.stderr.readline() for _ in range(3)], ["ready\n"] * 3)
        job.send_signal(signal.SIGUSR1)
        self.assertEqual(job.communicate(timeout=30)[0], "got\n" * 3)
        self.assertEqual(job.returncode, 0)

    def test_a_stop_stops_ranks_on_all_hosts_and_a_continue_continues_them(self):
        job = self.start_on("a,localhost", harness.MEMBER, "wait", preexec_fn=as_a_shell_would)
        pids = read_pids(job.stderr, 2)
        job.send_signal(signal.SIGTSTP)
        self.assertTrue(wait_until(lambda: all(harness.state_of(pid) == "T" for pid in pids)))
        job.send_signal(signal.SIGCONT)
        self.assertTrue(wait_until(lambda: not any(harness.state_of(pid) == "T" for pid in pids)))
        job.terminate()
        job.communicate(timeout=30)

    def test_a_lost_host_of_a_rank_that_had_left(self):
        """It ends no other rank, and its status is not known."""
        job = self.start_on("a,b", "sh", "-c",
                            f"{harness.HELLO}; echo in $$ >&2; sleep $((5 + 60 * AM_JOB_RANK))")
        pids = read_pids(job.stderr, 2)
        os.kill(self.agent_of(1, pids), signal.SIGKILL)
        errors = job.communicate(timeout=30)[1]
        self.assertRegex(errors, LINE.format(
            1, "b", "had left the job, and its end is unknown: its host is lost: rsh ended with SIGKILL"))
        self.assertEqual(job.returncode, 1)
        self.assertNotIn("died", errors)

    def test_a_host_with_much_to_say(self):
        chatty = self.script("chatty", RSH.replace("shift\n", "shift\n(sleep 1; seq 3000 >&2) &\n", 1))
        done = self.run_on("a", "sleep", 3, env={"AM_RSH": chatty})
        self.assertEqual(done.returncode, 0)
        lines = own_lines(done.stderr)
        self.assertEqual(len(lines), 1001)
        self.assertEqual(lines[0], "am-run: host a: 1")
        self.assertIn("(further messages are not shown)", lines[-1])

    def test_too_few_descriptors_for_agents(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        done = self.run_on(",".join("abcdefghijklmnop"), "true", preexec_fn=limit)
        self.check(done, 125, "am-run: 16 agents and 0 ranks need \\d+ descriptors and 40 are "
                              "allowed: raise `ulimit -n`")

    def test_others_outlive_a_death_on_another_host(self):
        for hosts in ("a,b:2", "a:2,b", "localhost:2,b"):  # rank 1 dies
            for transport in ("shm,tcp", "shm,ucx"):
                with self.subTest(hosts=hosts, transport=transport):
                    done = self.run_on(hosts, harness.OTHERS["test-death-member"], "waiting",
                                       env={"AM_ON_PEER_DEATH": "callback",
                                            "AM_TRANSPORT": transport})
                    self.check(done, 137, LINE.format(1, r"\S+", "died first: SIGKILL"))
                    self.assertEqual(done.stdout, "survived\n" * 2)

    def test_ranks_that_outlive_others_try_ucx_last_unless_it_is_named(self):
        for setting, by in (("", "tcp"), ("shm,ucx", "ucx"), ("^tcp", "ucx")):
            with self.subTest(setting=setting):
                done = self.run_on("a,b", harness.OTHERS["am-info"], "--transports",
                                   env={"AM_ON_PEER_DEATH": "callback", "AM_TRANSPORT": setting})
                self.assertRegex(done.stdout, rf"(?m)^0-1 +0-1 +{by}\b")

    # ---- what cannot start ----------------------------------------------------------------------

    def test_a_start_that_fails_is_one_line_with_the_host(self):
        began = time.monotonic()
        for hosts, env, words, status, line in (
                ("a,b", {}, ["./no-such-program"], 127,
                 r"host [ab]: cannot run ./no-such-program: No such file or directory"),
                ("a,b", {}, ["/"], 126, r"host [ab]: cannot run /: Is a directory"),
                ("localhost,b", {"AM_RSH": "false"}, ["sleep", 60], 125,
                 "host b: false ended with exit status 1"),
                ("localhost,b", {"AM_RSH": "/no/such/rsh -q"}, ["sleep", 60], 125,
                 "host b: rsh ended with exit status 1: cannot run /no/such/rsh: No such file or directory"),
                ("localhost,b", {"AM_RSH": self.script("refuse", "#!/bin/sh\necho 'no, ' $1 >&2\nexit 255\n")},
                 ["sleep", 60], 125, "host b: refuse ended with exit status 255: no,  b"),
                ("localhost,b", {"AM_RSH": self.script("chatty", "#!/bin/sh\necho Welcome to host b.\nsleep 60\n")},
                 ["sleep", 60], 125, "host b: what comes from there is not am-run's: .*")):
            with self.subTest(env=env, words=words):
                self.check(self.run_on(hosts, *words, env=env), status, f"am-run: {line}")
        done = self.run_on("localhost,b", "--prefix", "/no where", "sleep", 60)
        self.check(done, 125, r"am-run: host b: .*127: .*/no where/bin/am-run: not found \(--prefix .*\)")
        self.assertLess(time.monotonic() - began, 60)

    def test_a_host_that_does_not_answer(self):
        began = time.monotonic()
        silent = self.script("silent", "#!/bin/sh\nsleep 60\n")
        self.check(self.run_on("localhost,b", "sleep", 60, env={"AM_RSH": silent}), 125,
                   "am-run: host b: no am-run has answered there for 9 s")
        self.assertLess(time.monotonic() - began, 30)

    def test_another_build_is_named(self):
        for version in (1, 2):
            fake = self.script("fake", OTHER_BUILD.replace("VERSION", str(version)))
            self.check(self.run_on("localhost,b", "sleep", 60, env={"AM_RSH": fake}), 125,
                       r"am-run: host b: am-run there is 0.0.1 \(git 0000000\), and here it is .*: "
                       "install one build on all hosts")

    def test_check_reports_every_host(self):
        done = self.run_on("localhost:2,b,c:2", "--check", "sh", "-c", "echo ran")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        for where, ranks in (("", 2), ("host b: ", 1), ("host c: ", 2)):
            for stage in ("program: /.*/sh", "shared memory: works", "descriptors: .* allowed",
                          "processes: .*", "binding: .*", f"start: {ranks} ranks on this host"):
                self.assertRegex(done.stderr, rf"(?m)^am-run: {where}check: {stage}$")
        refuse = self.script("refuse", RSH.replace("shift\n", "shift\n[ $host = b ] && exit 255\n", 1))
        done = self.run_on("a,b,c", "--check", "true", env={"AM_RSH": refuse})
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, "host b: refuse ended with exit status 255")
        for host in "ac":
            self.assertRegex(done.stderr, f"host {host}: check: start: 1 ranks on this host")
        done = self.run_on("a,b", "--check", "./no-such-program")
        self.assertEqual(done.returncode, 127)
        self.assertEqual(len(re.findall("check: program: ./no-such-program: No such", done.stderr)), 2)

    def test_bad_lists_of_hosts(self):
        for words in (["--hosts", "a:0"], ["--hosts", "a,,b"], ["--hosts", "-oProxyCommand=x"],
                      ["--hosts", "a;b"], ["--hosts", "a:x"], ["--hosts", "a:4096,b"],
                      ["--hosts", "a", "--hostfile", "f"], ["--hostfile", "/nowhere/f"],
                      ["--hosts", ""], ["--hostfile", ""],
                      ["--hosts", "a", "--map-by", "core"]):
            with self.subTest(words=words):
                done = harness.run(*words, "true", env=self.env)
                self.check(done, 2, r"am-run: .*\(see am-run --help\)")


if __name__ == "__main__":
    harness.main()
