"""What the tests of those commands of am-calibrate share that start pairs of their own: a run and
the file that it writes, a run that is stopped, and what each of them refuses.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from page import CSV, Page  # noqa: E402
from schemas import check_schema  # noqa: E402

AM_CALIBRATE = sys.argv[1]


def launches_of(process):
    """The pids of its children now: the launch that it measures, if there is one."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return set(children.read_text().split())


class PairCommand:
    """Mixed into a unittest.TestCase, which sets the first three values."""

    command = None  # its name
    refused = ()    # options, and a part of the line that it says of them
    broken = None   # changes a document so that it holds to its schema no more
    # One round on a machine with other work may be unfit; it is written all the same.
    measured = (0, 3)

    def run_command(self, *options, launcher=(), **more):
        return subprocess.run([*launcher, AM_CALIBRATE, self.command, *options],
                              capture_output=True, text=True, timeout=200, **more)

    def measure(self, *options, **more):
        """One round. What the command says, and what it writes, which holds to its schema."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "result.json")
            ended = self.run_command(*options, "--rounds", "1", "--json", str(file), **more)
            self.assertIn(ended.returncode, self.measured, ended.stderr)
            whole = json.loads(file.read_text())
        self.assertTrue(whole["complete"])
        self.check_schema(whole)
        return ended, whole

    def measure_until_stopped(self, *options):
        """The same, stopped in its second launch; one layer that is launched once in a round."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "result.json")
            with subprocess.Popen([AM_CALIBRATE, self.command, *options, "--rounds", "1000",
                                   "--json", str(file)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                launches = set()
                while len(launches) < 2 and process.poll() is None:
                    launches |= launches_of(process)
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 130, err)
            whole = json.loads(file.read_text())
        self.assertIn("Stopped before the end", out)
        self.assertIn("stopped", err)
        self.assertFalse(whole["complete"])
        self.check_schema(whole)
        return whole

    def check_schema(self, whole):
        check_schema(self, f"am-{self.command}", whole, [self.broken])

    def test_bad_usage(self):
        for options, line in self.refused:
            ended = self.run_command(*options)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(ended.stdout, "")
            self.assertEqual(ended.stderr.count("\n"), 1)
            self.assertIn(line, ended.stderr)

    def test_in_a_job(self):
        am_run = str(pathlib.Path(AM_CALIBRATE).with_name("am-run"))
        ended = self.run_command(launcher=[am_run, "-n", "2"])
        self.assertEqual(ended.returncode, 2)
        self.assertIn("run it outside of a job", ended.stderr)

    def test_file_that_cannot_be_written(self):
        ended = self.run_command("--json", "/nonexistent/result.json")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot write /nonexistent/result.json", ended.stderr)


class DrawingCommand(PairCommand):
    """The same of a command whose result is drawn: with a page, and curves among the tables."""

    refused = (
        (["--html", "same", "--json", "same"], "--json and --html both name same"),
        (["--html", "-"], "--html takes the name of a file, not -"),
        (["--curves", "round"], "--curves: round not in {unicode,ascii,none}"))
    shortest = ()    # options with which it takes a second or two, of one layer
    curves_of = ""   # a part of the line above its curves

    def check_data(self, page, whole):
        """Its JSON is that of the result, on one line, without what --json alone has."""
        conditions = {key: of for key, of in whole["conditions"].items() if key != "launches"}
        self.assertEqual(json.loads(page.json), {**whole, "conditions": conditions})
        self.assertNotIn("\n", page.json)

    def measure_page(self, *options):
        """One round: what the command says, what it writes, and its page, which stands alone."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "result.html")
            ended, whole = self.measure(*options, "--html", str(file))
            text = file.read_text()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.check_data(page, whole)
        self.assertTrue(page.links)
        self.assertEqual([link for link in page.links if not link.startswith(CSV)], [])
        self.assertNotIn("http", text.split("<script")[0])
        for figures in (page.captions, page.points, page.tables):
            self.assertEqual(len(figures), text.count("<figure>"))
        self.assertTrue(all(page.captions) and all(page.points))
        self.assertEqual(text.count("<figure>"), text.count("<details>"))
        return ended, whole, page

    def test_curves(self):
        for asked, there, not_there in (("ascii", " 10 ", "\u2502"), ("unicode", "\u2502", "\x1b"),
                                        ("none", "", self.curves_of)):
            ended = self.run_command(*self.shortest, "--rounds", "1", "--curves", asked)
            self.assertIn(ended.returncode, self.measured, ended.stderr)
            self.assertIn(there, ended.stdout)
            self.assertNotIn(not_there, ended.stdout)
            self.assertEqual(self.curves_of in ended.stdout, asked != "none")
            drawn = [line for line in ended.stdout.splitlines() if "\u2502" in line]
            self.assertLessEqual(max(map(len, drawn), default=0), 80)

    def test_page_that_cannot_be_written(self):
        ended = self.run_command("--html", "/nonexistent/result.html")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("cannot write /nonexistent/result.html", ended.stderr)
        ended = self.run_command(*self.shortest, "--rounds", "1", "--html", "/dev/full")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot write /dev/full", ended.stderr)
        self.assertIn(self.curves_of, ended.stdout)

    def measure_until_stopped(self, *options):
        """There is a page, too."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "result.html")
            whole = super().measure_until_stopped(*options, "--html", str(file))
            text = file.read_text()
        self.assertIn("<p class='warning'>Stopped before the end.</p>", text)
        self.check_data(Page(text), whole)
        return whole
