"""Figures of the reference captures, computed from the raw recordings.

`python3 tests/oracle/figures.py --write` writes them to `expected/CASE.json`.
"""

import json
import re
import statistics
import sys
from collections import Counter

import raw

# Cases made of a capture by the evaluation callback and one by stamps.
CAPTURES = {
    "smollm2": "SmolLM2-135M-Instruct.Q4_1",
    "tiny-dense": "tiny-dense",
    "tiny-moe": "tiny-moe",
    "tiny-hybrid": "tiny-hybrid",
}
REQUESTS = {"user-chat": "x_chat.jsonl", "user-chat-no-usage": "lcp_chat.jsonl"}
SERVER = ("smollm2-server", "pre_smol_node.jsonl", "pre_smol_node.sse.jsonl")

VIEWS = {"NONE", "RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE"}


def kernel(node):
    """Operation, with the type of the operand by which ggml picks the code."""
    which = {"MUL_MAT": 0, "MUL_MAT_ID": 0, "GET_ROWS": 0, "FLASH_ATTN_EXT": 1}.get(node["op"])
    name = node.get("desc") or node["op"]
    return name if which is None else f"{name} {node['src'][which]['type']}"


def executed(nodes):
    """Indices of the nodes that each stamp of a pass stands for."""
    users = Counter(source["node"] for node in nodes for source in node["src"] if source.get("node") is not None)
    out = []
    for node in nodes:
        if node["op"] in VIEWS:
            continue
        last = nodes[out[-1][0]] if out and len(out[-1]) == 1 else None
        joined = (
            last is not None
            and last["op"] == "RMS_NORM"
            and node["op"] == "MUL"
            and users[last["i"]] == 1
            and any(source.get("node") == last["i"] for source in node["src"])
        )
        if joined:
            out[-1].append(node["i"])
        else:
            out.append([node["i"]])
    return out


def by_kernel(named):
    """Count and sum of durations for each kernel name."""
    out = {}
    for name, duration in named:
        entry = out.setdefault(name, {"intervals": 0, "total_ns": 0})
        entry["intervals"] += 1
        entry["total_ns"] += duration
    return dict(sorted(out.items()))


def periods(starts, kinds):
    """Periods of passes of one execution, and the mean and median of the decode passes that have one."""
    out = [after - before for before, after in zip(starts, starts[1:])]
    decode = [period for period, kind in zip(out, kinds) if kind == "decode"]
    return {
        "starts_ns": starts,
        "periods_ns": out,
        "decode_periods": len(decode),
        "decode_period_sum_ns": sum(decode),
        "decode_period_mean_ns": sum(decode) / len(decode),
        "decode_period_median_ns": statistics.median(decode),
    }


def weights(nodes):
    """Distinct weights that a graph names: bytes by name."""
    return {source["name"]: source["nbytes"] for node in nodes for source in node["src"] if source["kind"] == "weight"}


def addressed(nodes):
    """Bytes of weights that one decode pass really addresses: one row of a look-up, the chosen experts of a product by id."""
    whole, parts = {}, {}
    chosen = {node["i"]: {expert for row in node["value"] for expert in row} for node in nodes if "topk" in node["name"] and "value" in node}
    for node in nodes:
        for source in node["src"]:
            if source["kind"] != "weight":
                continue
            name, size = source["name"], source["nbytes"]
            if node["op"] == "GET_ROWS":
                rows = node["ne"][1] * node["ne"][2] * node["ne"][3]
                parts[name] = size // source["ne"][1] * rows
            elif node["op"] == "MUL_MAT_ID":
                experts = chosen[node["src"][2]["node"]]
                parts[name] = size // source["ne"][2] * len(experts)
            else:
                whole[name] = size
    return sum(whole.values()) + sum(size for name, size in parts.items() if name not in whole)


