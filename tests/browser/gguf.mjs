// GGUF files (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): a true header, and data that is one hole in
// the file, so it takes no room on disk.

import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";

// From the table of block sizes in ggml.
const TYPES = {
  f32: { type: 0, block: 1, bytes: 4 },
  f16: { type: 1, block: 1, bytes: 2 },
  q4_0: { type: 2, block: 32, bytes: 18 },
  q4_1: { type: 3, block: 32, bytes: 20 },
  q5_1: { type: 7, block: 32, bytes: 24 },
  q8_0: { type: 8, block: 32, bytes: 34 },
  q4_k: { type: 12, block: 256, bytes: 144 },
  q6_k: { type: 14, block: 256, bytes: 210 },
  bf16: { type: 30, block: 1, bytes: 2 },
};
const ALIGNMENT = 32;

const u32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
const u64 = (value) => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64LE(BigInt(value)); return bytes; };
const string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const number = (key, value) => Buffer.concat([string(key), u32(4), u32(value)]);
const text = (key, value) => Buffer.concat([string(key), u32(8), string(value)]);
const words = (key, values) => Buffer.concat([string(key), u32(9), u32(8), u64(values.length), ...values.map(string)]);

/** Writes the model of a bundle as a file: the same tensors in the same order, and a name of its own. */
export function writeModelOf(where, bundle, name) {
  const { architecture, layers, tensors } = bundle.model;
  const rows = tensors.name.map((tensor, row) => [tensor, tensors.shape[row], tensors.dtype[row]]);
  return write(where, [
    text("general.architecture", architecture), text("general.name", name), number(`${architecture}.block_count`, layers),
  ], rows);
}

/**
 * Writes a model of the shape of an 8-billion-parameter Llama with a tokenizer of 128,256 words, and returns its length
 * and number of tensors.
 */
export function writeLargeModel(where) {
  const [layers, width, wide, keys, vocabulary] = [32, 4096, 14336, 1024, 128_256];
  const tensors = [["token_embd.weight", [width, vocabulary], "q4_k"], ["output.weight", [width, vocabulary], "q6_k"], ["output_norm.weight", [width], "f32"]];
  for (let layer = 0; layer < layers; layer += 1) {
    for (const [name, sizes, kind] of [
      ["attn_norm", [width], "f32"], ["attn_q", [width, width], "q4_k"], ["attn_k", [width, keys], "q4_k"],
      ["attn_v", [width, keys], "q6_k"], ["attn_output", [width, width], "q4_k"], ["ffn_norm", [width], "f32"],
      ["ffn_gate", [width, wide], "q4_k"], ["ffn_up", [width, wide], "q4_k"], ["ffn_down", [wide, width], "q6_k"],
    ]) tensors.push([`blk.${layer}.${name}.weight`, sizes, kind]);
  }
  const metadata = [
    text("general.architecture", "llama"), text("general.name", "Made, of the shape of Llama 8B"),
    number("llama.block_count", layers), number("llama.embedding_length", width), number("llama.feed_forward_length", wide),
    number("llama.attention.head_count", 32), number("llama.attention.head_count_kv", 8), number("llama.context_length", 131_072),
    words("tokenizer.ggml.tokens", Array.from({ length: vocabulary }, (_, at) => `word${at}`)),
  ];
  return write(where, metadata, tensors);
}

/**
 * Writes a model of 60,000 tensors: in each of 300 layers the gate and the up projection of 100 experts, each of 8,192
 * bytes. Only `largest` has 16,384. Returns its length, its number of tensors and how many are in one layer.
 */
export function writeManyTensors(where) {
  const [layers, experts, width] = [300, 100, 64];
  const largest = "blk.7.ffn_up.3.weight";
  const tensors = [];
  for (let layer = 0; layer < layers; layer += 1) {
    for (let expert = 0; expert < experts; expert += 1) {
      for (const role of ["ffn_gate", "ffn_up"]) {
        const name = `blk.${layer}.${role}.${expert}.weight`;
        tensors.push([name, [width, name === largest ? 2 * width : width], "f16"]);
      }
    }
  }
  const metadata = [text("general.architecture", "llama"), text("general.name", "Made, of 60,000 tensors"), number("llama.block_count", layers)];
  return { ...write(where, metadata, tensors), inLayer: 2 * experts, largest };
}

function write(where, metadata, tensors) {
  let offset = 0;
  const infos = tensors.map(([name, sizes, dtype]) => {
    const kind = TYPES[dtype];
    const info = Buffer.concat([string(name), u32(sizes.length), ...sizes.map(u64), u32(kind.type), u64(offset)]);
    const bytes = (sizes.reduce((product, size) => product * size, 1) / kind.block) * kind.bytes;
    offset += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return info;
  });
  const header = Buffer.concat([Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(metadata.length), ...metadata, ...infos]);
  const length = Math.ceil(header.length / ALIGNMENT) * ALIGNMENT + offset;
  mkdirSync(path.dirname(where), { recursive: true });
  const file = openSync(where, "w");
  writeSync(file, header);
  ftruncateSync(file, length);
  closeSync(file);
  return { length, tensors: tensors.length };
}
