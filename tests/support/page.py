"""A page that a command has written for a browser, as the tests of commands read it."""

import csv
import html.parser
import io
import urllib.parse

CSV = "data:text/csv;charset=utf-8,"


def rows_of_csv(url):
    """What a link saves."""
    return list(csv.reader(io.StringIO(urllib.parse.unquote(url.removeprefix(CSV)))))


class Page(html.parser.HTMLParser):
    """The rows of a page's tables, its JSON, its links, its captions, and for each figure how many
    points it has; fails where tags do not match."""

    EMPTY = {"meta", "circle", "path", "line"}

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.json, self.links = [], [], "", []
        self.captions, self.points = [], []
        self.tables = {}  # the rows of each link's CSV, by its file's name
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.links += [value for name, value in attributes if name in ("href", "src")]
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "a" and "download" in given:
            self.tables[given["download"]] = rows_of_csv(given["href"])
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "figure":
            self.captions.append("")
            self.points.append(0)
        if tag == "title" and "svg" in self.open:  # what a point says
            self.points[-1] += 1

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and self.open.pop() != tag:
            raise ValueError(f"</{tag}> at {self.getpos()} closes another")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.json += data
        elif self.open and self.open[-1] == "figcaption":
            self.captions[-1] += data
        elif {"th", "td"} & set(self.open):
            self.rows[-1][-1] += data


def median_text(value):
    """As a table shows it: three significant digits."""
    value = round(value * 10_000) / 10_000
    size = abs(value)
    return f"{value:.{3 if size < 0.1 else 2 if size < 10 else 1 if size < 100 else 0}f}"
