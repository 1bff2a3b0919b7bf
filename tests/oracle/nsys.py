"""The figures of `tokenpath summary`, computed apart from it: all rows in memory, and a sweep over marks of begin and end."""

import re
import sqlite3

ACTIVITY = ("KERNEL", "MEMCPY", "MEMSET")


def rows(db, table):
    """Every row as a dictionary, as far as the table can be read; None when there is no such table."""
    try:
        cursor = db.execute(f'SELECT * FROM "{table}"')
    except sqlite3.OperationalError:
        return None
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor]


def good(row):
    """Whether a row's times are those of an interval."""
    start, end = row.get("start"), row.get("end")
    return start is not None and end is not None and (start, end) != (0, 0) and end >= start


def covered(intervals, others=None):
    """The time in which an interval of the first list is under way, and with a second list one of each."""
    marks = []
    for which, part in enumerate([intervals] + ([others] if others is not None else [])):
        for start, end in part:
            marks += [(start, 1, which), (end, -1, which)]
    marks.sort(key=lambda mark: (mark[0], mark[1]))
    under_way, since, total = [0, 0], None, 0
    wanted = (lambda: under_way[0] > 0 and under_way[1] > 0) if others is not None else (lambda: under_way[0] > 0)
    for at, step, which in marks:
        before = wanted()
        under_way[which] += step
        after = wanted()
        if not before and after:
            since = at
        elif before and not after:
            total += at - since
    return total


def decoded(text):
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def summary(path, prefix="CG_DISPATCH:", top=20, name="shortName"):
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    db.text_factory = bytes
    strings = {row["id"]: decoded(row["value"]) for row in rows(db, "StringIds") or []}
    named = lambda number: strings.get(number, f"(text {number} is missing)") if number is not None else "(no name)"
    tables = {kind: rows(db, f"CUPTI_ACTIVITY_KIND_{kind}") for kind in ACTIVITY + ("RUNTIME", "GRAPH_TRACE")}
    kernels = tables["KERNEL"]
    wholes = [row for row in tables["GRAPH_TRACE"] or [] if good(row)]
    states = {bool(row.get("graphNodeId")) for row in kernels or []}
    state = "node" if True in states else "graph" if wholes else "none"
    intervals, ran = {}, {}
    for kind in ACTIVITY:
        for row in tables[kind] or []:
            if good(row):
                device = row.get("deviceId") or 0
                intervals.setdefault(device, []).append((row["start"], row["end"]))
                if kind == "KERNEL":
                    ran.setdefault(device, []).append(row)
    graphs = {}
    for row in wholes:
        graphs.setdefault(row.get("deviceId") or 0, []).append((row["start"], row["end"]))
    devices = sorted(set(intervals) | set(graphs))
    chosen = min(ran) if ran else devices[0] if devices else None
    own = intervals.get(chosen, [])
    hidden = state == "graph" or graphs.get(chosen)
    figures = {"graph_state": state, "device": chosen, "devices": {}}
    figures["span"] = max(end for _, end in own) - min(start for start, _ in own) if own else None
    figures["busy"] = covered(own) if own and not hidden else None
    figures["idle"] = figures["span"] - figures["busy"] if figures["busy"] is not None else None
    figures["kernel_count"] = len(ran.get(chosen, [])) if kernels is not None else None
    figures["node_count"] = sum(bool(row.get("graphNodeId")) for row in ran.get(chosen, [])) if kernels is not None else None
    for device in devices:
        mine, with_graphs = intervals.get(device, []), intervals.get(device, []) + graphs.get(device, [])
        length = max(end for _, end in with_graphs) - min(start for start, _ in with_graphs)
        low, high = covered(mine), covered(with_graphs)
        figures["devices"][device] = {"busy": (low, high), "idle": (length - high, length - low), "kernels": len(ran.get(device, []))}
    calls = tables["RUNTIME"]
    figures["api"] = None
    if calls is not None:
        sums = {}
        for row in calls:
            if good(row):
                count, total = sums.get(named(row.get("nameId")), (0, 0))
                sums[named(row.get("nameId"))] = (count + 1, total + row["end"] - row["start"])
        figures["api"] = sorted(((name, *sums[name]) for name in sums), key=lambda one: (-one[2], one[0].encode()))
    figures["top"] = None
    if kernels is not None and (not kernels or name in kernels[0]):
        sums = {}
        for row in ran.get(chosen, []):
            count, total = sums.get(named(row[name]), (0, 0))
            sums[named(row[name])] = (count + 1, total + row["end"] - row["start"])
        figures["top"] = sorted(((name, *sums[name]) for name in sums), key=lambda one: (-one[2], one[0].encode()))[:top]
    events = rows(db, "NVTX_EVENTS")
    figures["nvtx"] = figures["dispatch"] = figures["timeline"] = None
    if events is not None:
        ranges = {}
        for row in events:
            if row.get("eventType") in (59, 60, 70, 71) and good(row):
                text = decoded(row["text"]) if row["text"] is not None else named(row.get("textId"))
                ranges.setdefault(re.sub(r", (seq|op_id|sizes) = .*", "", text, flags=re.S), []).append((row["start"], row["end"]))
        dispatch = {name: part for name, part in ranges.items() if name.startswith(prefix)}
        figures["dispatch"] = {name: len(part) for name, part in dispatch.items()}
        figures["timeline"] = sorted((start, name) for name, part in dispatch.items() for start, _ in part)
        busy = own if figures["busy"] is not None else None
        figures["nvtx"] = {
            name: (len(part), sum(end - start for start, end in part), covered(part), covered(part, busy) if busy is not None else None)
            for name, part in ranges.items() if name not in dispatch
        }
    # A launch is that of its process: the thread's 24 bits are taken off.
    both = calls and kernels and "globalTid" in calls[0] and "globalPid" in kernels[0]
    key = lambda row, field: (row[field] >> 24 if both else 0, row.get("correlationId"))
    launches = {}
    for row in calls or []:
        if good(row):
            launches.setdefault(key(row, "globalTid"), []).append(row["start"])
    sound = [row for row in kernels or [] if good(row)]
    found = [(row, launches.get(key(row, "globalPid"))) for row in sound]
    figures["without_launch"] = sum(starts is None for _, starts in found) if kernels is not None else None
    figures["before_launch"] = sum(starts is not None and row["start"] < min(starts) for row, starts in found) if kernels is not None else None
    return figures
