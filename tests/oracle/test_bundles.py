"""The bundles hold what the raw recordings give. The bundles' JSON is read here, not by the product."""

import json
import re
import statistics
import unittest
from collections import Counter

import figures
import raw


def expected(case):
    return json.loads((raw.EXPECTED / f"{case}.json").read_text(encoding="utf-8"))


def sums(rows):
    out = {}
    for name, duration in rows:
        entry = out.setdefault(name, {"intervals": 0, "total_ns": 0})
        entry["intervals"] += 1
        entry["total_ns"] += duration
    return out


class Captures(unittest.TestCase):
    """A capture by the evaluation callback joined with stamps and a model file."""

    def each(self):
        for case in figures.CAPTURES:
            with self.subTest(case=case):
                yield case, raw.bundle(case), expected(case)

    def test_graph(self):
        for _, run, want in self.each():
            nodes = run["graph"]["nodes"]
            decode = run["graph"]["graphs"]["pass_kind"].index("decode")
            rows = [row for row, graph in enumerate(nodes["graph"]) if graph == decode]
            self.assertEqual(len(rows), want["nodes_per_decode_pass"])
            self.assertEqual(sum(not nodes["view"][row] for row in rows), want["nodes_not_views"])
            self.assertEqual(Counter(nodes["operation"][row] for row in rows), want["operations"])
            named = {tensor for row in rows for tensor in nodes["tensors"][row]}
            sizes = run["model"]["tensors"]["bytes"]
            self.assertEqual(len(named), want["weights"])
            self.assertEqual(sum(sizes[tensor] for tensor in named), want["weight_bytes_named"])

    def test_layers(self):
        for case, run, want in self.each():
            model = run["model"]
            components = model["components"]
            layers = Counter()
            for component, size in zip(model["tensors"]["component"], model["tensors"]["bytes"]):
                layer = components["layer"][component]
                layers[-1 if layer is None else layer] += size
            self.assertEqual([layers[layer] for layer in range(model["layers"])], want["layer_weight_bytes"])
            self.assertEqual(layers[-1], want["weight_bytes_outside_layers"])

    def test_layer_of_each_node(self):
        # Where a name tells the layer, the bundle must say the same; so must every weight of a layer that a node reads.
        for case, run, _ in self.each():
            nodes, tensors = run["graph"]["nodes"], run["model"]["tensors"]["name"]
            for row, name in enumerate(nodes["name"]):
                base = name.split(" (")[0]
                match = re.search(r"-(\d+)$", base) or re.search(r"^cache_[a-z]+_l(\d+)$", base)
                if match:
                    self.assertEqual(nodes["layer"][row], int(match.group(1)), f"{case} node {row} {name}")
                for tensor in nodes["tensors"][row]:
                    match = re.match(r"blk\.(\d+)\.", tensors[tensor])
                    if match:
                        self.assertEqual(nodes["layer"][row], int(match.group(1)), f"{case} node {row} {name}")
                    elif tensors[tensor].startswith(("output", "token_embd")):
                        self.assertIsNone(nodes["layer"][row], f"{case} node {row} {name}")
            self.assertEqual([row for row, layer in enumerate(nodes["layer"]) if layer is None and nodes["layer_end"][row] is None], [])

    def test_intervals_and_kernels(self):
        for _, run, want in self.each():
            intervals, names, rows = run["timeline"]["intervals"], run["kernels"]["name"], run["passes"]["rows"]
            by_execution = {0: [], 1: []}
            views = []
            for duration, of_pass, kernel in zip(intervals["duration"], intervals["pass"], intervals["kernel"]):
                if kernel is None:
                    views.append(duration)
                else:
                    by_execution[rows["execution"][of_pass]].append((names[kernel], duration))
            self.assertEqual(sums(by_execution[0]), want["callback_kernels"])
            self.assertEqual(sums(by_execution[1]), want["stamp_kernels"])
            self.assertEqual({"intervals": len(views), "total_ns": sum(views)}, want["callback_views"])
            per_pass = Counter(intervals["pass"])
            self.assertEqual(sorted({per_pass[row] for row, way in enumerate(rows["execution"]) if way == 1}), want["stamps_per_pass"])

    def test_passes(self):
        for _, run, want in self.each():
            rows = run["passes"]["rows"]
            for execution, key in ((0, "callback"), (1, "stamps")):
                of = [row for row, way in enumerate(rows["execution"]) if way == execution]
                self.assertEqual([rows["start"][row] for row in of], want[key]["starts_ns"])
                periods = [rows["period"][row] for row in of]
                self.assertIsNone(periods[-1])
                self.assertEqual(periods[:-1], want[key]["periods_ns"])
                decode = [rows["period"][row] for row in of if rows["kind"][row] == "decode" and rows["period"][row] is not None]
                self.assertEqual(statistics.median(decode), want[key]["decode_period_median_ns"])
            self.assertEqual(run["passes"]["classification"]["runtime_decode_steps"], 2 * want["decode_passes"])

    def test_router_choices(self):
        for _, run, want in self.each():
            choices = run["graph"].get("choices")
            self.assertEqual(len(choices["pass"]) if choices else 0, want["router_choices"])
        run, want = raw.bundle("tiny-moe"), expected("tiny-moe")
        # Addressed bytes of the first decode pass from the bundle alone: rows of look-ups and chosen experts.
        nodes, tensors, rows = run["graph"]["nodes"], run["model"]["tensors"], run["passes"]["rows"]
        first = rows["kind"].index("decode")
        chosen = {node: set(experts) for of, node, experts in zip(run["graph"]["choices"]["pass"], run["graph"]["choices"]["node"], run["graph"]["choices"]["experts"]) if of == first}
        whole, parts = {}, {}
        for row, graph in enumerate(nodes["graph"]):
            if graph != rows["graph"][first]:
                continue
            for tensor in nodes["tensors"][row]:
                size, shape = tensors["bytes"][tensor], tensors["shape"][tensor]
                if nodes["operation"][row] == "GET_ROWS":
                    parts[tensor] = size // shape[1]
                elif nodes["operation"][row] == "MUL_MAT_ID":
                    experts = next(chosen[source] for source in nodes["sources"][row] if source in chosen)
                    parts[tensor] = size // shape[2] * len(experts)
                else:
                    whole[tensor] = size
        total = sum(whole.values()) + sum(size for tensor, size in parts.items() if tensor not in whole)
        self.assertEqual(total, want["weight_bytes_addressed_first_decode"])

    def test_against_the_model_file(self):
        try:
            from gguf import GGUFReader
        except ImportError:
            self.skipTest("the Python package gguf is not installed")
        if raw.GGUF is None:
            self.skipTest("TOKENPATH_GGUF_DIR names no folder of model files")
        for case, run, _ in self.each():
            path = raw.GGUF / f"{figures.CAPTURES[case]}.gguf"
            if not path.exists():
                self.skipTest(f"{path} is missing")
            reader, tensors = GGUFReader(path), run["model"]["tensors"]
            self.assertEqual([tensor.name for tensor in reader.tensors], tensors["name"])
            self.assertEqual([int(tensor.n_bytes) for tensor in reader.tensors], tensors["bytes"])
            self.assertEqual([[int(size) for size in tensor.shape] for tensor in reader.tensors], tensors["shape"])
            self.assertEqual([tensor.tensor_type.name for tensor in reader.tensors], [dtype.upper() for dtype in tensors["dtype"]])
            self.assertEqual(run["model"]["header_bytes"], int(reader.data_offset))
            self.assertEqual(run["model"]["file_bytes"], path.stat().st_size)


