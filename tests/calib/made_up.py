"""Small files of every instrument, made up, for tests of what is made of them. Their texts would do
harm in a page that does not escape them, and no two of their figures are alike."""

import itertools

HOSTILE = "a <script>alert(1)</script> & \"b\" 'c'"
_next = itertools.count(11)


def value(unit="ns"):
    """A measured value; the next one has other figures."""
    median = next(_next) * 1.25
    return {"median": median, "low": median - 0.75, "high": median + 1.5, "unit": unit, "n": 9,
            "reached": True}


def bare(key="median", median=0.5):
    return {key: median, "low": median - 0.125, "high": median + 0.25}


def machine():
    return {"cpu": "CPU " + HOSTILE, "cores": 2, "caches": ["L1 32K"], "hypervisor": None,
            "kernel": "Linux 6.1", "memory_gib": 3.5}


def measured(schema, **rest):
    return {"schema": schema, "machine": machine(),
            "conditions": {"rounds": 9, "seconds": 12, "remarks": ["remark " + HOSTILE],
                           "unfit": ["unfit " + HOSTILE], "failed": [], "missing": [],
                           "launches": [{"samples": [1, 2, 3]}]},
            "complete": True, **rest}


def layer(factor=1):
    costs = {"G": value("ns/B"), "g0": value()}
    sizes = [{"operation": operation, "bytes": n, "o": value(), "g": value(), "T": value(),
              "bandwidth": value("GB/s")} for operation in ("store", "get") for n in (64, 1024)]
    for one in sizes:  # as am-calibrate reads it: bytes by g
        g, n = one["g"], one["bytes"]
        if one["operation"] == "store":
            one["g_uncached"] = value()
        one["bandwidth"].update(median=n / g["median"], low=n / g["high"], high=n / g["low"])
    logp = {name: value() for name in ("o_s", "o_r", "o_s_stream", "g", "L", "rtt")}
    for one in logp.values():
        for key in ("median", "low", "high"):
            one[key] *= factor
    logp["o_r_stream"] = {"median": None, "low": None, "high": None, "unit": "ns", "n": 0,
                          "reached": False, "remark": "too short"}
    return {"logp": logp,
            "loggp": {**costs, "segments": [
                {"operation": "store", "from": 64, "to": 512, "g0": 31, "G": 0.25},
                {"operation": "store", "from": 512, "to": 1024, "g0": 57, "G": 0.125}]},
            "by_size": sizes,
            "signature": [{"messages": m, "delay_ns": d, "ns": next(_next) * 1.25 + d}
                          for d in (0, 21.5) for m in (1, 16, 256, None)],
            "validation": {
                "prtt": {"o": value(), "g": value(), "G": value("ns/B"), "bytes_of_o": 64,
                         "against": {"o": 7.5, "g": -3.25, "G": None},
                         "why_off": {"o": "assumes " + HOSTILE,
                                     "G": "differs for a reason that was not measured"}},
                "exchange": {"measured": value(), "predicted": value(), "off": 12.5,
                             "in_turn": value(), "remark": "exchange " + HOSTILE,
                             "overlap": bare("ratio", 0.25), "uncached": {
                                 "measured": value(), "predicted": value(), "off": -8.25,
                                 "in_turn": value()}},
                "pairs": {"verdict": "as alone, " + HOSTILE, "ranks": 4, "g": value(),
                          "rtt": value(), "times": {"g": bare("ratio", 1.125),
                                                    "rtt": bare("ratio", 1.25)}}},
            "wake_up": value(), "remarks": ["overhead-bound " + HOSTILE]}


