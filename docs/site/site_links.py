"""Where the links of a site of static files lead. By itself: site_links.py SITE"""

import functools
import html.parser
import pathlib
import re
import sys
import urllib.parse


class page(html.parser.HTMLParser):
    """The names of a page's places, where its links lead, and what it loads."""

    def __init__(self, file):
        super().__init__()
        self.names, self.links, self.loads = set(), [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key in ("src", "href"):
            if tag in ("script", "link", "img") and given.get(key):
                self.loads.append(given[key])


def faults_of(site):
    """One line for each link that leads nowhere, and for each file that is loaded from elsewhere.
    Links to other hosts are not followed."""
    out = []
    read_page = functools.cache(page)
    for file in sorted(site.rglob("*.html")):
        name = file.relative_to(site)
        read = read_page(file)
        out += [f"{name} loads {load}" for load in read.loads if re.match(r"\w*:?//", load)]
        for link in [*read.links, *read.loads]:
            if re.match(r"\w+:", link) or link == "#nested-classes":  # Doxygen forgets this place
                continue
            path, _, anchor = link.partition("#")
            target = (file.parent / urllib.parse.unquote(path)).resolve() if path else file
            if not target.is_file():
                out.append(f"{name}: the link {link} leads nowhere")
            elif anchor and target.suffix == ".html":
                if urllib.parse.unquote(anchor) not in read_page(target).names:
                    out.append(f"{name}: {link}: there is no such place")
    return out


if __name__ == "__main__":
    found = faults_of(pathlib.Path(sys.argv[1]))
    sys.exit("\n".join(found) if found else 0)
