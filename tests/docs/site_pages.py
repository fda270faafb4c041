#!/usr/bin/env python3
"""The site that the target `site` makes: every page is there, in the navigation and in the search;
every link leads to a file and to a place in it, and one that does not is noticed; the search finds
sections, as a browser runs it; what was measured is a page. Only an earlier site is replaced.

usage: site_pages.py BUILD-DIRECTORY
"""

import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from checklist import check, finish  # noqa: E402
sys.path.insert(0, str(ROOT / "docs/site"))
from site_links import page  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
MAKE = ROOT / "docs/site/make_site.py"


def run(*command):
    out = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    if out.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {out.returncode}\n{out.stdout}{out.stderr}")
    return out.stdout


def sections_of(site):
    text = (site / "search-index.js").read_text()
    return json.loads(text.removeprefix("var siteIndex = ").removesuffix(";\n"))


def check_pages(site):
    sources = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    sources += (ROOT / "docs").glob("*.md")
    sections = sections_of(site)
    navigation = page(site / "docs/index.html").links
    for source in sources:
        name = str(source.relative_to(ROOT).with_suffix(".html")).replace("README", "index")
        check((site / name).is_file(), f"there is no {name}")
        heads = [entry for entry in sections if entry[0].split("#")[0] == name]
        wanted = len(re.findall(r"^##+ ", re.sub(r"^```.*?^```", "", source.read_text(), flags=re.M | re.S),
                                re.M)) + 1
        check(len(heads) == wanted, f"{name}: {len(heads)} sections in the search, of {wanted}")
        check(posixpath.relpath(name, "docs") in navigation or name == "docs/index.html",
              f"{name} is not in the navigation")


def search(site, query):
    """The addresses that search.js finds, in an interpreter of JavaScript without a browser."""
    script = f"print(JSON.stringify(findSections(siteIndex, {json.dumps(query)}, 5)));"
    with tempfile.NamedTemporaryFile("w", suffix=".js") as file:
        file.write((site / "search-index.js").read_text() + (site / "search.js").read_text() + script)
        file.flush()
        return [entry[0] for entry in json.loads(run("duk", file.name))]


def check_search(site):
    for query, wanted in (("calibration", "docs/calibration.html"),
                          ("Measured ONCE machine", "docs/installing.html#the-machine-is-measured-once"),
                          ("split-c", "docs/splitc.html")):
        found = search(site, query)
        check(wanted in found, f"the search for '{query}' finds {found}, not {wanted}")
    found = search(site, "am_request_4()")
    check(found and found[0].startswith("reference/gam_8h.html#"),
          f"the search for a call finds {found}, not its place in the reference")
    for query in ("qwertz", "", "calibration qwertz"):
        check(search(site, query) == [], f"the search for '{query}' finds {search(site, query)}")


def check_that_it_notices(folder):
    """In a copy of the pages, with broken links: in a page, a report of a machine, the reference."""
    copy, reports, reference = folder / "copy", folder / "reports", folder / "reference"
    site = folder / "site"
    shutil.copytree(ROOT / "docs", copy / "docs")
    shutil.copytree(ROOT / "libam/include", copy / "libam/include")
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, copy)
    with (copy / "docs/bulk.md").open("a") as file:
        file.write("\n[gone](gone.md) [no place](errors.md#gone)\n")
    reports.mkdir()
    (reports / "report.html").write_text("<title>A machine</title><a href='gone.html'>x</a>")
    reference.mkdir()
    (reference / "index.html").write_text(
        '<title>libam: x.h File Reference</title><a href="gone.html">x</a>'
        '<a href="md_docs_wire_format.html#autotoc_md1">x</a>')
    done = subprocess.run([sys.executable, "-B", MAKE, copy, site, "--machine", reports, "--reference",
                           reference], capture_output=True, text=True)
    found = done.stderr.splitlines()
    check(done.returncode == 1, f"with broken links the status is {done.returncode}")
    check(found == ["docs/bulk.html: the link gone.md leads nowhere",
                    "docs/bulk.html: errors.html#gone: there is no such place",
                    "machine/report.html: the link gone.html leads nowhere",
                    "reference/index.html: the link gone.html leads nowhere"],
          f"of four broken links: {found[:6]}")
    check('href="machine/report.html">A machine<' in (site / "index.html").read_text(),
          "a report of this machine is not in the navigation")


def check_measured(folder):
    """Files of JSON that am-calibrate reads are one page; others end the making with its line."""
    reports, site = folder / "reports", folder / "site"
    reports.mkdir()
    profile = folder / "profile.json"
    calibrate = BUILD / "bin/am-calibrate"
    subprocess.run([calibrate, "run", "--transport", "self", "--rounds", "1", "--samples", "1",
                    "--json", profile, "--profile", "none"], capture_output=True, timeout=100)
    make = [sys.executable, "-B", MAKE, ROOT, site, "--machine", reports, "--report", calibrate]
    old = folder / "old.json"
    old.write_text("{}")
    run(*make, "--measured", profile, old, folder / "missing.json")
    check(not (site / "machine/old.json").exists(), "a measurement that cannot be read is there")
    check('href="machine/measured.html">' in (site / "index.html").read_text(),
          "the page of what was measured is not in the navigation")
    check("self" in (site / "machine/measured.html").read_text(),
          "the page of what was measured does not have its transport")
    (reports / "other.json").write_text("{}")
    done = subprocess.run(make, capture_output=True, text=True)
    check(done.returncode == 1 and "other.json" in done.stderr,
          f"a file that is none of ours: status {done.returncode}: {done.stderr}")


def check_what_it_replaces(folder):
    """An earlier site, and no other folder."""
    docs = folder / "checkout/docs"
    shutil.copytree(ROOT / "docs", docs)
    shutil.copytree(ROOT / "libam/include", docs.parent / "libam/include")
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, docs.parent)
    other = folder / "other"
    other.mkdir()
    (other / "letter").write_text("Dear")
    for site, said in ((other, "no earlier site"), (folder, "contains the checkout"),
                       (docs.parent, "contains the checkout")):
        done = subprocess.run([sys.executable, "-B", MAKE, docs.parent, site], capture_output=True,
                              text=True)
        check(done.returncode == 1 and said in done.stderr and str(site) in done.stderr,
              f"the site {site}: status {done.returncode}: {done.stderr}")
    check((other / "letter").is_file() and docs.is_dir(), "a folder that is no site is replaced")
    site = folder / "site"
    run(sys.executable, "-B", MAKE, docs.parent, site)
    (site / "old.html").write_text("")
    run(sys.executable, "-B", MAKE, docs.parent, site)
    check(not (site / "old.html").exists(), "of an earlier site a page is left")


for tool in ("cmark-gfm", "duk"):
    if shutil.which(tool) is None:
        sys.exit(f"{tool} is missing: install the package {'duktape' if tool == 'duk' else tool}")
run("cmake", "--build", BUILD, "--target", "site")
check_pages(BUILD / "site")
check_search(BUILD / "site")
with tempfile.TemporaryDirectory() as scratch:
    check_that_it_notices(pathlib.Path(scratch))
with tempfile.TemporaryDirectory() as scratch:
    check_measured(pathlib.Path(scratch))
with tempfile.TemporaryDirectory() as scratch:
    check_what_it_replaces(pathlib.Path(scratch))
finish()
