#!/usr/bin/env python3
"""The lint `hidden` reports a constant that hides a header's, and no other."""

import lint

IN = "namespace am::detail::trace {\nnamespace {\n#}\n}\n"
HIDES = "window_bytes hides that of libam/trace/record.hpp in files compiled beside it"
ROWS = [
    (IN.replace("#", "constexpr int window_bytes = 3;\n"), HIDES),
    (IN.replace("#", "constexpr int f(int x) { return x; }\nconstexpr int window_bytes{3};\n"), HIDES),
    (IN.replace("#", "struct one { int a; };\nconst int window_bytes[] = {1, 2};\n"), HIDES),
    (IN.replace("trace {", "trace::inner {").replace("#", "constexpr int window_bytes = 3;\n"), HIDES),
    (IN.replace("::trace", "").replace("#", "constexpr int window_bytes = 3;\n"), None),
    (IN.replace("#", "constexpr int windows_bytes = 3;\n"), None),
    (IN.replace("#", "constexpr int most = 1;\nvoid f() {\n  constexpr int window_bytes = 3;\n}\n"), None),
    (IN.replace("#", "constexpr int most = 1;\nconstexpr int f() {\n  constexpr int window_bytes = 3;\n}\n"), None),
]
lint.try_out("hidden", [(".cpp", text, [expected] if expected else []) for text, expected in ROWS],
             lambda line: line.split(": ", 1)[1])
