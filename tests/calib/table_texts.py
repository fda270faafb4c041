"""How a report shows the values of a file: as cells of a table's CSV, and within a sentence."""

from page import median_text


def texts(value):
    """A measured value as a table shows it: the figure, and the ends of its interval."""
    if value["median"] is None:
        return ["?", "", ""]
    return [median_text(value[key]) for key in ("median", "low", "high")]


def in_words(value):
    """The same within a sentence."""
    median, low, high = texts(value)
    return f"{median} ({low} .. {high})"


def divided(value, by):
    return {key: value[key] / by for key in ("median", "low", "high")}


def ratio(value, key="ratio"):
    return {"median": value[key], "low": value["low"], "high": value["high"]}


def table(head, rows):
    """Where a column has a value with an interval, each of its rows has three fields."""
    wide = [any(isinstance(row[i], dict) for row in rows) for i in range(len(head))]
    out = [[field for text, three in zip(head, wide)
            for field in ([text, text + " low", text + " high"] if three else [text])]]
    for row in rows:
        out.append([field for cell, three in zip(row, wide, strict=True) for field in (
            texts(cell) if isinstance(cell, dict) else [cell, "", ""] if three else [cell])])
    return out