class Requests(unittest.TestCase):
    """Request captures, alone and joined with a recording of the server."""

    def compare(self, run, want):
        request = run["request"]
        at = dict(zip(request["events"]["name"], request["events"]["at"]))
        self.assertEqual(request["origin"], want["origin_ns"])
        for name, key in (
            ("sent", "sent_ns"),
            ("first_byte", "first_byte_ns"),
            ("first_event", "first_event_ns"),
            ("first_token", "first_content_ns"),
            ("first_content_token", "first_content_ns"),
            ("end_of_generation", "end_of_generation_ns"),
            ("stream_end", "stream_end_ns"),
        ):
            self.assertEqual(at[name], want[key], name)
        chunks = request["chunks"]
        self.assertEqual(len(chunks["at"]), want["events"])
        texts = [when for when, count in zip(chunks["at"], chunks["characters"]) if count]
        self.assertEqual(len(texts), want["events_with_text"])
        self.assertEqual(sum(chunks["characters"]), want["characters"])
        gaps = [after - before for before, after in zip(texts, texts[1:])]
        self.assertEqual((statistics.median(gaps), max(gaps), sum(gaps)), (want["gap_median_ns"], want["gap_max_ns"], want["gap_sum_ns"]))
        counters = request.get("counters")
        values = dict(zip(counters["name"], counters["value"])) if counters else {}
        for name in ("prompt_tokens", "cached_tokens", "generated_tokens"):
            if want[name] is not None:
                self.assertEqual(values[name], want[name], name)
        for name, key in (("prompt_time", "prompt_ms"), ("generation_time", "predicted_ms")):
            if want[key] is not None:
                self.assertEqual(values[name], round(want[key] * 1e6), name)

    def test_alone(self):
        for case in figures.REQUESTS:
            with self.subTest(case=case):
                run = raw.bundle(case)
                self.assertEqual(run["identity"]["capture_mode"], "user")
                self.compare(run, expected(case))
                self.assertEqual(run["request"]["token_count"], "unknown")
                self.assertNotIn("tokens", run["request"]["chunks"])

    def test_without_counters(self):
        self.assertNotIn("counters", raw.bundle("user-chat-no-usage")["request"])

    def test_with_the_server(self):
        run, want = raw.bundle(figures.SERVER[0]), expected(figures.SERVER[0])
        self.compare(run, want["request"])
        rows, chunks, join = run["passes"]["rows"], run["request"]["chunks"], run["passes"]["clock_join"]
        self.assertEqual(len(rows["start"]), want["passes"])
        self.assertEqual(rows["execution"].count(0), want["passes_of_request"])
        self.assertEqual(sum(chunks["tokens"]), want["tokens"])
        self.assertEqual(join["offset"], want["request"]["origin_ns"])
        distances = [when + join["offset"] - rows["end"][of] for when, of in zip(chunks["at"], chunks["pass"]) if of is not None]
        self.assertEqual(len(distances), want["token_arrivals"])
        self.assertEqual(statistics.median(distances), want["distance_median_ns"])
        self.assertEqual(max(distances), want["distance_max_ns"])
        self.assertEqual(join["residual"], want["distance_max_ns"])
        intervals = run["timeline"]["intervals"]
        self.assertEqual(len(intervals["start"]), want["intervals"])
        self.assertEqual(sum(intervals["duration"]), want["interval_sum_ns"])
        periods = [rows["period"][row] for row in range(len(rows["start"])) if rows["execution"][row] == 0 and rows["kind"][row] == "decode" and rows["period"][row] is not None]
        self.assertEqual((len(periods), sum(periods), statistics.median(periods)), (want["decode_periods"], want["decode_period_sum_ns"], want["decode_period_median_ns"]))


class Sources(unittest.TestCase):
    """Rule `source-by-name`: a preload recording names operands; a capture by callback gives their indices."""

    def test_against_indices(self):
        run, other = raw.bundle("smollm2-server"), raw.bundle("smollm2")
        def decode(bundle):
            graph = bundle["graph"]["graphs"]["pass_kind"].index("decode")
            nodes = bundle["graph"]["nodes"]
            rows = [row for row, of in enumerate(nodes["graph"]) if of == graph]
            return [(nodes["name"][row], [source - rows[0] for source in nodes["sources"][row]]) for row in rows]
        self.assertEqual(decode(run), decode(other))


if __name__ == "__main__":
    unittest.main()
