#!/usr/bin/env python3
"""am-calibrate report: a page of made-up files has their figures and stands alone.

Usage: report_command.py AM-CALIBRATE
"""

import copy
import os
import pathlib
import re
import subprocess
import sys
import unittest

import made_up
from report_case import ReportCase  # which says where `page` is
from profile_tables import layers_of, times_of
from report_tables import tables_of
from table_texts import in_words, texts

from clean_environment import without_the_machines_profile  # noqa: E402
from page import Page, median_text  # noqa: E402
from schemas import check_schema  # noqa: E402


class Report(ReportCase):
    def test_figures_of_a_profile(self):
        whole = made_up.profile()
        check_schema(self, "am-profile", whole, [lambda broken: broken.pop("machine")])
        page, text = self.page_of(profile=whole)
        self.assertEqual(page.tables, tables_of("profile", whole))
        for name, of in layers_of(whole).items():
            levels = [f"{key}, {in_words(of['logp'][key])} ns, by which" for key in ("o_s", "g")]
            self.assertEqual(len([one for one in page.captions
                                  if all(level in one for level in levels)]), 1)
            if name in whole["transports"]:
                self.assertIn(f"<li>{name}: a message costs this core "
                              f"{in_words(of['logp']['o_s'])} ns; ", text)

    def test_pictures_of_a_profile(self):
        """Checks are drawn in times of predictions, and what is less than 0 at 0."""
        whole = made_up.profile()
        _, text = self.page_of(profile=whole)
        one = {"median": 1, "low": 1, "high": 1}
        for of in layers_of(whole).values():
            exchange, prtt = of["validation"]["exchange"], of["validation"]["prtt"]
            for name, (measured, predicted, times) in {
                    "exchange": (exchange["measured"], exchange["predicted"], 1 / 1.125),
                    "exchange in no cache": (exchange["uncached"]["measured"],
                                             exchange["uncached"]["predicted"], 1 / 0.9175),
                    "o by PRTT": (prtt["o"], one, 1.075)}.items():
                drawn = in_words(times_of(measured, predicted, times))
                self.assertIn(f"<title>{name}: {drawn}</title>", text)
        negative = in_words(whole["transports"]["tcp"]["logp"]["L"])
        self.assertRegex(text, rf"<title>L: {re.escape(negative)}</title>")

    def test_words_of_a_profile(self):
        page, text = self.page_of(profile=made_up.profile())
        head = text.split("<figure>")[0]
        places = [head.index(words) for words in (
            "</h1>", "<p class='warning'>profile.json: failed a &lt;script",
            "<p class='warning'>profile.json: unfit a &lt;script", "<h2>", "CPU a &lt;script",
            "libam over: shm, tcp.", "shm: a message costs this core",
            "tcp: a message costs this core", "remark a &lt;script")]
        self.assertEqual(places, sorted(places))
        self.assertRegex(head, r"profile\.json, of \d{4}-\d\d-\d\d \d\d:\d\d UTC")
        [sizes] = [one for one in page.captions if "store: 31.0 + n x 0.25" in one][:1]
        self.assertIn("Where a cache line takes 332 ns (times from 288 to 378 ns), in 19 % of the "
                      "samples.", text)
        self.assertIn("Where a cache line takes 74 ns with rank 1 slow (times from 64.5 to 87.5 ns), "
                      "in 6 % of the samples.", text)
        self.assertIn("(this profile), 332 ns 19 %, 74 ns with rank 1 slow 6 %.</p>", text)
        self.assertIn("from 64 to 512 bytes; 57.0 + n x 0.125 ns from 512 to 1024 bytes", sizes)

    def test_two_profiles(self):
        page, text = self.page_of(old=made_up.profile(), new=made_up.profile(9))
        self.assertIn("Profile B beside profile A", text)
        self.assertRegex(text, r"<p class='warning'>Worse: shm o_s,.* shm g,")
        self.assertIn("not judged.</p>", text)
        self.assertRegex(page.captions[0], r"^shm: worse o_s .*g .*the same or not judged\.$")
        old, new = (made_up.profile(n)["transports"]["shm"]["logp"] for n in (1, 9))
        rows = {row[0]: row[1:] for row in page.tables["compared-shm.csv"][1:]}
        for name in ("o_s", "o_r", "g", "L", "rtt"):
            self.assertEqual(rows[name][:6], [*texts(old[name]), *texts(new[name])])
            self.assertEqual(rows[name][7], "worse")
        self.assertEqual(rows["o_r_stream"][7], "not judged: not known before")
        self.assertEqual(rows["g0"][7], "same")
        self.assertLessEqual({"A-logp.csv", "B-logp.csv"}, page.tables.keys())

    def test_warnings(self):
        """Those of all files stand before all parts, and those of compare in its part."""
        old, new, dials = made_up.profile(), made_up.profile(), made_up.dials()
        new["complete"] = dials["complete"] = False
        new["fingerprint"] = "another"
        for one in new["transports"].values():
            for value in one["logp"].values():
                value.update(low=None, high=None, reached=False)
            one["loggp"]["G"].update(low=None, high=None, reached=False)
            one["loggp"]["g0"].update(low=None, high=None, reached=False)
        _, text = self.page_of(old=old, new=new, dials=dials)
        hostile = "a &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;b&quot; &#39;c&#39;"
        wanted = [
            [f"{name}.json: {line}" for name, lines in (
                ("old", [f"failed {hostile}", f"unfit {hostile}"]),
                ("new", [f"failed {hostile}", f"unfit {hostile}", "the measurement ended early"]),
                ("dials", [f"unfit {hostile}", "the measurement ended early", f"off {hostile}"]))
             for line in lines],
            [f"A, old.json, is unfit: unfit {hostile}",
             "B, new.json, is incomplete: the measurement ended early",
             f"B, new.json, is unfit: unfit {hostile}",
             f"A and B are of different machines or libams: print {hostile}; another",
             "nothing can be compared: no parameter of libam has an interval in both profiles"],
            [], [], []]
        parts = text.split("<h2>")
        self.assertEqual([re.findall("<p class='warning'>(.*?)</p>", one) for one in parts], wanted)

    def test_other_instruments(self):
        for name, make in made_up.OTHERS.items():
            with self.subTest(name):
                whole = make()
                check_schema(self, f"am-{name}", whole, [lambda broken: broken.pop("schema")])
                page, text = self.page_of(**{name: whole})
                head = text.split("<figure>")[0]
                if "machine" in whole:
                    self.assertIn(f"<p class='warning'>{name}.json: unfit a &lt;script", head)
                    self.assertIn("<li>remark a &lt;script", text)
                if name == "comb":
                    for words in ("am-shm: no knee a <script>", "am-shm: no offload."):
                        self.assertTrue(any(words in one for one in page.captions), words)
                self.assertEqual(page.tables, tables_of(name, whole))

    def test_all_together(self):
        page, text = self.page_of(profile=made_up.profile(),
                                  **{name: make() for name, make in made_up.OTHERS.items()})
        for name in ("profile", *made_up.OTHERS):
            self.assertEqual(text.count(f"<h2>{name}.json: "), 1)

    def test_units(self):
        """Each table says what its figures are in."""
        page, _ = self.page_of(old=made_up.profile(), new=made_up.profile(9),
                               **{name: make() for name, make in made_up.OTHERS.items()})
        for name, head in (
                ("A-logp", "ns"), ("A-stream", "ns"), ("compared-shm", "ns"),
                ("A-signature-shm", "requests; ns for each"), ("peers-shm", "ns"),
                ("peers-shm-ns", "ns"), ("peers-shm-GB-s", "GB/s"), ("dials-shm", "ns, G ns/B"),
                ("merit-shm", "merit"), ("alpha-shm-0-1-initialised-8192", "alpha, ns"),
                ("beta-shm-0-1-initialised-8192", "beta, ns/B")):
            self.assertEqual(page.tables[f"{name}.csv"][0][0], head, name)
        self.assertIn("G, ns/B", [row[0] for row in page.tables["compared-shm.csv"]])
        for name, column in (("states", "user, ms"), ("dilation", "overhead, ms"),
                             ("pww-shm-1000-4-phases", "wait us")):
            self.assertIn(column, " ".join(page.tables[f"{name}.csv"][0]))

    def test_small_times(self):
        """No time of a table is shown as 0 because others are in milliseconds."""
        for ns, name, text in ((3e9, "ms", "3000"), (450e3, "us", "450"), (400, "ns", "400"),
                               (0.5, "ns", "0.50")):
            states, suite = made_up.states(), made_up.suite()
            for one in (states["mean"], *states["ranks"]):
                one["elapsed"] = ns
            for one in suite["rows"]:
                one["value"].update(median=ns, low=None, high=None)
            page, _ = self.page_of(states=states, suite=suite)
            table = page.tables["states.csv"]
            self.assertEqual(table[0][1:3], [f"elapsed, {name}", f"user, {name}"])
            self.assertEqual([row[1] for row in table[1:]], 3 * [text])
            table = page.tables["programs-4.csv"]
            self.assertEqual(table[0], ["", name])
            self.assertEqual([row[1] for row in table[1:]], 4 * [text])

    def test_clocks(self):
        for bound, words in ((0, "<p>All ranks have one clock.</p>"),
                             (7250, "<p>Times of ranks on different hosts may be wrong by 7.25 us."),
                             (None, "<p class='warning'>The clocks of the hosts contradict ")):
            _, text = self.page_of(states={**made_up.states(), "clock_bound": bound})
            self.assertIn(words, text)

    def test_two_of_a_kind(self):
        """What has one name in two files, or over two transports, has names of its own."""
        suite = made_up.suite()
        over_shm = suite["sensitivity"][0]
        suite["sensitivity"].append({**copy.deepcopy(over_shm), "transport": "tcp"})
        first, second = made_up.peers(), made_up.peers()
        page, text = self.page_of(first=first, second=second, suite=suite)
        for name, whole in (("peers-shm", first), ("peers-shm-2", second)):
            self.assertEqual(page.tables[f"{name}.csv"][1][1:4], texts(whole["rows"][0]["value"]))
        for name, times in (("radix usual shm", 2), ("radix usual tcp", 1)):  # with o and with g
            self.assertEqual(text.count(f"<span>{name}</span><small>times as long"), times)

    def test_beside_the_file(self):
        (self.folder / "deep").mkdir()
        ended = self.run_report(self.file_of("deep/kept.json", made_up.profile()))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("the report is in deep/report.html", ended.stderr)
        Page((self.folder / "deep/report.html").read_text())

    def test_kept_profile(self):
        kept = self.folder / "am/profile.json"
        kept.parent.mkdir()
        (self.folder / "empty").mkdir()
        before = without_the_machines_profile(str(self.folder / "empty"))
        if before and subprocess.run([*before, "true"], check=False,
                                     stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this system has no user namespaces")
        where = {"before": before, "XDG_STATE_HOME": str(self.folder)}
        ended = self.run_report("-o", "-", **where)
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"no profile is kept in {kept}", ended.stderr)
        self.file_of("am/profile.json", made_up.profile())
        self.assertIn(f"<h2>{kept}: ", self.run_report("-o", "-", **where).stdout)

    def test_contrast(self):
        """Texts, links and curves, light and dark: AA of WCAG 2."""
        def luminance(colour):
            digits = "".join(2 * one for one in colour) if len(colour) == 3 else colour
            parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
            linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        _, text = self.page_of(states=made_up.states(), peers=made_up.peers())
        schemes = re.findall(r":root \{(.*?)\}", text, re.S)
        self.assertEqual(len(schemes), 2)
        for scheme in schemes:
            colours = dict(re.findall(r"--(\w+): #(\w+)", scheme))
            page = luminance(colours.pop("page"))
            del colours["line"]  # of grids, which carry nothing
            self.assertGreaterEqual(len(colours), 8)
            for name, colour in colours.items():
                lighter, darker = sorted((luminance(colour), page), reverse=True)
                self.assertGreaterEqual((lighter + 0.05) / (darker + 0.05), 4.5, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
