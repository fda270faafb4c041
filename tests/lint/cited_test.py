#!/usr/bin/env python3
"""The lint `cited` reports a name that exists nowhere, and no other."""

import lint

# A file's suffix and text, and the names that are reported.
ROWS = [
    (".hpp", "// As bulk_server::can_serve and am_ep_poll() say; see poller.hpp and am_ep_.\n", []),
    (".hpp", "// As no_such_name says.\n", ["no_such_name"]),
    (".hpp", "/* Two lines:\n * no_such_class::poll */\n", ["no_such_class::poll"]),
    (".cpp", "int x;  // nosuchcall() sets it\n", ["nosuchcall"]),
    (".cpp", "// in no_such_file.cpp\n", ["no_such_file.cpp"]),
    (".cpp", "// the no_such_family_ of names\n", ["no_such_family_"]),
    (".cpp", "const char quote = '\"';  // no_such_name\n", ["no_such_name"]),
    (".cpp", 'const char* url = "http://no_such_name";  // am_ep_poll\n', []),
    (".md", "`am_ep_poll()` and `no_such_name`, but no_such_word without a mark\n", ["no_such_name"]),
    (".md", "see `docs/no_such_page.md`\n", ["docs/no_such_page.md"]),
]

lint.try_out("cited", ROWS, lambda line: line.split("'")[1])
