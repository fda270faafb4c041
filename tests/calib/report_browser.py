#!/usr/bin/env python3
"""The report in Chromium: it asks for nothing but itself and complains of nothing; every figure that
it shows, in a table, in a table's CSV or in a picture, is that of the JSON; it is as wide as the
window, on a telephone and on a desk; and on paper stands every table.

Usage: report_browser.py AM-CALIBRATE
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import made_up

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import chromium  # noqa: E402
from page import CSV, rows_of_csv  # noqa: E402
from report_tables import tables_of  # noqa: E402

AM_CALIBRATE = str(pathlib.Path(sys.argv[1]).resolve())
ALL = {"profile": made_up.profile, **made_up.OTHERS}

# What the page shows, as JSON: of each table what its link saves, and its cells as they are seen;
# of each picture what its marks say, and the names in its key. Nothing is hidden behind a summary.
SEEN = """(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  const text = node => node.checkVisibility() ? node.innerText : 'not seen: ' + node.textContent;
  const cell = one => {
    const interval = one.querySelector('small');
    const figure = [...one.childNodes].filter(n => n !== interval).map(n => n.textContent).join('');
    return {title: one.tagName == 'TH' && one.scope == 'col', is_name: one.tagName == 'TH',
            text: text(one), figure: figure.trim(), interval: interval && text(interval)};
  };
  const table = link => ({
    name: link.download, url: link.href,
    rows: [...link.closest('p').nextElementSibling.querySelectorAll('tr')].map(
        row => [...row.cells].map(cell))});
  const links = from => [...from.querySelectorAll('a[download]')];
  return {
    tables: links(document).map(table),
    pictures: [...document.querySelectorAll('figure')].map(one => ({
      tables: links(one).map(link => link.download),
      key: [...one.querySelectorAll('.key span')].map(text),
      marks: [...one.querySelectorAll('svg title')].map(mark => mark.textContent)}))};
})()"""
SIZES = """(() => {
  const pictures = [...document.querySelectorAll('figure svg')];
  return {
    beyond: document.documentElement.scrollWidth - innerWidth, width: innerWidth,
    pictures: pictures.length,
    empty: pictures.filter(one => !one.getBoundingClientRect().width).length,
    background: getComputedStyle(document.body).backgroundColor};
})()"""
TIMES = """new Promise(resolve => new PerformanceObserver(list => {
  const page = performance.getEntriesByType('navigation')[0];
  const [paint] = list.getEntriesByName('first-contentful-paint');
  if (paint) resolve({read: page.domInteractive, loaded: page.loadEventEnd, drawn: paint.startTime});
}).observe({type: 'paint', buffered: true}))"""


def fields_of(rows):
    """The cells of a table as its CSV has them."""
    heads = [row for row in rows if all(one["title"] or not one["text"] for one in row)]
    bodies = [row for row in rows if row not in heads]
    across = max(map(len, rows))

    def at(row, i):
        return row[i] if i < len(row) else {"text": "", "figure": "", "interval": None}

    wide = [any(at(row, i)["interval"] for row in bodies) for i in range(across)]
    titles = [" ".join(filter(None, (at(row, i)["text"] for row in heads))) for i in range(across)]
    out = [[field for title, three in zip(titles, wide)
            for field in ([title, title + " low", title + " high"] if three else [title])]]
    for row in bodies:
        out.append([])
        for i in range(across):
            one = at(row, i)
            # What is seen is the figure, and its interval behind it.
            parts = [one["figure"]] + ([one["interval"]] if one["interval"] else [])
            assert one["text"].split() == " ".join(parts).split(), one
            ends = one["interval"].split(" .. ") if one["interval"] else ["", ""]
            out[-1] += [one["figure"], *ends] if wide[i] else [one["figure"]]
    return out


def numbers_in(mark, key):
    """What a mark says, without where it is and without the names of series."""
    said = mark.split(": ", 1)[1]
    for name in sorted(key, key=len, reverse=True):
        said = said.replace(name, " ")
    return re.findall(r"-?\d+(?:\.\d+)?", said)


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = chromium.Chromium()
        cls.addClassCleanup(cls.browser.close)

    def page_of(self, **files):
        names = []
        for name, whole in files.items():
            names.append(self.folder / f"{name}.json")
            names[-1].write_text(json.dumps(whole))
        file = self.folder / f"{'-'.join(files)}.html"
        subprocess.run([AM_CALIBRATE, "report", *names, "-o", file], check=True,
                       capture_output=True, timeout=60)
        return file

    def open(self, file, width=1200, dark=False):
        """The page in a file, which asks for nothing else and complains of nothing."""
        self.browser.open(file.as_uri(), width, dark)
        times = self.browser.evaluate(TIMES)
        print(f"{file.name}, {file.stat().st_size} bytes, {width} pixels: "
              + ", ".join(f"{what} {ms:.0f} ms" for what, ms in times.items()))
        self.check_quiet(file)

    def check_quiet(self, file):
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.requests, [file.as_uri()])

    def test_figures(self):
        for name, make in ALL.items():
            with self.subTest(name):
                whole = make()
                file = self.page_of(**{name: whole})
                self.open(file)
                seen = self.browser.evaluate(SEEN)
                self.check_tables(seen, tables_of(name, whole))
                self.check_pictures(seen)
                self.check_quiet(file)

    def check_tables(self, seen, wanted):
        self.assertCountEqual([one["name"] for one in seen["tables"]], wanted)
        for table in seen["tables"]:
            rows = wanted[table["name"]]
            self.assertTrue(table["url"].startswith(CSV), table["name"])
            self.assertEqual(rows_of_csv(table["url"]), rows, table["name"])
            self.assertEqual(fields_of(table["rows"]), rows, table["name"])

    def check_pictures(self, seen):
        """Every figure that a mark says stands in the CSV of its picture; of the levels of a
        signature, which are o_s and g, in that of LogP."""
        fields = {table["name"]: {field for row in rows_of_csv(table["url"]) for field in row}
                  for table in seen["tables"]}
        for picture in seen["pictures"]:
            [name] = picture["tables"]
            known = fields[name] | (fields["logp.csv"] if name.startswith("signature") else set())
            self.assertTrue(picture["marks"], name)
            for mark in picture["marks"]:
                numbers = numbers_in(mark, picture["key"])
                self.assertTrue(numbers, mark)
                for one in numbers:
                    self.assertIn(one, known, f"{name}: {mark}")

    def test_width(self):
        file = self.page_of(**{name: make() for name, make in ALL.items()})
        for width in (360, 1200):
            self.open(file, width)
            seen = self.browser.evaluate(SIZES)
            self.assertEqual((seen["beyond"], seen["width"]), (0, width))
            self.assertGreater(seen["pictures"], 20)
            self.assertEqual(seen["empty"], 0)

    def test_paper(self):
        file = self.page_of(**{name: make() for name, make in ALL.items()})
        page = file.read_text()
        self.assertNotIn("<details open", page)
        self.open(file)
        (self.folder / "page.pdf").write_bytes(self.browser.printed())
        text = subprocess.run(["pdftotext", self.folder / "page.pdf", "-"], check=True,
                              capture_output=True, text=True, timeout=100).stdout
        printed = "".join(text.split())
        for figure in re.findall(r"<td>([^<]+)", page):
            self.assertIn("".join(html.unescape(figure).split()), printed)
        for head in ("retries", "off%", "requests;nsforeach"):  # of tables behind pictures
            self.assertIn(head, printed)

    def test_dark(self):
        file = self.page_of(states=made_up.states())
        backgrounds = []
        for dark in (False, True):
            self.open(file, 600, dark)
            backgrounds.append(self.browser.evaluate(SIZES)["background"])
        self.assertEqual(backgrounds, ["rgb(255, 255, 255)", "rgb(22, 24, 27)"])

    def test_a_page_that_is_not_as_wanted(self):
        """What the other tests would say of such a page."""
        file = self.folder / "other.html"
        file.write_text("<!doctype html><img src='missing.png'>"
                        "<script>console.warn('one'); setTimeout(() => { throw 'two' })</script>")
        self.browser.open(file.as_uri(), 600)
        said = "\n".join(self.browser.complaints)
        for words in ("one", "two", "error: Failed to load resource"):
            self.assertIn(words, said)
        self.assertEqual(self.browser.requests,
                         [file.as_uri(), (self.folder / "missing.png").as_uri()])


if __name__ == "__main__":
    missing = [name for name in (chromium.NAME, "pdftotext") if shutil.which(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed: packaging/packages/ci.txt")
        sys.exit(1 if "LIBAM_TEST_CI" in os.environ or "LIBAM_TEST_LONG" in os.environ else 77)
    unittest.main(argv=sys.argv[:1])