def capture(case):
    """Figures of a capture by the evaluation callback and its stamps; None when they are not there."""
    name = CAPTURES[case]
    first, second = raw.llamacpp(f"capture_{name}.json.gz"), raw.llamacpp(f"capture_{name}.abort.json.gz")
    if first is None or second is None:
        return None
    callback, stamps = raw.load(first), raw.load(second)
    kinds = [item["kind"] for item in callback["passes"]]
    decode = callback["passes"][kinds.index("decode")]["nodes"]
    named = weights(decode)
    layers = Counter()
    for weight, size in named.items():
        match = re.match(r"blk\.(\d+)\.", weight)
        layers[int(match.group(1)) if match else -1] += size
    stamped = []
    for item, graph in zip(stamps["passes"], callback["passes"]):
        times = [item["t_begin"], *item["stamps"]]
        for position, entry in enumerate(executed(graph["nodes"])):
            nodes = [graph["nodes"][index] for index in entry]
            label = kernel(nodes[0]) if len(nodes) == 1 else "+".join(node.get("desc") or node["op"] for node in nodes)
            if position == 0:
                label = f"host preparation+{label}"
            stamped.append((label, times[position + 1] - times[position]))
    spans = [(kernel(node), node["t1"] - node["t0"]) for item in callback["passes"] for node in item["nodes"] if node["op"] not in VIEWS]
    views = [node["t1"] - node["t0"] for item in callback["passes"] for node in item["nodes"] if node["op"] in VIEWS]
    of_callback = periods([item["t_begin"] for item in callback["passes"]], kinds)
    of_stamps = periods([item["t_begin"] for item in stamps["passes"]], kinds)
    total = sum(named.values())
    for figures in (of_callback, of_stamps):
        figures["weight_bytes_per_second_at_mean"] = total / figures["decode_period_mean_ns"] * 1e9
        figures["weight_bytes_per_second_at_median"] = total / figures["decode_period_median_ns"] * 1e9
    return {
        "passes": len(kinds),
        "decode_passes": kinds.count("decode"),
        "nodes_per_decode_pass": len(decode),
        "nodes_not_views": sum(node["op"] not in VIEWS for node in decode),
        "executed_entries": len(executed(decode)),
        "stamps_per_pass": sorted({len(item["stamps"]) for item in stamps["passes"]}),
        "operations": dict(sorted(Counter(node.get("desc") or node["op"] for node in decode).items())),
        "callback_kernels": by_kernel(spans),
        "callback_views": {"intervals": len(views), "total_ns": sum(views)},
        "stamp_kernels": by_kernel(stamped),
        "weights": len(named),
        "weight_bytes_named": total,
        "weight_bytes_addressed_first_decode": addressed(decode),
        "layer_weight_bytes": [layers[layer] for layer in range(callback["n_layer"])],
        "weight_bytes_outside_layers": layers[-1],
        "stated_tensor_bytes": callback["model_bytes"],
        "callback": of_callback,
        "stamps": of_stamps,
        "router_choices": sum(
            len(node["value"]) for item in callback["passes"] for node in item["nodes"] if node["name"].startswith("ffn_moe_topk") and "value" in node
        ),
    }


def chunk(event):
    """Text and channel of one server-sent event of the recorded servers, and the object itself."""
    data = "\n".join(line[5:].strip() for line in event["raw"].splitlines() if line.startswith("data:"))
    if not data or data == "[DONE]":
        return "", None, None
    item = json.loads(data)
    if "content" in item:
        return item["content"], "content", item
    choices = item.get("choices") or [{}]
    delta = choices[0].get("delta", {})
    return delta.get("content") or "", "content", item


