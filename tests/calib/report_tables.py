"""The tables of a report of the files of made_up.py: every row of every table, as CSV has them."""

from page import median_text
from profile_tables import profile_tables
from table_texts import divided, ratio, table


def _peers(whole):
    found = {(row["layer"], row["probe"], row["bytes"]): row["value"] for row in whole["rows"]}
    layers = list(dict.fromkeys(row["layer"] for row in whole["rows"]))
    [by] = whole["ratios"]
    return {
        "peers-shm": table(["ns", "rtt", "flood"], [
            [layer, found[layer, "rtt", 32], found[layer, "flood", 32]] for layer in layers]),
        "peers-shm-ns": table(["ns", "medium, oneway"], [
            [f"{layer}, 64 bytes", found[layer, "medium", 64]] for layer in layers]),
        "peers-shm-GB-s": table(["GB/s", "store, touched"], [
            [f"{layer}, {n} bytes", found[layer, "store", n]]
            for layer in layers for n in (4096, 16384)]),
        "ratios": table(["", "times"], [
            ["am-shm by mpich over shm: rtt of 32 bytes", ratio(by)]])}


def _comb(whole):
    [layer] = whole["layers"]
    [polling], [pww] = layer["polling"], layer["pww"]

    def rates(curve, axis):
        return table([axis, "us", "am-shm GB/s", "avail."], [
            [str(one[axis]), median_text(one[axis] * layer["iteration"]["median"] / 1000),
             one["bandwidth"], one["availability"]] for one in curve["points"]])

    return {
        "merit-shm": table(["merit", "am-shm"], [
            ["polling, 1 KB x 4", polling["merit"]], ["pww, 1 KB x 4", pww["merit"]]]),
        "polling-shm-1000-4": rates(polling, "interval"),
        "pww-shm-1000-4": rates(pww, "work"),
        "pww-shm-1000-4-phases": table(
            ["work", "am-shm post us", "work us", "wait us", "work alone us"], [
                [str(one["work"]),
                 *(divided(one[key], 1000) for key in ("post", "worked", "wait", "dry"))]
                for one in pww["points"]])}


def _commtest(whole):
    of = {row["protocol"]: row for row in whole["rows"]}
    protocols = [*(f"0,{n}" for n in range(10)), *(f"1,{n}" for n in range(11))]
    counts = whole["scope"]["packets"]

    def figures(key, unit):
        return table([f"{key}, {unit}", "am-shm A", "am-shm B"], [
            [name, of[name][key]["over_runs"] if name in of else "", ""] for name in protocols])

    def at(row, i):
        over = row["times"][i]["time"]["over_runs"]
        model = row["alpha"]["over_runs"]["median"] * counts[i] + \
            row["beta"]["over_runs"]["median"] * row["volume"]
        bytes_ = row["volume"] * (2 if row["protocol"].startswith("1,") else 1)
        return [divided(over, 1000), median_text(model / 1000),
                {"median": bytes_ / over["median"], "low": bytes_ / over["high"],
                 "high": bytes_ / over["low"]}]

    best = [of["0,3"], of["1,3"]]
    head = [text for row in best for text in (f"am-shm {row['protocol']} A us", "model us", "GB/s")]
    return {
        "alpha-shm-0-1-initialised-8192": figures("alpha", "ns"),
        "beta-shm-0-1-initialised-8192": figures("beta", "ns/B"),
        "times-shm-0-1-initialised-8192": table(["packets", *head], [
            [str(n), *at(best[0], i), *at(best[1], i)] for i, n in enumerate(counts)])}


def _dials(whole):
    shm = whole["transports"]["shm"]
    [dial] = shm["dials"]
    names = ("rtt", "o_s", "o_r", "L", "g", "G")
    return {
        "dials-shm": table(
            ["ns, G ns/B", "set", "seen", "error %", "spread %", "judged", *names], [
                [one["setting"], median_text(one["wanted"]), one["seen"],
                 divided(one["error"], 0.01), median_text(100 * one["spread"]),
                 "yes" if one["judged"] else "no", *(one["changes"].get(n, "?") for n in names)]
                for one in dial["points"]]),
        "dials-shm-means": table(
            ["", "is to change", "which is", "keeps", "judged", "mean error %", "bias %",
             "spread %"], [
                [dial["dial"], dial["parameter"], "added", ", ".join(dial["keeps"]),
                 str(dial["judged"]),
                 *(median_text(100 * dial[key]) for key in ("mean_error", "bias", "spread"))]]),
        "dials-shm-undialled": table(["ns, G ns/B", *names], [
            [name, *(shm[key][n] for n in names)]
            for name, key in (("without AM_DIAL", "bare"), ("AM_DIAL=0", "zero"))])}


