#!/usr/bin/env python3
"""A file includes its own level's folder and lower ones. Each file's own lines are checked, so what
its headers include is, too.

usage: levels.py
"""

import functools
import pathlib
import re

import lint

INSTALLED = "libam/include"
ANY = 99  # may include every level

# Folder, its level. Two folders of level 4 do not include each other; the files beside them are
# lists of what exists.
LEVELS = (
    ("libam/include", 0), ("libam/base", 1), ("libam/profile", 2), ("libam/trace", 2), ("libam/dilate", 2), ("libam/wire", 2), ("libam/seam", 3),
    ("libam/packed", 3.5), ("libam/boot/*", 4), ("transports/*", 4), ("libam/boot", 4.5),
    ("libam/core", 5), ("libam/face", 6), ("libam/gam", 6), ("mpidial", 6), ("libam/tools", ANY),
    ("tests", ANY),
)
# These include what is installed, and themselves.
OUTSIDE = ("calib", "apps/*", "docs/tutorial")
SHARED = "apps/common"  # of the programs of the suite
FOLDERS = LEVELS + tuple((folder, None) for folder in OUTSIDE)
# The levels within calib: am-calibrate is above the programs that it measures.
CALIB_FOLDERS = (
    ("calib/driver/output", 1), ("calib/driver/html", 2), ("calib/driver/terminal", 2),
    ("calib/driver/launch", 2), ("calib/driver/measure", 3),
    ("calib/driver/peers", 4), ("calib/driver/dials", 4), ("calib/driver/comb", 4),
    ("calib/driver/peers", 4), ("calib/driver/dials", 4), ("calib/driver/commtest", 4),
    ("calib/driver/profile", 4), ("calib/driver/suite", 4.5), ("calib/driver/export", 5),
    ("calib/driver/report", 5),
    ("calib/driver", 6), ("calib/suite", 7), ("calib", 0),
)
# Which folders may use other libraries: installed headers none, the library itself no command
# lines.
COMMANDS = ("libam/tools", "calib", "tests")
INTERNALS = COMMANDS + ("libam/base", "libam/profile", "libam/trace", "libam/dilate", "libam/wire", "libam/seam", "libam/packed", "libam/boot",
                        "libam/core", "libam/face", "libam/gam", "transports",
                        "mpidial")
LIBRARIES = {"CLI": COMMANDS, "nlohmann": COMMANDS, "fmt": INTERNALS, "boost": INTERNALS}


@functools.cache
def folder_of(path, table):
    """The folder of the table that a file belongs to, and its level (None: outside)."""
    for pattern, level in table:
        depth = len(pattern.split("/"))
        folder = "/".join(path.split("/")[:depth])
        if pathlib.PurePath(folder).match(pattern) and path != folder:
            return folder, level
    return None


@functools.cache
def ours(path):
    """`path` relative to the top; None if it belongs to the system."""
    path = pathlib.Path(path).resolve()
    return path.relative_to(lint.ROOT).as_posix() if path.is_relative_to(lint.ROOT) else None


def fault(source, included):
    """Why `source` may not include `included`, or None."""
    home = folder_of(source, FOLDERS)
    if home is None:
        return f"{source}: is in none of the folders of LEVELS"
    folder, level = home
    other = ours(included)
    if other is None:
        library = next((name for name in LIBRARIES if f"/{name}/" in str(included)), None)
        if library is None or source.startswith(LIBRARIES[library]):
            return None
        return f"{source}: {library} is not for this folder"
    target = folder_of(other, FOLDERS)
    if target is None:
        return f"{source}: includes {other}, which is in none of the folders of LEVELS"
    if level == ANY:
        return None
    if target[0] == folder:
        home, target = folder_of(source, CALIB_FOLDERS), folder_of(other, CALIB_FOLDERS)
        return None if home is None else above(source, home, other, target)
    if level is None:
        if target[0] == INSTALLED or (target[0] == SHARED and folder.startswith("apps/")):
            return None
        return f"{source}: may include only installed headers, but includes {other}"
    return above(source, home, other, target)


def above(source, home, other, target):
    """Why what `source` includes is not below it, or None. Both with their folder and level."""
    if target[0] == home[0] or (target[1] is not None and target[1] < home[1]):
        return None
    return f"{source} (level {home[1]}) includes {other} (level {target[1]})"


def included_by(file):
    """What its own lines include."""
    path = lint.ROOT / file
    names = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)
    places = (path.parent, lint.ROOT, lint.ROOT / INSTALLED)
    return [next((place / name for place in places if (place / name).is_file()),
                 pathlib.Path("/usr/include", name)) for name in names]


sources = lint.files(".h", ".hpp", ".c", ".cpp")
faults = {fault(source.as_posix(), included) for source in sources for included in included_by(source)}
lint.finish(len(sources), "files", sorted(faults - {None}))
