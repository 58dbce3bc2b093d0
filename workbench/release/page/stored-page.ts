import { type ReleasePage, releasePageEvidence, ReleasePageSchema } from "../../../reports/release/release-page.js";
import { readStrictJson } from "../../../src/artifacts/strict-json.js";
import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { type Sha256, sha256Hex } from "../../../src/digest/sha256.js";
import { checkSchema } from "../../../src/domain/check-schema.js";
import type { History } from "../../history/open.js";
import { getBlob } from "../../history/read.js";
import type { KeptManifest } from "../read-manifest.js";
import { buildReleasePage } from "./build-release-page.js";

/** The part of a release page that is signed. */
export interface StoredPage {
  readonly page: ReleasePage;
  /** SHA-256 of its canonical form: what an approver signs. */
  readonly sha256: Sha256;
  /** Whether the producer signed it as evidence of the manifest. */
  readonly signedByProducer: boolean;
}

/**
 * The page of a manifest: the one that its producer signed; for a manifest from before release pages, the page built
 * from its records.
 * @throws {SluiceError} RECORD_NOT_FOUND; SCHEMA_INVALID  the stored page is of another version
 */
export function storedPage(history: History, { predicate }: KeptManifest): StoredPage {
  const signed = predicate.evidence.find(({ name }) => name === releasePageEvidence);
  if (signed === undefined) {
    const page = buildReleasePage(history, predicate);
    return { page, sha256: sha256Hex(canonicalBytes(page)), signedByProducer: false };
  }
  const content = readStrictJson(getBlob(history, signed.sha256), releasePageEvidence);
  const page = checkSchema(ReleasePageSchema, content, releasePageEvidence);
  return { page, sha256: signed.sha256, signedByProducer: true };
}
