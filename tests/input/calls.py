#!/usr/bin/env python3
"""Every function of am.h, team.h and gam.h has rows, and each row gets its status and its text."""

import re
import unittest

from harness import Case, functions_of, run

# Every gam.h call with a bad argument ends the job with an error: its text.
GAM = {
    "enable-twice": None,
    "disable-early": "am_disable: there is no endpoint",
    "no-endpoint-early": None,
    "poll-early": r"am_poll: there is no endpoint \(null\)",
    "poll-in-handler": "am_poll: poll inside handler am.gam.run",
    "request-early": r"am_request: there is no endpoint \(null\)",
    "store-early": r"am_store: there is no endpoint \(null\)",
    "store-async-early": r"am_store_async: there is no endpoint \(null\)",
    "request-rank": r"am_request: store to rank \d+: this job has ranks 0 to \d+",
    "request-minus-1": r"am_request: rank -1: this job has ranks 0 to \d+",
    "request-null": r"am_request: .* is not a function of this program",
    "request-no-function": r"am_request: 0x[0-9a-f]+ is not a function of this program",
    "request-count": r"am_request: 5 arguments at .*: there may be 0 to 4",
    "request-count-minus": r"am_request: -1 arguments at .*: there may be 0 to 4",
    "request-no-words": r"am_request: 2 arguments at 0x0: there may be 0 to 4",
    "reply-outside": r"am_reply: to rank 0: only the handler of a request replies, to its sender",
    "xfer-outside": r"am_reply_xfer: to rank 0: only the handler of a request replies, to its sender",
    "xfer-bytes": "am_reply_xfer: -5 bytes: 0 to 2147483647 can be moved",
    "reply-count": r"am_reply: 5 arguments at .*: there may be 0 to 4",
    "store-minus-1": r"am_store: rank -1: this job has ranks 0 to \d+",
    "store-bytes": r"am_store: -5 bytes: 0 to 2147483647 can be moved",
    "store-null": r"am_store: store of 1 bytes at 0x0 here: there is no such memory",
    "store-no-function": None,
    "async-bytes": r"am_store_async: -2147483648 bytes: 0 to 2147483647 can be moved",
    "async-rank": r"am_store_async: store_async to rank 2147483647: this job has ranks 0 to \d+",
    "get-minus-1": r"am_get: rank -1: this job has ranks 0 to \d+",
    "get-bytes": r"am_get: -5 bytes: 0 to 2147483647 can be moved",
}


class Calls(Case):
    def test_every_function_of_am_h_and_team_h_has_a_row(self):
        rows = set(run("calls", "--list").stdout.split())
        functions = functions_of("am.h") | functions_of("team.h")
        self.assertEqual(functions - rows, set())
        self.assertEqual({row for row in rows if "::" not in row} - functions, set())

    def test_every_function_of_gam_h_has_a_row(self):
        rows = dict(reversed(line.split()) for line in run("gam", "--list").stdout.splitlines())
        self.assertEqual(set(rows), set(GAM))
        self.assertEqual(set(rows.values()), functions_of("gam.h"))

    def rows(self, *launcher, **settings):
        done = run(*(launcher or ("calls",)), **settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(int(re.fullmatch(r"(\d+) rows\n", done.stdout)[1]), 150)

    def test_alone(self):
        self.rows()

    def test_under_am_run(self):
        self.rows("am-run", "-n", 3, "calls")

    def test_with_one_credit_and_fragments(self):
        self.rows("am-run", "-n", 2, "calls",
                  env={"AM_SHM_BULK": "fragments", "AM_CREDITS": "1"})

    def test_calls_that_end_the_process(self):
        self.assertEqual(run("calls", "end", "abort").returncode, 7)
        self.assertEqual(run("calls", "end", "threw").returncode, 1)
        self.check_line(run("calls", "end", "threw-null"), 1,
                        r"am\[0\]: error: handler \(null\) threw an exception: \(null\)")

    def test_gam(self):
        for name, line in GAM.items():
            with self.subTest(name=name):
                done = run("gam", name)
                if line is None:
                    self.assertEqual((done.returncode, done.stdout, done.stderr),
                                     (0, "it is allowed\n", ""))
                else:
                    self.check_line(done, 1, rf"am(\[0\])?: error: {line}.*")


if __name__ == "__main__":
    from harness import main
    main()
