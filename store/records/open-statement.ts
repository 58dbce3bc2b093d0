import { readStrictJson } from "../../src/trust/strict-json.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { EnvelopeSchema, type Statement, StatementSchema } from "../../src/documents/signed.js";

/** The signed bytes of an envelope in the history, and their statement. No signature is verified here. */
export function openStatement(
  envelopeBytes: Buffer,
  name: string,
): { readonly payload: Buffer; readonly statement: Statement } {
  const envelope = checkSchema(EnvelopeSchema, readStrictJson(envelopeBytes, name), name);
  const payload = Buffer.from(envelope.payload, "base64");
  return { payload, statement: checkSchema(StatementSchema, readStrictJson(payload, name), name) };
}