def _name(row):
    return (f"{row['program']} {row['variant']} on {row['ranks']} ranks, {row['layer']} over "
            f"{row['transport']}")


def _line(row):
    return f"{row['program']} {row['variant']} {row['transport']}"


def _traffic(whole):
    times = {row["program"]: row["value"] for row in whole["rows"] if row["phase"] == "total"}
    rows = []
    for of in whole["traffic"]:
        ms = times[of["program"]]["median"] / 1e6
        rows.append([_line(of), divided(times[of["program"]], 1e6), f"{of['messages']:.0f}",
                     median_text(of["messages"] / ms), median_text(ms / of["barriers"]),
                     *(f"{100 * of[key] / of['messages']:.1f}" for key in (
                         "bulk_messages", "reads"))])
    return table(["", "time ms", "messages a rank", "messages a ms", "barriers ms between",
                  "bulk %", "reads %"], rows)


def _studies(whole):
    """Of one program each: of o its model is one line, of g it is two."""
    out, dials = {}, ("500ns", "1us", "10us")
    for of in whole["sensitivity"]:
        ends = ("least",) if of["dial"] == "o" else ("least", "most")
        names = ["model"] if of["dial"] == "o" else ["model, at least", "model, at most"]
        out[f"sensitivity-{of['dial']}-4"] = table(
            ["times as long", of["dial"], "measured", *names], [
                [_line(of), dial, ratio(one, "slowdown"),
                 *(median_text(one["model"][end] / of["base_ns"]) for end in ends)]
                for dial, one in zip(dials, of["points"], strict=True)])
        slope = [f"{of[key]:.0f}" for key in ("slope", "low", "high")]
        out[f"slowdown-{of['dial']}-4"] = [
            ["", *dials, "slope", "slope low", "slope high", "model", "ratio"],
            [_line(of), *(median_text(one["slowdown"]) for one in of["points"]), *slope,
             f"{of['model_slope']:.0f}", median_text(of["slope"] / of["model_slope"])]]
    return out


def _predictions(whole):
    [on] = whole["predictions"]
    costs = ("o_s", "o_r", "L", "g", "G")
    rows = []
    for of in on["programs"]:
        check = of.get("check")
        rows.append([
            f"{_name(of)}, on {on['there']['cpu']} over {on['there']['transport']}",
            median_text(of["base_ns"] / 1e6),
            divided(ratio(of["there"], "ns"), 1e6), median_text(of["slowdown"]),
            *(divided(ratio(part, "ns"), 1e6) for part in of["parts"].values()),
            ", ".join(cost for cost in costs if not of["parts"][cost]["measured"]),
            median_text(check["predicted"]) if check else "",
            ratio(check, "seen") if check else ""])
    return table(["", "ms here", "ms there", "times", *(f"{cost}, ms" for cost in costs),
                  "by the counted messages", "check: predicted", "check: seen"], rows)


def _suite(whole):
    [by] = whole["ratios"]
    return {
        "programs-4": table(["", "ms"], [
            [f"{row['program']} usual, am-shm over shm: {row['phase']}",
             divided(row["value"], 1e6)] for row in whole["rows"]]),
        "traffic-4": _traffic(whole),
        "ratios": table(["", "times"], [[f"{_name(by)}, by mpich usual", ratio(by)]]),
        **_studies(whole), "predictions": _predictions(whole)}


def _states_table(rows, more):
    """`more`: by its title, what a row has besides."""
    times = ("elapsed", "user", "logical", "physical", "overhead", "longest")
    return table(["", *(f"{name}, ms" for name in times), "messages", "retries", *more], [
        [name, *(median_text(of[one] / 1e6) for one in times), str(of["messages"]),
         str(of["retries"]), *(text(of) for text in more.values())] for name, of in rows])


def _states(whole):
    rows = [*((f"rank {of['rank']}", of) for of in whole["ranks"]), ("mean", whole["mean"])]
    return {"states": _states_table(rows, {"delayed": lambda of: str(of["delayed"])})}


def _dilation(whole):
    rows = [(f"D = {median_text(of['factor'])}", of) for of in whole["rows"]]
    return {"dilation": _states_table(rows, {
        "delayed %": lambda of: median_text(100 * of["delayed"]),
        "mean delay, ms": lambda of: median_text(of["mean_delay"] / 1e6),
        "speedup": lambda of: median_text(of["speedup"]),
        "estimate, ms": lambda of: median_text(of["estimate"] / 1e6)})}


def tables_of(name, whole):
    """By the name of its file, the rows of each table of this instrument."""
    make = {"profile": profile_tables, "peers": _peers, "comb": _comb, "commtest": _commtest,
            "dials": _dials, "suite": _suite, "states": _states, "dilation": _dilation}[name]
    return {f"{file}.csv": rows for file, rows in make(whole).items()}
