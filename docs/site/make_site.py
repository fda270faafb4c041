#!/usr/bin/env python3
"""Makes the pages of a checkout into a site of static files, which a browser also reads from a
folder: README.md, CHANGELOG.md, CONTRIBUTING.md and docs/*.md by cmark-gfm, with the navigation of
docs/index.md, a search, and one style sheet. The layout is that of the checkout, so links between
pages stay as they are, with .html in place of .md.

usage: make_site.py CHECKOUT SITE [--reference FOLDER] [--machine FOLDER]
                    [--report PROGRAM [--measured FILE...]]

--reference  Doxygen's pages of the headers, which become SITE/reference
--machine    a folder with files of a machine, which become SITE/machine; may be missing
--report     am-calibrate, which makes one page of the folder's files of JSON
--measured   more such files; those that are missing or cannot be read are left out

SITE is made anew: it must be missing, empty, or an earlier site. The search has the pages, and the
names in the reference without their texts. Exit: 0 made; 1 not made, or a link leads nowhere.
"""

import argparse
import html
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

import site_links

HERE = pathlib.Path(__file__).resolve().parent
INDEX = "search-index.js"  # each site has one from the beginning

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{top}style.css">
</head>
<body data-top="{top}">
<header>
<a class="home" href="{top}index.html">libam</a>
<input id="search" type="search" placeholder="Search all pages" aria-label="Search all pages">
<ol id="found" hidden></ol>
</header>
<nav aria-label="All pages">
<details><summary>All pages</summary>
{navigation}
</details>
</nav>
<main>
{text}
</main>
<script src="{top}search-index.js"></script>
<script src="{top}search.js"></script>
</body>
</html>
"""


def as_html(markdown):
    out = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink"], input=markdown,
                         capture_output=True, text=True, check=True)
    return out.stdout


def plain(marked):
    """The text of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", marked)).split())


