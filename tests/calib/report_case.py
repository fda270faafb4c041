"""What the tests of am-calibrate report share: files, the command, and the page of good files.

The last word of the command line is the path of am-calibrate.
"""

import copy
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from page import CSV, Page  # noqa: E402

AM_CALIBRATE = str(pathlib.Path(sys.argv[1]).resolve())


def without_samples(whole):
    whole = copy.deepcopy(whole)
    whole.get("conditions", {}).pop("launches", None)
    return whole


class ReportCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_report(self, *words, most_bytes=None, before=(), **environment):
        """`most_bytes`: of its memory, if it is not instrumented. `before`: what runs the command."""
        def limit():
            if most_bytes and not re.search("[a-z]san", AM_CALIBRATE):
                resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))

        return subprocess.run([*before, AM_CALIBRATE, "report", *map(str, words)],
                              capture_output=True, text=True, timeout=60, cwd=self.folder,
                              preexec_fn=limit,
                              env={**os.environ, **environment})

    def file_of(self, name, whole):
        (self.folder / name).write_text(whole if isinstance(whole, str) else json.dumps(whole))
        return name

    def page_of(self, **files):
        """Of files by these names: the page, which stands alone, and its text."""
        names = [self.file_of(f"{name}.json", whole) for name, whole in files.items()]
        ended = self.run_report(*names, "-o", "page.html")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
        self.assertIn("the report is in page.html", ended.stderr)
        text = (self.folder / "page.html").read_text()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertLess(len(text), 2_000_000)
        self.assertTrue(page.links)
        self.assertEqual([link for link in page.links if not link.startswith(CSV)], [])
        self.assertNotRegex(text.split("<script")[0], r"https?:|@import|url\(")
        self.assertEqual(text.count("<script"), 1)
        self.assertEqual(text.count("alert(1)</script>"), 0)
        self.assertEqual(json.loads(page.json), {"files": [
            {"file": f"{name}.json", "document": without_samples(whole)}
            for name, whole in files.items()]})
        self.assertEqual(text.count("<figure>"), text.count("<details>"))
        self.assertTrue(all(page.captions) and all(page.points))
        return page, text

    def check_refused(self, ended, line, status=2):
        self.assertEqual((ended.returncode, ended.stdout), (status, ""), ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1)
        self.assertIn(line, ended.stderr)
