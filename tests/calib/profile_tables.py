"""The tables of a report of a profile of made_up.py, in their order, as CSV has them."""

import re

from page import median_text
from table_texts import divided, table

LOGP = ("o_s", "o_r", "L", "g", "rtt")
STREAM = ("o_s_stream", "o_r_stream", "g")
IN_A_CONDITION = ("o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt")
UNKNOWN = {"median": None}


def file_name(text):
    return re.sub(r"[^A-Za-z0-9.]", "-", text)


def layers_of(whole):
    return {**whole.get("transports", {}), **whole.get("layers", {})}


def _parameters(layers, names):
    return table(["ns", *names], [
        [name, *("?" if of["logp"][one]["median"] is None else of["logp"][one] for one in names)]
        for name, of in layers.items()])


def _half_bandwidth(small, large):
    """Of two sizes, of which the larger one alone reaches half of the largest bandwidth."""
    half = large["bandwidth"]["median"] / 2
    first, last = small["g"]["median"], large["g"]["median"]
    slope = (last - first) / (large["bytes"] - small["bytes"])
    return half * (first - small["bytes"] * slope) / (1 - half * slope)


def _loggp(layers):
    """Of stores, which are the first operation and so have costs."""
    rows = []
    for name, of in layers.items():
        small, large = (one for one in of["by_size"] if one["operation"] == "store")
        uncached = (large["g_uncached"]["median"] - small["g_uncached"]["median"]) / (
            large["bytes"] - small["bytes"])
        costs = of["loggp"]
        rows.append([f"{name} store", costs["G"], median_text(uncached), costs["g0"],
                     median_text(costs["segments"][-1]["from"]),
                     median_text(_half_bandwidth(small, large))])
    return table(["", "G ns/B", "G uncached ns/B", "g0 ns", "a byte costs G from bytes",
                  "half bandwidth bytes"], rows)


def times_of(measured, predicted, times):
    """Measured in times of predicted; the interval is the widest one that both allow."""
    return {key: times * measured[key] / measured["median"] * predicted["median"] / predicted[other]
            for key, other in (("median", "median"), ("low", "high"), ("high", "low"))}


def _exchange(name, of):
    times = times_of(of["measured"], of["predicted"], 1 / (1 + of["off"] / 100))
    return [name, of["measured"], of["predicted"], times, f"{of['off']:+.1f}", of["in_turn"],
            of.get("remark", "")]


def _checks(layers):
    rows = []
    for name, of in layers.items():
        exchange, prtt = of["validation"]["exchange"], of["validation"]["prtt"]
        rows.append(_exchange(f"{name}, exchange, ns", exchange))
        rows.append(_exchange(f"{name}, exchange in no cache, ns", exchange["uncached"]))
        overlap = {"median": exchange["overlap"]["ratio"], **exchange["overlap"]}
        rows.append([f"{name}, overlap of the two directions, %", divided(overlap, 0.01), "", "",
                     "", "", ""])
        for key, unit in (("o", "ns"), ("g", "ns"), ("G", "ns/B")):
            off = prtt["against"][key]
            one = {"median": 1, "low": 1, "high": 1}
            rows.append([f"{name}, {key} by PRTT, {unit}", prtt[key], "",
                         "?" if off is None else times_of(prtt[key], one, 1 + off / 100),
                         "?" if off is None else f"{off:+.1f}", "", prtt["why_off"].get(key, "")])
    return table(["", "measured", "predicted", "times", "off %", "predicted in turn", "why"], rows)


def _patterns(layers):
    rows = []
    for name, of in layers.items():
        pairs = of["validation"]["pairs"]
        times = [{"median": one["ratio"], **one} for one in pairs["times"].values()]
        rows.append([f"{name}, pairs", *times, pairs["verdict"]])
    return table(["", "g, times", "rtt, times", "which means"], rows)


def _signature(of):
    delays = sorted({point["delay_ns"] for point in of["signature"]})
    rows = {}
    for point in of["signature"]:
        rows.setdefault(str(point["messages"] or "steadily"), []).append(median_text(point["ns"]))
    return table(["requests; ns for each", *(f"delay {median_text(one)} ns" if one else "no delay"
                                             for one in delays)],
                 [[messages, *ns] for messages, ns in rows.items()])


def _fitted(of, size):
    return next((median_text(one["g0"] + size["bytes"] * one["G"])
                 for one in of["loggp"]["segments"] if one["operation"] == size["operation"]
                 and one["from"] <= size["bytes"] <= one["to"]), "")


def _sizes(of):
    return table(["", "o ns", "g ns", "g0 + n G ns", "T ns", "bandwidth GB/s"], [
        [f"{one['operation']} of {one['bytes']} bytes", one["o"], one["g"], _fitted(of, one),
         one["T"], one["bandwidth"]] for one in of["by_size"]])


def _segments(of):
    return table(["", "from, bytes", "to, bytes", "g0, ns", "G, ns/B"], [
        [one["operation"], f"{one['from']}", f"{one['to']}", median_text(one["g0"]),
         f"{one['G']:.4g}"] for one in of["loggp"]["segments"]])


def profile_tables(whole):
    layers = layers_of(whole)
    out = {"logp": _parameters(layers, LOGP), "stream": _parameters(layers, STREAM),
           "loggp": _loggp(layers),
           "wake-up": table(["ns", "longer by"], [
               [name, of["wake_up"]] for name, of in layers.items()])}
    for one in whole["conditions"]["lines"][1:]:
        slow = one.get("slow_ranks", [])
        name = "-".join([f"condition-{one['line_ns']:.0f}", *(["slow"] if slow else []),
                         *map(str, slow)])
        out[name] = _parameters(layers_of(one), IN_A_CONDITION)
        out[f"{name}-loggp"] = _loggp(layers_of(one))
    out["checks"] = _checks(layers)
    out["patterns"] = _patterns(layers)
    for name, of in layers.items():
        ending = file_name(name)
        out[f"signature-{ending}"] = _signature(of)
        out[f"sizes-{ending}"] = _sizes(of)
        out[f"segments-{ending}"] = _segments(of)
    return out
