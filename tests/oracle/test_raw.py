"""The raw recordings give the committed figures, and the figures that are published elsewhere."""

import json
import unittest

import figures
import raw


class Raw(unittest.TestCase):
    def test_committed_figures(self):
        for case, values in figures.figures().items():
            with self.subTest(case=case):
                if values is None:
                    self.skipTest(f"no raw recording of {case} under {raw.EXTRA}")
                self.assertEqual(values, json.loads((raw.EXPECTED / f"{case}.json").read_text(encoding="utf-8")))

    def test_published_counts(self):
        # From the report on how the recordings were made: nodes a decode token, not views, entries after fusion; and for
        # the mixture of experts the megabytes named in a pass and really addressed.
        published = {
            "smollm2": (936, 576, 515),
            "tiny-dense": (192, 120, 107),
            "tiny-moe": (336, 210, 185),
            "tiny-hybrid": (723, 457, 430),
        }
        for case, counts in published.items():
            with self.subTest(case=case):
                values = json.loads((raw.EXPECTED / f"{case}.json").read_text(encoding="utf-8"))
                found = (values["nodes_per_decode_pass"], values["nodes_not_views"], values["executed_entries"])
                self.assertEqual(found, counts)
                self.assertEqual(values["stamps_per_pass"], [counts[2]])
                self.assertEqual(values["weight_bytes_named"], values["stated_tensor_bytes"])
        moe = json.loads((raw.EXPECTED / "tiny-moe.json").read_text(encoding="utf-8"))
        self.assertEqual(round(moe["weight_bytes_named"] / 1e6, 2), 13.57)
        self.assertEqual(round(moe["weight_bytes_addressed_first_decode"] / 1e6, 2), 4.46)


if __name__ == "__main__":
    unittest.main()