def slug(heading):
    """The name of a heading in links, as GitHub makes it."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading))
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def place_of(path):
    """Where the site has a file of the checkout."""
    if path == "README.md":
        return "index.html"
    if path.endswith(".md"):
        return path.removesuffix(".md") + ".html"
    return path if path.endswith(".json") else path + ".html"


def top_of(place):
    return "../" * place.count("/")


class maker:
    def __init__(self, checkout, site):
        self.checkout, self.site = checkout, site
        self.others = set()  # files that pages lead to and that are no pages
        self.index = []      # of the search: one entry for each section
        self.extra = []      # of the navigation: (heading, [(place, title)])

    def source(self, path):
        return (self.checkout / path).read_text()

    def link(self, page, target):
        """What a link of a page becomes in the site."""
        path, sign, anchor = target.partition("#")
        if not path or re.match(r"\w+:", path):
            return target
        found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if not (self.checkout / found).is_file():
            return target  # leads nowhere there, and here
        if not found.endswith(".md"):
            self.others.add(found)
        folder = posixpath.dirname(place_of(page)) or "."
        return posixpath.relpath(place_of(found), folder) + sign + anchor

    def text_of(self, page):
        text = as_html(self.source(page))
        text = re.sub(r'href="([^"]*)"', lambda m: f'href="{self.link(page, m[1])}"', text)
        text = re.sub(r"<h([1-6])>(.*?)</h\1>",
                      lambda m: f'<h{m[1]} id="{slug(m[2])}">{m[2]}</h{m[1]}>', text, flags=re.S)
        # Wide tables scroll by themselves.
        return text.replace("<table>", '<div class="wide"><table>').replace("</table>",
                                                                            "</table></div>")

    def navigation(self, place):
        """The list of docs/index.md, with links from this place."""
        out = []
        for heading, rows in [*self.listed(), *self.extra]:
            out.append(f"<h2>{html.escape(heading)}</h2>\n<ul>")
            for target, title in rows:
                here = ' aria-current="page"' if target == place else ""
                out.append(f'<li><a href="{top_of(place)}{target}"{here}>{html.escape(title)}</a></li>')
            out.append("</ul>")
        return "\n".join(out)

    def listed(self):
        for part in re.split(r"^## ", self.source("docs/index.md"), flags=re.M)[1:]:
            heading, _, rest = part.partition("\n")
            links = re.findall(r"\[([^\]]+)\]\(([^)#]+\.md)\)", rest)
            yield heading, [(place_of(posixpath.normpath("docs/" + path)), title.replace("`", ""))
                            for title, path in links]

    def write(self, place, title, text):
        file = self.site / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(title=html.escape(title), top=top_of(place), text=text,
                                    navigation=self.navigation(place)))

    def note_sections(self, place, title, text):
        """One entry for what is above the first heading below the title, and for each heading."""
        for number, part in enumerate(re.split(r'(?=<h[2-6] id=")', text)):
            head = re.match(r'<h\d id="([^"]*)">(.*?)</h\d>', part, re.S)
            if number == 0 or head is None:
                self.index.append([place, title, "", plain(part)])
            else:
                self.index.append([f"{place}#{head[1]}", title, plain(head[2]),
                                   plain(part[head.end():])])

    def add_page(self, page):
        text, place = self.text_of(page), place_of(page)
        title = plain(re.search(r"<h1.*?>(.*?)</h1>", text, re.S)[1])
        self.write(place, title, text)
        self.note_sections(place, title, text)

    def add_others(self):
        for path in sorted(self.others):
            if path.endswith(".json"):
                (self.site / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.checkout / path, self.site / path)
            else:
                text = f"<h1>{path}</h1>\n<pre><code>{html.escape(self.source(path))}</code></pre>"
                self.write(place_of(path), path, text)

    def add_reference(self, folder):
        shutil.copytree(folder, self.site / "reference",
                        ignore=shutil.ignore_patterns("*.tag", "*.md5", "*.map", "md_*.html"))
        # Doxygen's copies of the pages, which lack what these lead to.
        ours = {f"md_docs_{re.sub('[^a-z0-9]', '_', page.stem)}.html": f"../docs/{page.stem}.html"
                for page in (self.checkout / "docs").glob("*.md")}
        ours |= {"md_CHANGELOG.html": "../CHANGELOG.html",
                 "md_CONTRIBUTING.html": "../CONTRIBUTING.html"}
        for file in (self.site / "reference").glob("*.html"):
            text = re.sub(r'href="(md_\w+\.html)(?:#[^"]*)?"',
                          lambda m: f'href="{ours.get(m[1], m[1])}"', file.read_text())
            file.write_text(text)
        self.extra.append(("Reference", [("reference/index.html", "All calls, by header")]))

    def note_reference(self):
        """An entry for each page of a header or type, and for each call that it explains."""
        for file in sorted((self.site / "reference").glob("*.html")):
            text, place = file.read_text(), f"reference/{file.name}"
            title = plain(re.search(r"<title>(?:libam: )?(.*?)</title>", text, re.S)[1])
            if not title.endswith(" Reference") or title.endswith("Directory Reference"):
                continue  # a source, or a list of what other pages have
            self.index.append([place, title, "", ""])
            for anchor, name in re.findall(
                    r'<h2 class="memtitle">.*?href="#(\w+)".*?</span>(.*?)</h2>', text):
                self.index.append([f"{place}#{anchor}", title, plain(name), ""])

    def add_machine(self, folder, measured, program):
        """The folder's pages and data, and one page of all that was measured."""
        def report(files, into):
            return subprocess.run([program, "report", *files, "-o", into], capture_output=True,
                                  text=True)
        data = sorted(folder.glob("*.json"))
        pages = sorted(folder.glob("*.html"))
        for file in measured:
            done = report([file], os.devnull) if file.is_file() and program else None
            if done and done.returncode == 0:
                data.append(file)
            elif done:  # of an earlier version, say
                print(f"left out: {done.stderr.strip()}", file=sys.stderr)
        if not data and not pages:
            return
        machine = self.site / "machine"
        machine.mkdir()
        if data and program:
            done = report(data, machine / "measured.html")
            if done.returncode != 0:
                sys.exit(done.stderr.strip())
        for file in [*pages, *data]:
            if (machine / file.name).exists():
                sys.exit(f"{file}: the site already has a {file.name} of this machine")
            shutil.copy(file, machine)
        rows = []
        for file in [*sorted(machine.glob("*.html")), *sorted(machine.glob("*.json"))]:
            title = re.search(r"<title>(.*?)</title>", file.read_text(), re.S)
            rows.append((f"machine/{file.name}", plain(title[1]) if title else file.name))
        self.extra.append(("This machine", rows))


def make_empty(site, checkout):
    """Removes an earlier site, and nothing else."""
    if checkout.resolve().is_relative_to(site.resolve()):
        sys.exit(f"the site would replace {site}, which contains the checkout {checkout}")
    if site.is_dir() and any(site.iterdir()):
        if not (site / INDEX).is_file():
            sys.exit(f"the site would replace {site}, which is no earlier site: it has no {INDEX}")
        shutil.rmtree(site)
    site.mkdir(parents=True, exist_ok=True)
    (site / INDEX).touch()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--machine", type=pathlib.Path, default=pathlib.Path("/nonexistent"))
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--measured", type=pathlib.Path, nargs="*", default=[])
    given = parser.parse_args()
    if shutil.which("cmark-gfm") is None:
        sys.exit("cmark-gfm is missing: install the package cmark-gfm")
    make_empty(given.site, given.checkout)
    site = maker(given.checkout, given.site)
    if given.reference:
        site.add_reference(given.reference)
    site.add_machine(given.machine, given.measured, given.report)
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md",
             *sorted(f"docs/{file.name}" for file in (given.checkout / "docs").glob("*.md"))]
    for page in pages:
        site.add_page(page)
    site.add_others()
    if given.reference:
        site.note_reference()
    (given.site / INDEX).write_text(
        f"var siteIndex = {json.dumps(site.index, separators=(',', ':'))};\n")
    for name in ("style.css", "search.js"):
        shutil.copy(HERE / name, given.site)
    faults = site_links.faults_of(given.site)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(pages)} pages: {given.site / 'index.html'}")


main()
