#!/usr/bin/env python3
"""am-calibrate report: a file that is broken, of another schema or too long is refused by one line.

Usage: report_refused.py AM-CALIBRATE
"""

import collections
import copy
import os
import sys
import unittest

import made_up
from report_case import ReportCase


class Refused(ReportCase):
    def test_refused(self):
        good = self.file_of("good.json", made_up.profile())
        other = {**made_up.profile(), "schema": "am-stats/1"}
        wrong = made_up.profile()
        wrong["transports"]["shm"]["logp"]["g"]["unit"] = "us"
        few, strange = made_up.commtest(), made_up.commtest()
        few["best"] = []
        based_on_nothing, pointless = made_up.suite(), made_up.suite()
        based_on_nothing["sensitivity"][0]["base_ns"] = 0
        pointless["sensitivity"][0]["points"] = []
        strange["rows"][0]["protocol"] = "9,9"
        for name, whole, line in (
                ("few", few, "cannot read 'few': best is a list, expected 1 sentences"),
                ("strange", strange, "rows[0].protocol is \"9,9\", expected one that commtest has"),
                ("based", based_on_nothing, "sensitivity[0].base_ns is 0, expected a time above 0"),
                ("pointless", pointless, "sensitivity[0].points is a list, expected at least one"),
                ("other", other, "cannot read 'other': schema is \"am-stats/1\", expected one of "
                                 "\"am-profile/1\", \"am-peers/1\", "),
                ("none", {}, "cannot read 'none': schema is missing"),
                ("list", [], "cannot read 'list': it is a list, expected an object"),
                ("large", '{"schema": "am-states/1", "mean": 1e400}',
                 "cannot read 'large': it has the number 1e400, of at most 1e15"),
                ("long", '{"schema": -1' + 400 * "0" + "}",
                 "cannot read 'long': it has the number -1" + 38 * "0" + "..., of at most 1e15"),
                ("cut", '{"schema"', "cannot read 'cut': no JSON at byte "),
                ("deep", '{"schema":' + 200_000 * "[", "cannot read 'deep': it has more than 100"),
                ("unit", wrong, "cannot read 'unit': transports.shm.logp.g.unit is \"us\"")):
            self.check_refused(self.run_report(good, self.file_of(name, whole)), line)
            self.assertFalse((self.folder / "report.html").exists())
        self.check_refused(self.run_report("missing"), "cannot read 'missing': No such file")
        os.symlink("good.json", self.folder / "link")
        for same in (good, "./good.json", "link"):
            self.check_refused(self.run_report(good, "-o", same), "would write over good.json: -o")
        named = self.file_of("report.html", made_up.profile())
        self.check_refused(self.run_report(named), "would write over report.html: -o")
        (self.folder / "report.html").unlink()
        self.check_refused(self.run_report(good, "-o", "/nonexistent/x"),
                           "cannot write /nonexistent/x", status=1)

    def test_too_many(self):
        """What would have a cell for each two of its parts ends with one line, in little memory."""
        def with_points(many, delays):
            whole = made_up.profile()
            whole["transports"]["shm"]["signature"] = [
                {"messages": n + 1, "delay_ns": n % delays, "ns": 1} for n in range(many)]
            return whole

        def with_all(make, many, *way, **change):
            whole = make()
            at = whole
            for key in way[:-1]:
                at = at[key]
            at[way[-1]] = [{**at[way[-1]][0], **{key: f"{value}{n}" for key, value in
                                                 change.items()}} for n in range(many)]
            return whole

        def with_values(many):
            """Two programs, of which neither has so many values of its dial."""
            whole = made_up.suite()
            [first, *_] = whole["sensitivity"]
            point, half = first["points"][0], many // 2
            whole["sensitivity"] = [
                {**first, "points": [{**point, "dial_ns": n + 1} for n in range(*ends)]}
                for ends in ((0, half), (half, many))]
            return whole

        shm = ("transports", "shm")
        many_layers = made_up.profile()
        many_layers["layers"] = dict.fromkeys((f"peer {n}" for n in range(101)), {})
        for whole, line in (
                (with_points(501, 1), "transports.shm.signature has 501 points, of at most 500"),
                (with_points(500, 41), "transports.shm.signature has 41 delays, of at most 40"),
                (with_all(made_up.profile, 201, *shm, "by_size"), "shm.by_size has 201 sizes, of"),
                (with_all(made_up.profile, 101, *shm, "loggp", "segments"),
                 "shm.loggp.segments has 101 segments, of at most 100"),
                (many_layers, "layers has 101 members, of at most 100"),
                (with_all(made_up.peers, 6000, "rows", layer="a", probe="b"),
                 "rows has 6000 rows, of at most 5000"),
                (with_all(made_up.peers, 33, "rows", layer="a"), "rows has 33 layers, of at most 32"),
                (with_all(made_up.peers, 33, "rows", probe="b"), "rows has 33 probes, of at most 32"),
                (with_all(made_up.peers, 33, "rows", transport="c"), "rows has 33 transports, of"),
                (with_all(made_up.comb, 33, "layers"), "layers has 33 layers, of at most 32"),
                (with_all(made_up.comb, 101, "layers", 0, "pww"), "layers[0].pww has 101 curves, of"),
                (with_all(made_up.comb, 65, "layers", 0, "polling", 0, "points"),
                 "layers[0].polling[0].points has 65 points, of at most 64"),
                ({**with_all(made_up.commtest, 33, "rows", layer="a"), "best": 33 * ["best"]},
                 "rows has 33 layers of a slice, of at most 32"),
                (with_all(made_up.commtest, 1001, "rows", layer="a"),
                 "rows has 1001 layers and slices, of at most 1000"),
                (with_all(made_up.suite, 1001, "sensitivity"),
                 "sensitivity has 1001 programs, of at most 1000"),
                (with_values(65), "sensitivity has 65 values of a dial, of at most 64"),
                (with_all(made_up.suite, 5001, "ratios"), "ratios has 5001 ratios, of at most"),
                (with_all(made_up.states, 5001, "ranks"), "ranks has 5001 ranks, of at most")):
            ended = self.run_report(self.file_of("many", whole), most_bytes=100 << 20)
            self.check_refused(ended, line)
        # As much as there may be of each is still written, or is too long in one line.
        for whole in (with_points(500, 40), with_all(made_up.peers, 5000, "rows")):
            ended = self.run_report(self.file_of("many", whole), "-o", "-", most_bytes=200 << 20)
            self.assertIn(ended.returncode, (0, 1), ended.stderr)
            self.assertLessEqual(ended.stderr.count("\n"), 1)

    def test_too_long(self):
        whole = made_up.peers()
        whole["conditions"]["remarks"] = ["x" * 1_100_000, "y" * 1_100_000]
        self.check_refused(self.run_report(self.file_of("long", whole)), "of at most 2000000", 1)
        whole["conditions"]["remarks"] = ["x" * 1_100_000]  # twice it would be too long
        ended = self.run_report(self.file_of("long", whole), "-o", "-")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("<script", ended.stdout)

    DELETED = object()

    def test_broken_in_any_place(self):
        """Whatever stands where a field was, the page is written or one line says why not. Each
        place is broken in one way, by turns, and of places of a file that end alike two; with
        LIBAM_TEST_LONG all of them in all ways."""
        thorough = "LIBAM_TEST_LONG" in os.environ
        seen = collections.Counter()

        def places(at, way=()):
            ending = tuple("*" if isinstance(key, int) else key for key in way[-3:])
            seen[ending] += 1
            if way and (thorough or seen[ending] <= 2):
                yield way
            for key, one in (at.items() if isinstance(at, dict) else
                             enumerate(at) if isinstance(at, list) else ()):
                yield from places(one, (*way, key))

        values = ({"x": []}, -1e300, "", None, self.DELETED)
        for make in (made_up.profile, *made_up.OTHERS.values()):
            whole = make()
            seen.clear()
            for number, (*way, last) in enumerate(list(places(whole))):
                for value in values if thorough else [values[number % 5]]:
                    broken = copy.deepcopy(whole)
                    at = broken
                    for key in way:
                        at = at[key]
                    if value is self.DELETED:
                        del at[last]
                    else:
                        at[last] = value
                    ended = self.run_report(self.file_of("broken", broken), "-o", "-")
                    self.assertIn(ended.returncode, (0, 2), f"{way} {last}: {ended.stderr}")
                    self.assertEqual(ended.stderr.count("\n"), 1 if ended.returncode else 0)
                    self.assertNotIn("json.exception", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
