import { cpSync, existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dirHash1, readDirectory } from "../../src/artifacts/directory-hash.js";
import type { CrossEncoderWire, EncoderRetrieverWire } from "../../src/domain/model.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { jsonFile } from "../support/model-exports.js";
import { shared, testWithShared } from "../support/shared.js";
import { encoderExport, scorerExport, writeExport } from "../support/transformer-exports.js";
import { sluice } from "./support/sluice.js";

const test = suite("cli/model");

interface Described {
  readonly result: {
    readonly written: boolean;
    readonly document: EncoderRetrieverWire | CrossEncoderWire | null;
    readonly dir_hash1: string | null;
    readonly missing: readonly { readonly field: string }[];
    readonly other_graphs: readonly string[];
    readonly measured: {
      readonly batch_spread: number;
      readonly timings: readonly { readonly batch: number }[];
    } | null;
  };
  readonly gates: readonly { readonly name: string; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly next: readonly string[];
}

interface Checked {
  readonly result: {
    readonly dir_hash1: string;
    readonly checks: readonly { readonly name: string; readonly status: string; readonly found: string }[];
  };
  readonly gates: readonly { readonly name: string }[];
}

async function run<T>(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly value: T }> {
  const { code, stdout } = await sluice([...args, "--json"], { cwd });
  return { code, value: JSON.parse(stdout) as T };
}

const describe = (cwd: string, ...args: readonly string[]) => run<Described>(cwd, "model", "describe", ...args);
const check = (cwd: string, folder: string) => run<Checked>(cwd, "model", "check", folder);

const description = (cwd: string, folder: string): string => join(cwd, folder, "router_model.json");
const statusOf = (checked: Checked, name: string): string | undefined =>
  checked.result.checks.find((one) => one.name === name)?.status;

test("an encoder is described, written once, and checked", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "encoder"), encoderExport());
    const shown = await describe(cwd, "encoder");
    assert.is(shown.code, 0);
    assert.not.ok(existsSync(description(cwd, "encoder")), "without --write nothing is written");
    assert.equal(shown.value.next, ["sluice model describe encoder --write"]);
    assert.equal(
      shown.value.result.measured?.timings.map(({ batch }) => batch),
      [1, 8, 32],
    );

    const written = await describe(cwd, "encoder", "--write");
    assert.is(written.value.result.written, true);
    const bytes = readFileSync(description(cwd, "encoder"), "utf8");
    assert.match(bytes, /^\{"batching":"shared","capability":"development",/);
    assert.equal(JSON.parse(bytes), shown.value.result.document);
    const { entries } = await readDirectory(join(cwd, "encoder"));
    assert.is(written.value.result.dir_hash1, dirHash1(entries));
    assert.is((await describe(cwd, "encoder", "--write")).value.result.written, false);

    const checked = await check(cwd, "encoder");
    assert.is(checked.code, 0);
    assert.is(checked.value.result.dir_hash1, dirHash1(entries));
    assert.ok(checked.value.result.checks.every(({ status }) => status === "ok"));
  }));

test("another description is not overwritten without --force", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "encoder"), encoderExport());
    await writeFile(description(cwd, "encoder"), "{}");
    const refused = await sluice(["model", "describe", "encoder", "--write"], { cwd });
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /FILE_EXISTS: encoder\/router_model.json/);
    assert.is(readFileSync(description(cwd, "encoder"), "utf8"), "{}");
    const forced = await describe(cwd, "encoder", "--write", "--force");
    assert.equal([forced.code, forced.value.result.written], [0, true]);
    assert.equal(JSON.parse(readFileSync(description(cwd, "encoder"), "utf8")), forced.value.result.document);
  }));

test("prefixes from the command line keep their spaces, and may be empty", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "encoder"), encoderExport());
    const { value } = await describe(cwd, "encoder", "--query-prefix", "ask: ", "--document-prefix", "");
    assert.equal(value.result.document?.prefix, { query: "ask: ", document: "" });
    assert.equal(value.next, ["sluice model describe encoder --query-prefix 'ask: ' --document-prefix '' --write"]);
  }));

