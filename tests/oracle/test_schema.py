"""An independent validator (PyPI jsonschema) on spec/bundle.schema.json: it accepts every bundle in fixtures/ and refuses broken ones.

What a schema cannot see (references, lengths of columns, nulls against the absence list, order of times) the tests of
tokenpath-core check.
"""

import copy
import gzip
import json
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "spec" / "bundle.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
MINIMAL = json.loads((ROOT / "fixtures" / "minimal" / "run.json").read_text(encoding="utf-8"))

GONE = object()


def changed(pointer, value):
    """The minimal bundle with one place changed, or without it."""
    bundle = copy.deepcopy(MINIMAL)
    *parents, last = pointer.split("/")[1:]
    at = bundle
    for part in parents:
        at = at[int(part)] if isinstance(at, list) else at[part]
    key = int(last) if isinstance(at, list) else last
    if value is GONE:
        del at[key]
    else:
        at[key] = value
    return bundle


class Schema(unittest.TestCase):
    def test_the_schema_is_one(self):
        Draft202012Validator.check_schema(SCHEMA)

    def test_every_fixture_is_accepted(self):
        paths = sorted((ROOT / "fixtures").glob("*/run.json*"))
        self.assertIn("minimal", [path.parent.name for path in paths])
        for path in paths:
            with self.subTest(path.parent.name):
                data = path.read_bytes()
                bundle = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
                faults = [f"{fault.json_path}: {fault.message[:200]}" for fault in VALIDATOR.iter_errors(bundle)]
                self.assertEqual(faults, [])

    def test_what_a_bundle_may_be_is_accepted(self):
        for name, bundle in {
            "an unknown section": changed("/later", {"a": [1, None]}),
            "an unknown field": changed("/identity/host/later", "x"),
            "an unknown column": changed("/timeline/intervals/later", [{"any": "thing"}]),
            "a label of an unknown column": changed("/timeline/intervals/labels/later", 7),
            "a table without rows": changed("/timeline/copies", {}),
            "a table of empty columns": changed("/timeline/copies", {"bytes": []}),
            "a table of an unknown column only": changed("/timeline/copies", {"later": [1, 2]}),
            "a table that is null": changed("/timeline/copies", None),
            "a column that is null": changed("/timeline/copies/bytes", None),
            "a section that is null": changed("/timeline", None),
            "a model without tensors, as a configuration alone is one": changed("/model/tensors", GONE),
            "an offset below zero": changed("/passes/clock_join/offset", -5),
            "the largest time": changed("/timeline/end", 2**63 - 1),
            "a label per row": changed("/timeline/intervals/labels/kernel", {"values": ["measured:x"], "rows": [0] * 19}),
            "labels that need not name a source": changed("/timeline/labels", {"*": "reported", "start": "read", "end": "estimated"}),
        }.items():
            with self.subTest(name):
                self.assertEqual([fault.message[:200] for fault in VALIDATOR.iter_errors(bundle)], [])

    def test_what_a_reader_set_aside_may_be_missing(self):
        bundle = changed("/identity/title", GONE)
        self.assertFalse(VALIDATOR.is_valid(bundle))
        bundle["absent"].append({"pointer": "/identity/title", "code": "set_aside", "reason": "It was no text."})
        self.assertTrue(VALIDATOR.is_valid(bundle))
        # What is there still has its type.
        bundle["identity"]["id"] = 7
        self.assertFalse(VALIDATOR.is_valid(bundle))

    def test_broken_bundles_are_refused(self):
        for pointer, value in [
            ("/tokenpath", GONE),
            ("/tokenpath", 0),
            ("/tokenpath", 2),
            ("/tokenpath", "1"),
            # Missing.
            ("/identity", GONE),
            ("/identity", None),
            ("/identity/id", GONE),
            ("/identity/title", None),
            ("/identity/capture_mode", GONE),
            ("/identity/runtime", GONE),
            ("/identity/runtime/name", GONE),
            ("/identity/instrument/kernel_timing", GONE),
            ("/identity/instrument/statement", None),
            ("/request/clock", GONE),
            ("/request/events", GONE),
            ("/request/events/name", GONE),
            ("/passes/rows", None),
            ("/passes/rows/start", GONE),
            ("/passes/rows/start/1", None),
            ("/passes/classification", GONE),
            ("/passes/clock_join/method", GONE),
            ("/model/tensors/name", GONE),
            ("/graph/nodes/graph", GONE),
            ("/kernels/name", GONE),
            ("/kernels/name/3", None),
            ("/timeline/intervals/start", GONE),
            ("/timeline/unrecorded/reason", GONE),
            ("/traversal/ends/code", GONE),
            # Of a wrong type.
            ("/identity", "x"),
            ("/identity/title", 7),
            ("/identity/synthetic", "yes"),
            ("/identity/recorded_at", "yesterday"),
            ("/identity/model/digest", "sha256:abc"),
            ("/identity/host/conditions", ["quiet", 7]),
            ("/timeline", []),
            ("/timeline/intervals", [[1, 2]]),
            ("/timeline/intervals/start", {"0": 1}),
            ("/timeline/intervals/start/0", "1050000"),
            ("/timeline/intervals/start/0", 1050000.5),
            ("/timeline/intervals/nodes/1", 0),
            ("/timeline/intervals/nodes/1", [0, None]),
            ("/kernels/short/0", 7),
            ("/absent", {}),
            ("/absent/0", "/identity/recorded_at"),
            # Out of range.
            ("/timeline/start", -1),
            ("/timeline/end", 2**63),
            ("/timeline/end", 2**64 - 1),
            ("/timeline/intervals/duration/3", -1),
            ("/model/tensors/bytes/0", -1),
            ("/model/tensors/shape/0", [4, -8]),
            ("/timeline/segments/queue/0", -1),
            ("/timeline/segments/queue/0", 2**32 - 1),
            ("/passes/clock_join/offset", -(2**63)),
            # No word that the field knows.
            ("/identity/capture_mode", "maybe"),
            ("/passes/rows/kind/0", "Prefill"),
            ("/request/events/name/0", "begun"),
            ("/model/components/kind/0", "layer"),
            # Labels.
            ("/timeline/intervals/labels/*", "guessed"),
            ("/timeline/intervals/labels/*", "measured"),
            ("/timeline/intervals/labels/*", "derived:"),
            ("/timeline/intervals/labels/kernel", 7),
            ("/timeline/intervals/labels/kernel", {"values": ["measured:x"]}),
            ("/timeline/intervals/labels/kernel", {"values": ["guessed"], "rows": []}),
            ("/passes/clock_join/labels/offset", {"values": ["measured:x"], "rows": [0]}),
            # Absence entries.
            ("/absent/0/pointer", GONE),
            ("/absent/0/pointer", "identity"),
            ("/absent/0/code", "because"),
            ("/absent/0/reason", GONE),
            ("/absent/0/reason", ""),
        ]:
            with self.subTest(f"{pointer} = {'(gone)' if value is GONE else value!r}"):
                self.assertFalse(VALIDATOR.is_valid(changed(pointer, value)))


if __name__ == "__main__":
    unittest.main()