def profile(factor=1):
    """The same at each call but for LogP of shm, which is multiplied."""
    global _next
    _next = itertools.count(11)
    tcp = layer()
    tcp["logp"]["L"].update(median=-25.5, low=-28.5, high=-21.5)
    return {"schema": "am-profile/1", "fingerprint": "print " + HOSTILE, "machine": machine(),
            "conditions": {"seconds": 58, "remarks": ["remark " + HOSTILE],
                           "unfit": ["unfit " + HOSTILE], "failed": ["failed " + HOSTILE],
                           "launches": [{"samples": [1, 2, 3]}], "lines": [
                               {"line_ns": 74.5, "low": 64.5, "high": 87.5, "share": 0.75},
                               {"line_ns": 332.25, "low": 288.5, "high": 378.5, "share": 0.1875,
                                "transports": {"shm": layer()},
                                "layers": {HOSTILE + " over shm": layer()}},
                               {"line_ns": 74.5, "low": 64.5, "high": 87.5, "share": 0.0625,
                                "slow_ranks": [1], "transports": {"shm": layer()}}]},
            "complete": True, "transports": {"shm": layer(factor), "tcp": tcp},
            "layers": {HOSTILE + " over shm": layer()}}


def peers():
    rows = [{"layer": layer, "transport": "shm", "probe": probe, "bytes": n, "value": value(unit),
             **({"form": form} if form else {})}
            for layer in ("am-shm", "mpich " + HOSTILE)
            for probe, n, form, unit in (
                ("rtt", 32, "", "ns"), ("flood", 32, "", "ns"), ("medium", 64, "oneway", "ns"),
                ("store", 4096, "touched", "GB/s"), ("store", 16384, "touched", "GB/s"))]
    whole = measured("am-peers/1", rows=rows, ratios=[
        {"layer": "am-shm", "against": "mpich", "transport": "shm", "probe": "rtt", "bytes": 32,
         **bare("ratio", 0.375)}])
    whole["conditions"].update(ratios_reached=True, above_limit=[])
    return whole


def comb():
    def time():
        one = value()
        return {**one, **{key: 1000 * one[key] for key in ("median", "low", "high")}}

    polling = {"method": "polling", "bytes": 1000, "depth": 4, "merit": bare(), "knee": None,
               "points": [{"interval": n, "dry": time(), "piece": time(),
                           "bandwidth": value("GB/s"), "availability": bare()}
                          for n in (0, 10, 99)]}
    pww = {"method": "pww", "bytes": 1000, "depth": 4, "merit": bare(), "offload": None,
           "slope": None, "overhead": {"work": 10, "time": value(), "part": bare()},
           "points": [{"work": n, "dry": time(), "post": time(), "worked": time(),
                       "wait": time(), "bandwidth": value("GB/s"), "availability": bare()}
                      for n in (0, 10)]}
    return measured("am-comb/1", layers=[
        {"layer": "am-shm", "transport": "shm", "iteration": value(), "drift": bare(),
         "polling": [polling], "pww": [pww],
         "verdicts": ["polling, 1 KB x 4: no knee " + HOSTILE, "pww, 1 KB x 4: no offload"]}])


