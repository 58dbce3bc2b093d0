import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import { counted } from "../../src/documents/number-text.js";
import { SluiceError } from "../../src/base/error.js";
import { TextTokenizer } from "../../src/inference/tokenizer/text-tokenizer.js";
import { type ModelFiles, modelFile } from "../../src/router/retrieval/model-files.js";
import type { ModelRuntime } from "./check-runs.js";
import { failed, type ModelCheck, ok, spreadText } from "./model-check.js";
import { pairsJob, textsJob, largestDifference, scopeOf, probeSpec } from "./probe-model.js";
import { type Static, Type } from "../../src/base/typebox.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { object } from "../../src/documents/primitives.js";

type Described = EncoderRetrieverModel | CrossEncoderModel;

export interface Expectations extends ExpectedFile {
  /** Maximum difference at which two numbers count as equal. */
  readonly tolerance: number;
}

const namedLines = 10;

/**
 * Compares token ids and outputs with those of the library that exported the model. Outputs are compared only if the
 * tokens agree.
 * @throws {SluiceError} DOCUMENT_INVALID  the file is invalid; MODEL_INVALID, MODEL_RUN_FAILED  the model
 *   is
 */
export async function checkExpected(
  files: ModelFiles,
  described: Described,
  expectations: Expectations,
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  const rows = readExpectedRows(expectations);
  requireForm(rows, described, expectations.file);
  const ids = tokenIdsOf(files, described);
  const withIds = rows.filter(({ input_ids }) => input_ids !== undefined);
  const cutOtherwise = new Set(withIds.filter((row) => !isEqual(ids(row), row.input_ids)));
  const withOutput = rows.filter((row) => row.output !== undefined && !cutOtherwise.has(row));
  return [
    ...(withIds.length === 0 ? [] : [checkTokens(withIds, [...cutOtherwise])]),
    ...(withOutput.length === 0
      ? []
      : [await checkOutputs(files, described, withOutput, { ...expectations, runtime })]),
  ];
}

function requireForm(rows: readonly ExpectedRow[], { kind }: Described, file: string): void {
  const isPair = kind === "cross_encoder";
  const other = rows.find(({ document }) => (document !== undefined) !== isPair);
  if (other === undefined) return;
  const [found, expected] = isPair ? ["a text alone", "a text and a document"] : ["a document", "a text alone"];
  throw new SluiceError("DOCUMENT_INVALID", `${file}: line ${other.line}: found ${found}, expected ${expected}`);
}

function tokenIdsOf(files: ModelFiles, described: Described): (row: ExpectedRow) => readonly number[] {
  const tokenizer = new TextTokenizer(modelFile(files, described.tokenizer, described.role));
  return ({ text, document }) => {
    if (document === undefined) return tokenizer.encodeText(text, described.max_tokens).ids;
    return tokenizer.encodePair(tokenizer.segment(text), tokenizer.segment(document), described.max_tokens).ids;
  };
}

function checkTokens(rows: readonly ExpectedRow[], different: readonly ExpectedRow[]): ModelCheck {
  const name = "expected tokens";
  if (different.length === 0) return ok(name, `equal for ${counted(rows.length, "text")}`);
  const lines = different.slice(0, namedLines).map(({ line }) => line);
  const more = different.length > namedLines ? ", ..." : "";
  return failed(
    name,
    `others for ${different.length} of ${rows.length} (line ${lines.join(", ")}${more})`,
    "equal ids",
  );
}

async function checkOutputs(
  files: ModelFiles,
  described: Described,
  rows: readonly ExpectedRow[],
  { tolerance, runtime }: Expectations & { readonly runtime: ModelRuntime },
): Promise<ModelCheck> {
  const outputs = await outputsOf(files, described, rows, runtime);
  const columns = outputs[0]?.length ?? 0;
  const odd = rows.find(({ output = [] }) => output.length !== columns);
  if (odd !== undefined) {
    return failed("expected output", `${columns} numbers`, `${odd.output?.length} in line ${odd.line}`);
  }
  const differences = rows.map(({ output = [] }, index) =>
    largestDifference([Float32Array.from(output)], outputs.slice(index, index + 1)),
  );
  const largest = Math.max(...differences);
  const found = `differs by at most ${spreadText(largest)} in ${counted(rows.length, "text")}`;
  if (largest <= tolerance) return ok("expected output", found);
  const { line } = rows[differences.indexOf(largest)] ?? { line: 0 };
  return failed("expected output", `${found}, most in line ${line}`, `at most ${spreadText(tolerance)}`);
}

async function outputsOf(
  files: ModelFiles,
  described: Described,
  rows: readonly ExpectedRow[],
  { pool, signal }: ModelRuntime,
): Promise<readonly Float32Array[]> {
  const spec = probeSpec(files, described);
  const documents = rows.map(({ document }) => document ?? "");
  const loaded = await pool.load(spec.kind === "pair_scorer" ? { ...spec, documents } : spec);
  const outputs: Float32Array[] = [];
  for (const [index, { text }] of rows.entries()) {
    const job = spec.kind === "pair_scorer" ? pairsJob(text, [index]) : textsJob([text]);
    const { matrix } = await loaded.run(job, scopeOf(signal));
    outputs.push(matrix.values);
  }
  return outputs;
}

const isEqual = (a: readonly number[], b: readonly number[] = []): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

const RowSchema = object({
  text: Type.String(),
  document: Type.Optional(Type.String()),
  input_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })),
  output: Type.Optional(Type.Array(Type.Number(), { minItems: 1 })),
});

/** Output of the exporting library for a text, or for a text and a document. */
interface ExpectedRow extends Static<typeof RowSchema> {
  /** 1-based line in the file. */
  readonly line: number;
}

/** A file of expected outputs: its name (for messages) and its bytes. */
interface ExpectedFile {
  readonly file: string;
  readonly bytes: Buffer;
}

/**
 * Rows of a JSON Lines file, such as {"text": "stop", "input_ids": [101, 2644, 102], "output": [0.01, -0.03]}. Texts
 * include the prefixes of the model.
 * @throws {SluiceError} DOCUMENT_INVALID  with the line, never with a text
 */
function readExpectedRows({ file, bytes }: ExpectedFile): readonly ExpectedRow[] {
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((text, index) => (text.trim() === "" ? [] : [readRow(text, file, index + 1)]));
  if (rows.length > 0) return rows;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: found no line, expected one for each text`);
}

function readRow(text: string, file: string, line: number): ExpectedRow {
  const row = checkSchema(RowSchema, parseLine(text, file, line), `${file}: line ${line}`, "DOCUMENT_INVALID");
  if (row.input_ids !== undefined || row.output !== undefined) return { ...row, line };
  throw new SluiceError("DOCUMENT_INVALID", `${file}: line ${line}: found neither input_ids nor output, expected one`);
}

function parseLine(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: line ${line} is not well-formed JSON`, { cause });
  }
}