def request(name):
    """Figures of a request capture; None when it is not there."""
    path = raw.llamacpp(name)
    if path is None:
        return None
    items = raw.lines(path)
    sent = next(item for item in items if item["k"] == "req")
    head = next(item for item in items if item["k"] == "head")
    end = next(item for item in items if item["k"] == "end")
    events = [item for item in items if item["k"] == "ev"]
    parsed = [(item["t_ns"], *chunk(item)) for item in events]
    texts = [(at, text) for at, text, _, _ in parsed if text]
    gaps = [after - before for (before, _), (after, _) in zip(texts, texts[1:])]
    objects = [item for *_, item in parsed if item]
    usage = next((item["usage"] for item in reversed(objects) if item.get("usage")), {})
    timings = next((item["timings"] for item in reversed(objects) if item.get("timings")), {})
    finish = next((at for at, _, _, item in parsed if item and ((item.get("choices") or [{}])[0].get("finish_reason") or item.get("stop"))), None)
    return {
        "origin_ns": sent["t0_mono_ns"],
        "sent_ns": sent["sent_ns"],
        "first_byte_ns": head["t_ns"],
        "first_event_ns": events[0]["t_ns"],
        "first_content_ns": texts[0][0],
        "end_of_generation_ns": finish,
        "stream_end_ns": end["t_ns"],
        "events": len(events),
        "events_with_text": len(texts),
        "characters": sum(len(text) for _, text in texts),
        "gaps": len(gaps),
        "gap_median_ns": statistics.median(gaps),
        "gap_max_ns": max(gaps),
        "gap_sum_ns": sum(gaps),
        "prompt_tokens": usage.get("prompt_tokens"),
        "cached_tokens": usage.get("prompt_tokens_details", {}).get("cached_tokens"),
        "generated_tokens": usage.get("completion_tokens"),
        "prompt_ms": timings.get("prompt_ms"),
        "predicted_ms": timings.get("predicted_ms"),
        "predicted_n": timings.get("predicted_n"),
    }


def server():
    """Figures of the server run that has request, passes and nodes on one clock; None when it is not there."""
    recording, stream = raw.llamacpp(SERVER[1]), raw.llamacpp(SERVER[2])
    if recording is None or stream is None:
        return None
    items = raw.lines(recording)
    graphs = {item["id"]: item for item in items if item["k"] == "graph"}
    passes = [item for item in items if item["k"] == "pass"]
    figures = request(SERVER[2])
    origin = figures["origin_ns"]
    events = [item for item in raw.lines(stream) if item["k"] == "ev"]
    arrivals, before = [], 0
    for event in events:
        _, _, item = chunk(event)
        if item and item["tokens_predicted"] > before:
            arrivals.append(event["t_ns"] + origin)
            before = item["tokens_predicted"]
    of_request = [item for item in passes if item["t0"] >= origin]
    distances = [arrival - item["synced"] for arrival, item in zip(arrivals, of_request)]
    starts = [item["t0"] for item in of_request]
    between = [after - start for start, after in zip(starts[1:], starts[2:])]
    return {
        "graphs": len(graphs),
        "nodes_per_graph": sorted({item["n"] for item in graphs.values()}),
        "passes": len(passes),
        "passes_of_request": len(of_request),
        "tokens": before,
        "token_arrivals": len(arrivals),
        "distance_median_ns": statistics.median(distances),
        "distance_max_ns": max(distances),
        "distance_min_ns": min(distances),
        "first_pass_after_origin_ns": starts[0] - origin,
        "decode_periods": len(between),
        "decode_period_sum_ns": sum(between),
        "decode_period_median_ns": statistics.median(between),
        "interval_sum_ns": sum(item["spans"][at + 1] - item["spans"][at] for item in passes for at in range(0, len(item["spans"]), 2)),
        "intervals": sum(len(item["spans"]) // 2 for item in passes),
        "request": figures,
    }


def figures():
    """All figures whose raw recordings are there, by case."""
    out = {case: capture(case) for case in CAPTURES}
    out.update({case: request(name) for case, name in REQUESTS.items()})
    out[SERVER[0]] = server()
    return out


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    raw.EXPECTED.mkdir(exist_ok=True)
    for case, values in figures().items():
        if values is None:
            print(f"{case}: no raw recording under {raw.EXTRA}")
            continue
        path = raw.EXPECTED / f"{case}.json"
        path.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(path)
