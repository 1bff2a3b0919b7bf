"""Counts parameters by the published definition of each architecture: the classes of Hugging Face's transformers,
built on PyTorch's meta device, which holds no weights. The counts in published.json and own.json come from here
(transformers 5.24.0, torch 2.15.0); it is run by hand, as both packages are large:

    pip install transformers torch
    python tests/parameters/count.py tests/parameters/configs/*.json

"correction" counts what the files of weights hold and the classes keep apart as buffers: the router's correction of
DeepSeek-V3's kin and the scalar of Gemma 4's layers.
"""

import json
import os
import sys

import torch
from transformers import AutoConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

# Kimi K2 has the architecture of DeepSeek-V3 under a name of its own.
SAME = {"kimi_k2": "deepseek_v3"}
STORED = ("e_score_correction_bias", "layer_scalar")

for path in sys.argv[1:]:
    with open(path) as file:
        whole = json.load(file)
    fields = dict(whole.get("text_config") or whole)
    kind = fields.pop("model_type")
    fields.setdefault("tie_word_embeddings", whole.get("tie_word_embeddings", False))
    for key in ("quantization_config", "auto_map"):
        fields.pop(key, None)
    config = AutoConfig.for_model(SAME.get(kind, kind), **fields)
    with torch.device("meta"):
        model = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)](config)
    model.tie_weights()
    line = {"file": os.path.basename(path), "definition": sum(p.numel() for p in model.parameters())}
    stored = sum(b.numel() for name, b in model.named_buffers() if name.split(".")[-1] in STORED)
    if stored:
        line["correction"] = stored
    print(json.dumps(line))