test("open values end with the gate code, are all named, and nothing is written", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "scorer"), scorerExport(["LABEL_0", "LABEL_1", "LABEL_2"]));
    await writeFile(join(cwd, "scorer", "tokenizer_config.json"), "{}");
    await writeFile(join(cwd, "scorer", "config.json"), '{"architectures":["BertForSequenceClassification"]}');
    const open = await describe(cwd, "scorer", "--write");
    assert.is(open.code, 3);
    assert.equal(
      open.value.gates.map(({ name }) => name),
      ["max_tokens", "label_order"],
    );
    assert.is(open.value.result.document, null);
    assert.not.ok(existsSync(description(cwd, "scorer")));

    const order = "mismatch,needs_input,executable";
    const settled = await describe(cwd, "scorer", "--label-order", order, "--max-tokens", "32");
    assert.is(settled.code, 0);
    const document = settled.value.result.document;
    assert.equal(document?.role === "verifier" && document.label_order, order.split(","));
    assert.equal(settled.value.next, [`sluice model describe scorer --label-order ${order} --max-tokens 32 --write`]);
  }));

test("a verifier whose rows depend on their batch is told to run alone", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "scorer"), scorerExport(["entailment", "neutral", "contradiction"], "ReduceMean"));
    const { value } = await describe(cwd, "scorer");
    assert.is(value.result.document?.batching, "alone");
    assert.ok((value.result.measured?.batch_spread ?? 0) > 1e-5);
  }));

test("every failed comparison is a gate, for a person with what was found and expected", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "scorer"), scorerExport(["entailment", "neutral", "contradiction"]));
    const { value } = await describe(cwd, "scorer", "--write");
    const wrong = { ...value.result.document, label_order: ["contradiction", "neutral", "entailment"], max_tokens: 64 };
    await writeFile(description(cwd, "scorer"), jsonFile(wrong));
    const checked = await check(cwd, "scorer");
    assert.is(checked.code, 3);
    assert.equal(
      checked.value.gates.map(({ name }) => name),
      ["label order", "token limit"],
    );
    const shown = await sluice(["model", "check", "scorer"], { cwd });
    assert.is(shown.code, 3);
    assert.match(shown.stdout, /label order +failed +contradiction,neutral,entailment; expected entailment,neutral,/);
  }));

test("a folder that is no export, and one without a description, are refused with the next step", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "encoder"), encoderExport());
    const unchecked = await sluice(["model", "check", "encoder"], { cwd });
    assert.is(unchecked.code, 2);
    assert.match(unchecked.stderr, /hint .*sluice model describe/);
    await rm(join(cwd, "encoder", "tokenizer.json"));
    const refused = await sluice(["model", "describe", "encoder"], { cwd });
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /MODEL_INVALID: no tokenizer.json among 7 files/);
    assert.is((await sluice(["model", "describe", "nowhere"], { cwd })).code, 2);
  }));

testWithShared(test, "the trained encoder needs a pooling, and its int8 graph runs alone", () =>
  inTemporaryFolder(async (cwd) => {
    cpSync(shared("models", "tiny-bert-retriever"), join(cwd, "tiny"), { recursive: true });
    const open = await describe(cwd, "tiny");
    assert.is(open.code, 3);
    assert.equal(
      open.value.result.missing.map(({ field }) => field),
      ["pooling"],
    );
    assert.equal(open.value.result.other_graphs, ["onnx/model_quantized.onnx"]);
    const int8 = await describe(cwd, "tiny", "--pooling", "mean", "--graph", "onnx/model_quantized.onnx");
    assert.is(int8.value.result.document?.batching, "alone");
    const fp32 = await describe(cwd, "tiny", "--pooling", "mean", "--write");
    assert.is(fp32.value.result.document?.batching, "shared");
    const checked = await check(cwd, "tiny");
    assert.is(checked.code, 0);
    assert.is(statusOf(checked.value, "precision"), "note");
    assert.is(statusOf(checked.value, "other files"), "note");
  }),
);

testWithShared(test, "the trained verifier is one relevance score", () =>
  inTemporaryFolder(async (cwd) => {
    cpSync(shared("models", "interaction-verifier"), join(cwd, "verifier"), { recursive: true });
    const { code, value } = await describe(cwd, "verifier", "--write");
    const document = value.result.document;
    assert.is(code, 0);
    assert.equal(document?.role === "verifier" && document.label_order, ["relevance"]);
    assert.is((await check(cwd, "verifier")).code, 0);
  }),
);

test.run();
