import { type ReleasePage, releasePageEvidence, ReleasePageSchema } from "../../reports/release/release-page.js";
import { readStrictJson } from "../../src/trust/strict-json.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { getBlob } from "../../store/history/read.js";
import type { StoredManifest } from "../read-signed.js";

export interface StoredPage {
  readonly page: ReleasePage;
  /** SHA-256 of its canonical form: what an approver signs. */
  readonly sha256: Sha256;
}

/**
 * Reads the release page that the producer of a manifest signed as evidence.
 * @throws {SluiceError} RECORD_NOT_FOUND  the manifest names no page, or the history lacks it; DOCUMENT_INVALID
 */
export function storedPage(history: History, { predicate }: StoredManifest): StoredPage {
  const signed = predicate.evidence.find(({ name }) => name === releasePageEvidence);
  if (signed === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", `the manifest names no ${releasePageEvidence} among its evidence`, {
      hint: say`Sign another manifest: ${command`sluice manifest create`}`,
    });
  }
  const content = readStrictJson(getBlob(history, signed.sha256), releasePageEvidence);
  const page = checkSchema(ReleasePageSchema, content, releasePageEvidence);
  return { page, sha256: signed.sha256 };
}
