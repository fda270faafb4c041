#!/usr/bin/env python3
"""The report in Chromium: as wide as the window, on a telephone and on a desk, every picture is
drawn, and on paper stands every table.

Usage: report_browser.py AM-CALIBRATE
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import made_up

AM_CALIBRATE = str(pathlib.Path(sys.argv[1]).resolve())
# A page in a frame, because the narrowest window has 500 pixels. The title, which --dump-dom shows,
# is what the browser says of it.
AROUND = """<!doctype html><title></title>
<iframe style="border:0; width:{width}px; height:2000px" srcdoc="{page}"></iframe>
<script>addEventListener('load', () => {{
  const inside = document.querySelector('iframe').contentDocument;
  const pictures = [...inside.querySelectorAll('figure svg')];
  document.title = JSON.stringify({{
    beyond: inside.documentElement.scrollWidth - inside.documentElement.clientWidth,
    pictures: pictures.length,
    empty: pictures.filter(one => !one.getBoundingClientRect().width).length,
    background: inside.defaultView.getComputedStyle(inside.body).backgroundColor}});
}});</script>"""


class Browser(unittest.TestCase):
    def setUp(self):
        self.browser = shutil.which("chromium")
        self.assertIsNotNone(self.browser, "chromium is not installed: packaging/packages/long.txt")

    def browse(self, folder, page, *options):
        file = pathlib.Path(folder, "page.html")
        file.write_text(page)
        return subprocess.run(
            [self.browser, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={folder}/browser", *options, file.as_uri()],
            capture_output=True, text=True, timeout=100)

    def look_at(self, page, width, *options):
        with tempfile.TemporaryDirectory() as folder:
            done = self.browse(folder, AROUND.format(width=width, page=html.escape(page)),
                               *options, "--dump-dom")
        found = re.search(r"<title>(\{.*?\})</title>", done.stdout)
        self.assertIsNotNone(found, done.stderr)
        return json.loads(found[1])

    def page_of(self, *makers):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, make in enumerate(makers):
                files.append(pathlib.Path(folder, f"{number}.json"))
                files[-1].write_text(json.dumps(make()))
            return subprocess.run([AM_CALIBRATE, "report", *files, "-o", "-"], check=True,
                                  capture_output=True, text=True, timeout=60).stdout

    def test_width(self):
        page = self.page_of(made_up.profile, *made_up.OTHERS.values())
        for width in (360, 1200):
            seen = self.look_at(page, width)
            self.assertEqual(seen["beyond"], 0, f"at {width}")
            self.assertGreater(seen["pictures"], 20)
            self.assertEqual(seen["empty"], 0)

    def test_paper(self):
        page = self.page_of(made_up.profile, *made_up.OTHERS.values())
        self.assertNotIn("<details open", page)
        with tempfile.TemporaryDirectory() as folder:
            done = self.browse(folder, page, f"--print-to-pdf={folder}/page.pdf")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = subprocess.run(["pdftotext", f"{folder}/page.pdf", "-"], check=True,
                                  capture_output=True, text=True, timeout=100).stdout
        printed = "".join(text.split())
        for figure in re.findall(r"<td>([^<]+)", page):
            self.assertIn("".join(html.unescape(figure).split()), printed)
        for head in ("retries", "off%", "requests;nsforeach"):  # of tables behind pictures
            self.assertIn(head, printed)

    def test_dark(self):
        page = self.page_of(made_up.states)
        light = self.look_at(page, 600)["background"]
        dark = self.look_at(page, 600, "--blink-settings=preferredColorScheme=0")["background"]
        self.assertEqual((light, dark), ("rgb(255, 255, 255)", "rgb(22, 24, 27)"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
