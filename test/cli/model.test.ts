import { lineOf, type Invocation } from "../../src/base/invocation.js";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import { assert, inTemporaryFolder, pluck, shared, test, testWithShared } from "../support/test.js";
import { jsonFile } from "../support/model-exports.js";
import { onnxModel } from "../../src/inference/onnx-graph.js";
import { lookupGraph } from "../support/transformers.js";
import {
  encoderExport,
  halfEncoderGraph,
  scorerExport,
  scorerGraph,
  width,
  writeExport,
} from "../support/transformer-exports.js";
import { inWorld, jsonInWorld } from "./support/test-world.js";

interface Described {
  readonly result: {
    readonly written: boolean;
    readonly differs: readonly string[];
    readonly document: EncoderRetrieverModel | CrossEncoderModel | null;
    readonly dir_hash1: string | null;
    readonly missing: readonly { readonly field: string }[];
    readonly other_graphs: readonly string[];
  };
  readonly gates: readonly { readonly name: string; readonly verdict: string; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly next: readonly Invocation[];
}

const describe = (folder: string, ...args: readonly string[]) =>
  jsonInWorld<Described>("model", "describe", folder, ...args);
const description = (folder: string): string => join(folder, "router_model.json");
/** A folder with the files of an export, removed at the end. */
async function inExport(files: ReadonlyMap<string, Buffer>, body: (folder: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (parent) => {
    const folder = join(parent, "model");
    await writeExport(folder, files);
    await body(folder);
  });
}

const nli = ["entailment", "neutral", "contradiction"];

test("an encoder is described, and written once", () =>
  inExport(encoderExport(), async (folder) => {
    const shown = await describe(folder);
    assert.is(shown.code, 0);
    assert.not.ok(existsSync(description(folder)), "without --write nothing is written");
    assert.equal(shown.value.next.map(lineOf), [`sluice model describe ${folder} --write`]);

    const written = await describe(folder, "--write");
    assert.is(written.value.result.written, true);
    const bytes = readFileSync(description(folder), "utf8");
    assert.match(bytes, /^\{"capability":"development",/);
    assert.equal(JSON.parse(bytes), shown.value.result.document);
    const { entries } = await readDirectory(folder);
    assert.is(written.value.result.dir_hash1, dirHash1(entries));
    assert.is((await describe(folder, "--write")).value.result.written, false);
  }));

test("a float16 graph is chosen by name and described", () => {
  const files = encoderExport().set("onnx/model_fp16.onnx", halfEncoderGraph());
  return inExport(files, async (folder) => {
    const { code, value } = await describe(folder, "--graph", "onnx/model_fp16.onnx", "--write");
    assert.is(code, 0);
    assert.is(value.result.document?.graph, "onnx/model_fp16.onnx");
    assert.equal(value.result.other_graphs, ["onnx/model.onnx"]);
  });
});

test("another description is named by its fields, and not overwritten without --force", () =>
  inExport(encoderExport(), async (folder) => {
    const { document } = (await describe(folder)).value.result;
    const other = jsonFile({ ...document, pooling: "cls", extra: 1 });
    await writeFile(description(folder), other);
    assert.equal((await describe(folder)).value.result.differs, ["extra", "pooling"]);
    const refused = await inWorld("model", "describe", folder, "--write");
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /FILE_EXISTS: .*router_model.json: differs \(extra, pooling\)/);
    assert.is(readFileSync(description(folder), "utf8"), other.toString());
    const forced = await describe(folder, "--write", "--force");
    assert.equal([forced.code, forced.value.result.written], [0, true]);
    assert.equal(JSON.parse(readFileSync(description(folder), "utf8")), forced.value.result.document);
  }));

test("prefixes from the command line preserve their spaces, and may be empty", () =>
  inExport(encoderExport(), async (folder) => {
    const { value } = await describe(folder, "--query-prefix", "ask: ", "--document-prefix", "");
    assert.equal(value.result.document?.prefix, { query: "ask: ", document: "" });
    assert.equal(value.next.map(lineOf), [
      `sluice model describe ${folder} --query-prefix 'ask: ' --document-prefix '' --write`,
    ]);
  }));

test("open values end with the gate code, are all named, and nothing is written", () =>
  inExport(scorerExport(["LABEL_0", "LABEL_1", "LABEL_2"]), async (folder) => {
    await writeFile(join(folder, "tokenizer_config.json"), "{}");
    await writeFile(join(folder, "config.json"), '{"architectures":["BertForSequenceClassification"]}');
    const open = await describe(folder, "--write");
    assert.is(open.code, 3);
    assert.equal(pluck(open.value.gates, "name"), ["max_tokens", "label_order"]);
    assert.is(open.value.result.document, null);
    assert.not.ok(existsSync(description(folder)));

    const order = "mismatch,needs_input,executable";
    const settled = await describe(folder, "--label-order", order, "--max-tokens", "32");
    assert.is(settled.code, 0);
    const document = settled.value.result.document;
    assert.equal(document?.role === "verifier" && document.label_order, order.split(","));
    assert.equal(settled.value.next.map(lineOf), [
      `sluice model describe ${folder} --label-order ${order} --max-tokens 32 --write`,
    ]);
  }));

test("a graph that returns probabilities is described only with its activation", () =>
  inExport(scorerExport(nli), async (folder) => {
    await writeFile(join(folder, "model.onnx"), scorerGraph({ columns: 3, activation: "Softmax" }));
    const open = await describe(folder, "--write");
    assert.is(open.code, 3);
    assert.equal(open.value.gates, [
      {
        name: "activation",
        verdict: "fail",
        message:
          "every row of the probe lies in [0, 1] and sums to 1, so that the graph already applies a softmax; give --activation softmax",
      },
    ]);
    assert.not.ok(existsSync(description(folder)));
    const raw = await describe(folder, "--activation", "none", "--write");
    assert.is(raw.code, 3);
    const settled = await describe(folder, "--activation", "softmax", "--write");
    assert.is(settled.code, 0);
    const { document } = settled.value.result;
    assert.is(document?.role === "verifier" && document.activation, "softmax");

    await writeFile(join(folder, "model.onnx"), scorerGraph({ columns: 3 }));
    const logits = await describe(folder);
    assert.is(logits.value.result.document?.role === "verifier" && logits.value.result.document.activation, "none");
    const refused = await describe(folder, "--activation", "sigmoid");
    assert.match(refused.value.gates[0]?.message ?? "", /outside of \[0, 1\]; expected --activation none$/);
  }));

test("a graph with a fixed batch or length is refused with the axis, the size and the export that works", () =>
  inExport(encoderExport(), async (folder) => {
    const sized = (...dimensions: readonly (number | string)[]) => {
      const table = { name: "table", dimensions: [200, width], values: new Float32Array(200 * width).fill(1) };
      const graph = lookupGraph(table);
      return onnxModel({ ...graph, inputs: graph.inputs.map((input) => ({ ...input, dimensions })) });
    };
    const graph = join(folder, "onnx", "model.onnx");
    for (const [dimensions, axis] of [
      [[4, "tokens"], "axis 0 (batch) fixed at 4, expected 1 or a size that varies"],
      [["batch", 32], "axis 1 (sequence) fixed at 32, expected a size that varies"],
    ] as const) {
      await writeFile(graph, sized(...dimensions));
      const refused = await inWorld("model", "describe", folder);
      assert.is(refused.code, 2);
      assert.ok(refused.stderr.includes(`MODEL_INVALID: the graph's input input_ids has ${axis}`), refused.stderr);
      assert.match(refused.stderr, /hint +Export the model again with dynamic axes, as/);
    }
    await writeFile(graph, sized(1, "tokens"));
    assert.is((await describe(folder)).code, 0);
  }));

test("a graph that ONNX Runtime refuses is named with its reason, and the hint says what to do with a brought model", () =>
  inExport(encoderExport(), async (folder) => {
    await writeFile(join(folder, "onnx", "model.onnx"), Buffer.alloc(0));
    const { code, value } = await jsonInWorld<{
      error: { message: string; hint: string; details: { reason: string } };
    }>("model", "describe", folder);
    assert.is(code, 2);
    const { message, hint, details } = value.error;
    assert.is(message, `ONNX Runtime refused the graph: ${details.reason}`);
    assert.ok(details.reason.length > 10, details.reason);
    assert.match(hint, "export your own model again");
  }));

test("a folder that is no export is refused", () =>
  inExport(encoderExport(), async (folder) => {
    await rm(join(folder, "tokenizer.json"));
    const refused = await inWorld("model", "describe", folder);
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /MODEL_INVALID: no tokenizer.json among 7 files/);
    assert.is((await inWorld("model", "describe", join(folder, "nowhere"))).code, 2);
  }));

testWithShared(test, "the trained encoder needs a pooling", () =>
  inTemporaryFolder(async (cwd) => {
    cpSync(shared("models", "tiny-bert-retriever"), join(cwd, "tiny"), { recursive: true });
    const open = await describe(join(cwd, "tiny"));
    assert.is(open.code, 3);
    assert.equal(pluck(open.value.result.missing, "field"), ["pooling"]);
    assert.equal(open.value.result.other_graphs, ["onnx/model_quantized.onnx"]);
    const described = await describe(join(cwd, "tiny"), "--pooling", "mean", "--write");
    assert.is(described.code, 0);
  }),
);

testWithShared(test, "the trained verifier is one relevance score", () =>
  inTemporaryFolder(async (cwd) => {
    cpSync(shared("models", "interaction-verifier"), join(cwd, "verifier"), { recursive: true });
    const { code, value } = await describe(join(cwd, "verifier"), "--write");
    const document = value.result.document;
    assert.is(code, 0);
    assert.equal(document?.role === "verifier" && document.label_order, ["relevance"]);
  }),
);
