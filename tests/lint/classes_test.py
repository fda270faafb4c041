#!/usr/bin/env python3
"""The lint `classes` reports a class that is too large, and no other."""

import lint


def lines(line, count):
    return "\n".join("  " + line.replace("#", str(i)) for i in range(count)) + "\n"


METHODS = lines("int f#(int x) const noexcept { return x; }", 30)
WITH_DEFAULTS = lines("void f#(int x, std::optional<int> y = {});", 30)
MEMBERS = lines("int m#_ = 0;", 15)
AT_MOST = METHODS + " private:\n" + MEMBERS
NO_METHODS = """  large(int x) : m0_{x}, m1_{} {}
  explicit large(const std::string& s);
  ~large() = default;
  large& operator=(const large&) = delete;
  using clock = std::chrono::steady_clock;
  template <class... A> friend void f(A&&... all);
"""
NO_MEMBERS = """  static constexpr int most = 3;
  inline static int count = 0;
  enum class kind { one, two };
  struct inner { int a, b; void f(); };
  // int comment_;
"""
# The class, and the reported line: None for one that is not too large.
ROWS = [
    (f"class large {{\n{AT_MOST}}};", None),
    (f"class large {{\n{NO_METHODS}{NO_MEMBERS}{AT_MOST}}};", None),
    (f"class large {{\n  void more();\n{AT_MOST}}};", "class large has 31 methods, 30 are allowed"),
    (f"class large final : public base {{\n{AT_MOST}  std::function<void(int)> more_;\n}};",
     "class large has 16 members, 15 are allowed"),
    (f"class large {{\n{AT_MOST}  std::vector<int> more_{{1, 2}};\n}};",
     "class large has 16 members, 15 are allowed"),
    (f"class large {{\n{AT_MOST}  void (*more_)(int) = nullptr;\n}};",
     "class large has 16 members, 15 are allowed"),
    (f"class large {{\n{AT_MOST}  bool operator()(int) const;\n}};",
     "class large has 31 methods, 30 are allowed"),
    (f"class large {{\n  template <class A> requires (sizeof(A) > 1) A more(A a);\n{AT_MOST}}};",
     "class large has 31 methods, 30 are allowed"),
    (f"class large {{\n{WITH_DEFAULTS}{MEMBERS}}};", None),
    (f"namespace a {{\nclass outer {{\n  class large {{\n{MEMBERS}  int more_;\n  }};\n}};\n}}",
     "class large has 16 members, 15 are allowed"),
    # A table may have any number of rows, but a class in the form of a struct is a class.
    (f"struct large {{\n{MEMBERS}  int more_;\n}};", None),
    (f"struct large {{\n{NO_METHODS}{MEMBERS}  std::string more_{{}};\n}};", None),
    (f"struct large {{\n  class inner {{ private: int a; }};\n{MEMBERS}  int more_;\n}};", None),
    (f"struct large {{\n{MEMBERS}  int more_;\n  void f();\n}};",
     "struct large has 16 members, 15 are allowed"),
    (f"struct large {{\n{MEMBERS} private:\n  int more_;\n}};",
     "struct large has 16 members, 15 are allowed"),
    (f"class large {{\n{MEMBERS}  int more_;\n}};", "class large has 16 members, 15 are allowed"),
]

lint.try_out("classes", [(".hpp", text, [fault] if fault else []) for text, fault in ROWS],
             lambda line: line.split(": ", 1)[1])
