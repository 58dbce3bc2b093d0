import { createHash } from "node:crypto";

/**
 * A SHA-256 digest as 64 lower-case hex digits: computed by `sha256Hex`, or read from a document and validated by its
 * schema.
 */
export type Sha256 = string & { readonly "is a sha256": true };

/** SHA-256 of bytes, or of the UTF-8 form of a text, as 64 lower-case hex digits. */
export function sha256Hex(content: Uint8Array | string): Sha256 {
  return createHash("sha256").update(content).digest("hex") as Sha256;
}