def commtest():
    def figure(unit="ns"):
        over = value(unit)
        return {"of_least": over["median"] - 0.5, "over_runs": over}

    rows = [{"layer": "am-shm", "transport": "shm", "pairs": "0-1", "volume": 8192,
             "mode": "initialised", "protocol": protocol, "set": "A", "runs": 9,
             "alpha": figure(), "beta": figure("ns/B"), "latency": figure(),
             "swap": figure("GB/s"), kind: figure("GB/s"),
             "error": {"max": 0.5, "mean": 0.25, "from": 1, "to": 4},
             "times": [{"packets": n, "bytes": 8192 // n, "time": figure(), "span": 1.5}
                       for n in (1, 4)]} for protocol, kind in (("0,3", "busy"), ("1,3", "idle"))]
    return measured("am-commtest/1", rows=rows, best=["best " + HOSTILE],
                    scope={"pairs": ["0-1"], "volumes": [8192], "modes": ["initialised"],
                           "packets": [1, 4], "repetitions": 10})


def dials():
    def parameters():
        return {name: value("ns/B" if name == "G" else "ns")
                for name in ("rtt", "o_s", "o_r", "L", "g", "G")}

    return measured("am-dials/1", off=["off " + HOSTILE], transports={"shm": {
        "bare": parameters(), "zero": parameters(), "dials": [
            {"dial": "L", "parameter": "L", "added": True, "keeps": ["o_s", "o_r"], "judged": 1,
             "mean_error": 0.0125, "bias": -0.0175, "spread": 0.0225, "points": [
                 {"setting": f"L={us}us", "wanted": 1000.0 * us, "seen": value(),
                  "error": bare(median=0.25), "spread": 0.0275 * us, "judged": us > 1,
                  "changes": parameters() if us > 1 else {"rtt": value()}}
                 for us in (1, 10)]}]}})


def _study(key, dial, hidden):
    """`hidden`: by how much less the model may say, at least."""
    return {**key, "dial": dial, "base_ns": 5e6, "points": [
        {"dial_ns": ns, "value": {**value(), "median": 5e6 * (1 + ns / 4000), "low": None,
                                  "high": None},
         "model": {"least": 5e6 + (1250 - hidden) * ns, "most": 5e6 + 1250 * ns},
         **bare("slowdown", 1 + ns / 4000)} for ns in (500, 1000, 10000)],
        "load": dict.fromkeys(("sent", "handled", "bytes", "gets", "get_bytes", "reads",
                               "barriers"), 1),
        "slope": 1375.25, "low": 1250, "high": 1500.5, "model_slope": 1250, "departure": None}


def _prediction(key, with_check):
    def part(measured):
        ns = next(_next) * 1.25e5
        return {"ns": ns, "low": ns - 5e4, "high": ns + 1e5, "measured": measured}

    check = {"check": {"predicted": 1.625, **bare("seen", 1.875)}} if with_check else {}
    return {**key, "base_ns": 5.5e6, "there": {"ns": 8.25e6, "low": 7.5e6, "high": 9.75e6},
            "slowdown": 1.5, "parts": {name: part(name != "L" or with_check)
                                       for name in ("o_s", "o_r", "L", "g", "G")}, **check}


def suite():
    def key(program):
        return {"program": program, "variant": "usual", "layer": "am-shm", "transport": "shm",
                "ranks": 4}

    def costs(**more):
        return {**dict.fromkeys(("o_s", "o_r", "L", "g", "G"), 1.5), "transport": "shm", **more}

    rows = []
    for program in ("radix", "em3d"):
        for phase in ("sort", "total"):  # in any order
            one = value()
            for part in ("median", "low", "high"):
                one[part] *= 1e6
            rows.append({**key(program), "phase": phase, "value": one})
    return measured("am-suite/1", rows=rows, traffic=[
        {**key(program), "messages": 600 * many, "bulk_messages": 150, "bulk_bytes": 9000,
         "reads": 45 * many, "barriers": 8 * many} for many, program in enumerate(
             ("radix", "em3d"), 1)],
        ratios=[{**key("radix"), "against": {"layer": "mpich", "variant": "usual"},
                 **bare("ratio", 0.375)}],
        sensitivity=[_study(key("radix"), "o", 0), _study(key("radix"), "g", 250)],
        predictions=[{"here": costs(), "there": costs(cpu="Other " + HOSTILE), "dials": "",
                      "programs": [_prediction(key("radix"), True),
                                   _prediction(key("em3d"), False)]}])


def _states(number):
    return {"elapsed": 5e6 * number, "user": 2e6, "logical": 1e6, "physical": 1.5e6,
            "overhead": 0.5e6, "longest": 1e5 * number, "messages": 100, "delayed": 4, "retries": 1}


def states():
    return {"schema": "am-states/1", "clock_bound": 0, "mean": _states(1.5),
            "ranks": [{"rank": r, **_states(r + 1)} for r in (0, 1)]}


def dilation():
    return {"schema": "am-dilation/1", "command": "am-run " + HOSTILE, "within": None, "rounds": 3,
            "rows": [{**_states(1 / d), "delayed": 0.125 / d, "mean_delay": 35e4 / d, "factor": d,
                      "speedup": d, "estimate": 5.25e6 / d} for d in (1, 2, 4)],
            "estimate": {"by": "1/D", "slope": 1, "rest": 0}}


OTHERS = {"peers": peers, "comb": comb, "commtest": commtest, "dials": dials, "suite": suite,
          "states": states, "dilation": dilation}
