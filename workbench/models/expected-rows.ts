import { type Static, Type } from "typebox";
import { checkSchema } from "../../src/domain/check-schema.js";
import { closed } from "../../src/domain/primitives.js";
import { SluiceError } from "../../src/errors/error.js";

const RowSchema = Type.Object(
  {
    text: Type.String(),
    document: Type.Optional(Type.String()),
    input_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })),
    output: Type.Optional(Type.Array(Type.Number(), { minItems: 1 })),
  },
  closed,
);

/** What the library that a model was exported with makes of a text, or of a text and a document. */
export interface ExpectedRow extends Static<typeof RowSchema> {
  /** Line in the file, from 1. */
  readonly line: number;
}

/** A file of expectations, for people in messages, and its bytes. */
export interface ExpectedFile {
  readonly file: string;
  readonly bytes: Buffer;
}

/**
 * Rows of a JSON Lines file, such as {"text": "stop", "input_ids": [101, 2644, 102], "output": [0.01, -0.03]}. Texts are
 * those that the model reads, prefixes included.
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with the line, never with a text
 */
export function readExpectedRows({ file, bytes }: ExpectedFile): readonly ExpectedRow[] {
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((text, index) => (text.trim() === "" ? [] : [readRow(text, file, index + 1)]));
  if (rows.length > 0) return rows;
  throw new SluiceError("SCHEMA_INVALID", `${file}: found no line, expected one for each text`);
}

function readRow(text: string, file: string, line: number): ExpectedRow {
  const row = checkSchema(RowSchema, parseLine(text, file, line), `${file}: line ${line}`, "SCHEMA_INVALID");
  if (row.input_ids !== undefined || row.output !== undefined) return { ...row, line };
  throw new SluiceError("SCHEMA_INVALID", `${file}: line ${line}: found neither input_ids nor output, expected one`);
}

function parseLine(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${file}: line ${line} is not well-formed JSON`, { cause });
  }
}
