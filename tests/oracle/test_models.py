"""The committed figures of model files are what the packages gguf and safetensors read."""

import importlib.util
import json
import unittest

import models
import raw


class Models(unittest.TestCase):
    def test_committed_figures(self):
        if any(importlib.util.find_spec(name) is None for name in ("gguf", "safetensors")):
            self.skipTest("the packages gguf and safetensors are not installed")
        committed = json.loads(models.EXPECTED.read_text(encoding="utf-8"))
        self.assertEqual(models.ggml_types(), committed["ggml_types"])
        if not (raw.EXTRA / "gguf").is_dir():
            self.skipTest(f"no model files under {raw.EXTRA}")
        self.assertEqual(models.figures(), committed)


if __name__ == "__main__":
    unittest.main()
