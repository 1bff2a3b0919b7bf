"""`tokenpath summary` against figures computed apart from it, on made exports of three schema generations and on real ones."""

import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

import jsonschema
import nsys
import nsys_generate
import raw

PROGRAM = os.environ.get("TOKENPATH_PROGRAM", str(raw.ROOT / "target/debug/tokenpath"))


def summarised(path, *options):
    done = subprocess.run([PROGRAM, "summary", *options, str(path)], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def ns(seconds):
    return None if seconds is None else round(seconds * 1e9)


class Summary(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.made = pathlib.Path(cls.folder.name)
        cls.schema = jsonschema.Draft202012Validator(json.loads((raw.ROOT / "spec/bundle.schema.json").read_text()))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, path, options=(), **same):
        code, out, err = summarised(path, *options)
        self.assertEqual((code, err), (0, ""), path)
        found = json.loads(out)
        right = nsys.summary(path, **same)
        beside = found["tokenpath"]
        self.assertEqual(beside["graph_state"], right["graph_state"])
        self.assertEqual(beside["device"], right["device"])
        for key, name in (("span", "gpu_activity_span_s"), ("busy", "gpu_busy_union_s"), ("idle", "gpu_idle_within_span_s")):
            self.assertEqual(ns(found[name]), right[key], name)
        self.assertEqual(found["kernel_count"], right["kernel_count"])
        self.assertEqual(found["graph_node_kernel_count"], right["node_count"])
        listed = lambda pairs: [(name, count, ns(total)) for name, (count, total) in pairs]
        self.assertEqual(found["api"] and listed(found["api"].items()), right["api"] and right["api"])
        self.assertEqual(found["top_kernels"] and listed(found["top_kernels"]), right["top"] and right["top"])
        self.assertEqual(found["dispatch"], right["dispatch"])
        timeline = found["dispatch_timeline"]
        self.assertEqual(timeline and [(one["start_ns"], one["name"]) for one in timeline], right["timeline"])
        nvtx = found["nvtx"]
        if nvtx is not None:
            nvtx = {name: (one["count"], ns(one["sum_s"]), ns(one["union_s"]), ns(one["gpu_overlap_s"])) for name, one in nvtx.items()}
        self.assertEqual(nvtx, right["nvtx"])
        devices = {
            one["device"]: {"busy": tuple(map(ns, one["busy_s"])), "idle": tuple(map(ns, one["idle_s"])), "kernels": one["kernels"]}
            for one in beside["devices"]
        }
        self.assertEqual(devices, right["devices"])
        self.assertEqual(beside["coverage"]["kernels_without_launch"], right["without_launch"])
        self.assertEqual(beside["coverage"]["kernels_before_launch"], right["before_launch"])
        # No figure is missing without a reason.
        reasons = {one["figure"] for one in beside["absent"]}
        self.assertEqual({key for key, value in found.items() if value is None}, {key for key in reasons if "." not in key})
        return found

    def test_made_exports(self):
        for schema in nsys_generate.SCHEMAS:
            for graphs in (None, "node", "graph"):
                with self.subTest(schema=schema, graphs=graphs):
                    path = self.made / f"plain-{schema}-{graphs}.sqlite"
                    known = nsys_generate.plain(str(path), schema, 2000, graphs)
                    found = self.compare(path)
                    calls = list(found["api"].values())
                    self.assertEqual([(count, ns(total)) for count, total in calls], [(known["calls"], known["call_ns"])])
                    if graphs == "graph":
                        # Kernels were not collected: no count, no idle, and busy from nothing to all of the graphs' time.
                        self.assertIsNone(found["kernel_count"])
                        self.assertIsNone(found["gpu_idle_within_span_s"])
                        self.assertEqual(ns(found["tokenpath"]["devices"][0]["busy_s"][0]), 0)
                        continue
                    self.assertEqual(found["kernel_count"], known["kernels"])
                    self.assertEqual(found["graph_node_kernel_count"], known["kernels"] if graphs else 0)
                    self.assertEqual(ns(found["gpu_busy_union_s"]), known["busy_ns"])
                    self.assertEqual(ns(found["gpu_activity_span_s"]), known["span_ns"])
            with self.subTest(schema=schema, odd=True):
                path = self.made / f"odd-{schema}.sqlite"
                nsys_generate.odd(str(path), schema)
                found = self.compare(path)
                self.compare(path, ("--name", "demangled"), name="demangledName")
                coverage = found["tokenpath"]["coverage"]
                # Counted by hand from the generator's list.
                self.assertEqual(coverage["times_not_collected"], {"CUPTI_ACTIVITY_KIND_KERNEL": 1, "CUPTI_ACTIVITY_KIND_RUNTIME": 1, "NVTX_EVENTS": 1})
                self.assertEqual(coverage["ends_before_start"], {"CUPTI_ACTIVITY_KIND_KERNEL": 1, "NVTX_EVENTS": 1})
                self.assertEqual((coverage["kernels_without_launch"], coverage["kernels_before_launch"]), (2, 1))
                self.assertEqual(coverage["calls_sharing_a_correlation"], 1)
                self.assertEqual((coverage["ranges_without_end"], coverage["other_nvtx_events"]), (1, 2))
                self.assertEqual((coverage["texts_not_utf8"], coverage["texts_unknown"]), (2, 1))
                self.assertEqual([one["timestamp_ns"] for one in coverage["diagnostics"]], [-192552305])
                # Device 0: [1000,2500) with the kernels, to 2800 with the copies, 500 ns, 100 ns, a set of 50 ns.
                self.assertEqual(ns(found["gpu_busy_union_s"]), 1800 + 500 + 100 + 50)
                self.assertIn("device 0", found["notes"])
                for secret in nsys_generate.SECRETS:
                    self.assertNotIn(secret, json.dumps(found, ensure_ascii=False))

    def test_windows_prefixes_and_patterns(self):
        path = self.made / "window.sqlite"
        nsys_generate.odd(str(path), "3.25.0")
        window = json.loads(summarised(path, "--from", "1800", "--to", "2450")[1])
        # By hand: 1800 to 2450 is busy throughout; nothing but one call of a dispatch starts within it, and one copy.
        self.assertEqual(ns(window["gpu_busy_union_s"]), 650)
        self.assertEqual(window["kernel_count"], 0)
        self.assertEqual(window["api"], {})
        self.assertEqual(window["dispatch"], {"CG_DISPATCH:mode=FULL:padded=8": 1})
        self.assertEqual(window["nvtx"]["request"]["count"], 0)
        self.assertEqual(ns(window["nvtx"]["request"]["union_s"]), 650)
        only = json.loads(summarised(path, "--nvtx", "^aten::", "--dispatch-prefix", "step", "--top", "1")[1])
        self.assertEqual(list(only["nvtx"]), ["aten::mm"])
        self.assertEqual(only["dispatch"], {"step 1": 1})
        self.assertEqual(len(only["top_kernels"]), 1)
        other = json.loads(summarised(path, "--device", "1")[1])
        # Device 1: [1200,1700), [9000,9500), [9600,9710).
        self.assertEqual(ns(other["gpu_busy_union_s"]), 500 + 500 + 110)
        for options, says in ((("--device", "7"), "It has 0, 1."), (("--nvtx", "["), "regex"), (("--from", "5", "--to", "5"), "is not before")):
            code, out, err = summarised(path, *options)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(says, err)

    def test_what_is_no_export(self):
        whole = self.made / "whole.sqlite"
        nsys_generate.plain(str(whole), "3.13.2", 4000)
        content = whole.read_bytes()
        other = self.made / "other.sqlite"
        db = sqlite3.connect(other)
        db.execute("CREATE TABLE moz_places(id INTEGER)")
        db.close()
        rocpd = self.made / "rocpd.db"
        db = sqlite3.connect(rocpd)
        db.execute("CREATE TABLE rocpd_string(id INTEGER)")
        db.close()
        none = self.made / "none.sqlite"
        db = sqlite3.connect(none)
        db.execute("CREATE TABLE t(id INTEGER)")
        db.execute("DROP TABLE t")
        db.commit()
        db.close()
        # Noise from a generator that is not the reader's test's: a hash of a counter.
        import hashlib
        noise = b"".join(hashlib.sha256(bytes([at])).digest() for at in range(256))
        for name, given, says in (
            ("empty.sqlite", b"", "no bytes"),
            ("pointer.sqlite", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"),
            ("packed.sqlite", b"\x1f\x8b\x08\0", "compressed (gzip)"),
            ("text.sqlite", b"not a database at all", "no SQLite database"),
            ("encrypted.sqlite", noise, "looks encrypted"),
            ("header.sqlite", content[:100], "cut off at its beginning"),
            ("other.sqlite", None, "holds moz_places"),
            ("rocpd.db", None, "rocpd database"),
            ("none.sqlite", None, "without any table"),
        ):
            with self.subTest(name=name):
                path = self.made / name
                if given is not None:
                    path.write_bytes(given)
                code, out, err = summarised(path)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(says, err)
        with self.subTest(name="cut in the middle of a page"):
            path = self.made / "cut.sqlite"
            path.write_bytes(content[: len(content) * 3 // 5 + 1234])
            code, out, err = summarised(path)
            self.assertEqual(code, 0)
            self.assertIn("cut off", err)
            found = json.loads(out)
            self.assertTrue(found["tokenpath"]["coverage"]["cut_off"])
            lost = [one["table"] for one in found["tokenpath"]["coverage"]["incomplete"]]
            self.assertTrue(lost)
            if "CUPTI_ACTIVITY_KIND_KERNEL" in lost:
                self.assertIsNone(found["gpu_idle_within_span_s"])
        with self.subTest(name="a log beside it"):
            (self.made / "whole.sqlite-wal").write_bytes(b"x" * 321)
            code, out, err = summarised(whole)
            self.assertEqual(code, 0)
            self.assertIn("321 bytes", err)
            self.assertIn("321 bytes", json.loads(out)["notes"])
            self.assertEqual(whole.read_bytes(), content, "the file is as it was")

    def converted(self, path, *options):
        done = subprocess.run([PROGRAM, "convert", *options, str(path), "-o", "-"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        for secret in nsys_generate.SECRETS:
            self.assertNotIn(secret, text)
        bundle = json.loads(text)
        self.schema.validate(bundle)
        return bundle

    def test_runs(self):
        for schema in nsys_generate.SCHEMAS:
            for graphs in (None, "node", "graph"):
                with self.subTest(schema=schema, graphs=graphs):
                    path = self.made / f"run-{schema}-{graphs}.sqlite"
                    nsys_generate.plain(str(path), schema, 2000, graphs)
                    bundle = self.converted(path)
                    timeline, passes = bundle["timeline"], bundle["passes"]["rows"]
                    self.assertEqual(bundle["identity"]["instrument"]["graphs"], graphs or "none")
                    # The generator: a step every hundred kernels, the first of which starts 1 us after the step.
                    self.assertEqual(passes["start"], [1_000_000 + 100_000 * at for at in range(20)])
                    self.assertEqual(passes["period"], [100_000] * 19 + [None])
                    self.assertEqual(passes["kind"], ["decode"] * 20)
                    submissions = timeline["submissions"]
                    self.assertEqual(submissions["handle"], list(range(500 if graphs else 2000)))
                    if graphs == "graph":
                        self.assertNotIn("start", timeline.get("intervals") or {})
                        self.assertEqual(timeline["segments"]["submission"], list(range(500)))
                        self.assertEqual(bundle["identity"]["instrument"]["kernel_timing"], "none")
                        continue
                    intervals = timeline["intervals"]
                    self.assertEqual(intervals["submission"], [at // 4 if graphs else at for at in range(2000)])
                    self.assertEqual(intervals["pass"], [at // 100 for at in range(2000)])
                    self.assertEqual(intervals["duration"], [1200 if at % 4 == 3 else 600 for at in range(2000)])
                    self.assertEqual(len(bundle["kernels"]["name"]), 20)
                    self.assertEqual(bundle["kernels"]["short"][3], "kernel_3")
            with self.subTest(schema=schema, odd=True):
                path = self.made / f"run-odd-{schema}.sqlite"
                nsys_generate.odd(str(path), schema)
                first, second = self.converted(path), self.converted(path, "--device", "1")
                started = lambda bundle: [
                    None if row is None else bundle["timeline"]["submissions"]["start"][row]
                    for row in bundle["timeline"]["intervals"]["submission"]
                ]
                # By hand: each kernel with the start of the call of its own process, whatever the other's numbers are.
                self.assertEqual(started(first), [500, 600, 700, None, 7050])
                self.assertEqual(started(second), [300, 310, 8800, None])
                self.assertEqual(first["timeline"]["copies"]["kind"], ["host to device", "device to host", "memory set"])
                left_out = first["timeline"]["left_out"]
                self.assertIn(("kernels, copies and memory sets of other devices", 6), list(zip(left_out["what"], left_out["count"])))
                self.assertIn("Not all CUDA events were collected.", left_out["reason"])

    def test_real_runs(self):
        folder = raw.EXTRA / "nsys"
        if not folder.is_dir():
            self.skipTest(f"no exports under {folder}")
        for path in sorted(folder.glob("*.sqlite")):
            if path.name.startswith("broken__"):
                continue
            right = nsys.summary(path)
            for device, figures in right["devices"].items():
                with self.subTest(path=path.name, device=device):
                    bundle = self.converted(path, "--device", str(device))
                    intervals = bundle["timeline"].get("intervals") or {"start": []}
                    self.assertEqual(len(intervals["start"]), figures["kernels"])
                    calls = bundle["timeline"].get("calls") or {"start": []}
                    self.assertEqual(len(calls["start"]), sum(count for _, count, _ in right["api"] or []))
            if right["devices"] and right["without_launch"] is not None:
                every = [self.converted(path, "--device", str(device))["timeline"] for device in right["devices"]]
                lost = sum(timeline["intervals"]["submission"].count(None) for timeline in every if timeline.get("intervals"))
                self.assertEqual(lost, right["without_launch"], path.name)

    def test_real_exports(self):
        folder = raw.EXTRA / "nsys"
        if not folder.is_dir():
            self.skipTest(f"no exports under {folder}")
        compared = []
        for path in sorted(folder.glob("*.sqlite")):
            if not path.name.startswith("broken__"):
                with self.subTest(path=path.name):
                    self.compare(path)
                    compared.append(path.name)
        print(f"{len(compared)} exports compared", flush=True)


if __name__ == "__main__":
    unittest.main()
