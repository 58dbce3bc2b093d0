import { nextRevocations, revocationsStatement } from "../signing/revocations-statement.js";
import { signStatement } from "../signing/sign-statement.js";
import { parseTrustPolicy } from "../../src/artifacts/trust-policy.js";
import { openRevocations } from "../../src/artifacts/verify/revocations.js";
import { replaceFile } from "../../src/artifacts/write-new-file.js";
import { type Sha256, sha256Hex } from "../../src/digest/sha256.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { Sha256Schema } from "../../src/domain/primitives.js";
import type { RevocationKind, RevocationsPredicateWire } from "../../src/domain/signed.js";
import { getBlob, resolveRecord } from "../history/read.js";
import { utcSeconds } from "../records/timestamp.js";
import { withHistory } from "../records/with-history.js";
import { type KeptSigned, keepSigned } from "../release/keep-signed.js";
import { openStatement } from "../release/open-statement.js";
import { readManifest } from "../release/read-manifest.js";
import { readIfThere, revocationsFile } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { namesOf } from "../release/decision-judge.js";
import { openSigner, type SignerSource } from "./sign-manifest.js";

/**
 * What to revoke. `id`: for a bundle or an approval the id or its beginning, for an artifact the digest of a file or
 * of a model directory, for a key its id. A whole bundle id needs no history, so that any revoker can act anywhere.
 */
export interface RevocationTarget {
  readonly kind: RevocationKind;
  readonly id: string;
}

/** What to revoke, and who signs. */
export interface RevokeOptions {
  /** Nothing to revoke renews the list. */
  readonly targets: readonly RevocationTarget[];
  /** Who signs; a revoker of the trust policy. */
  readonly revoker: string;
  readonly signer: SignerSource;
  /** Why; it is signed too. Default "". */
  readonly reason?: string | undefined;
  /** When the next list is due, in seconds from now, above 0. Default 30 days. */
  readonly validForSec?: number;
  /** Default: trust.json of the workspace. */
  readonly trustFile?: string | undefined;
  /** List to continue. Default: revocations.json next to the trust policy. */
  readonly revocationsFile?: string | undefined;
  /** Time that the list carries, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

/** A revocation list that was signed and written. */
export interface WrittenRevocations extends KeptSigned {
  readonly file: string;
  readonly list: RevocationsPredicateWire;
  /** Entries of the list that are new; targets that were revoked already are not among them. */
  readonly added: RevocationsPredicateWire["revoked"];
}

/**
 * Revokes bundles, approvals, files or keys by signing and replacing the revocation list. A history that cannot be
 * written is a warning, because stopping a bundle must not depend on it.
 *
 * @example await revokeTargets(workbench, { targets: [{ kind: "bundle", id: bundleId }], revoker: "bo", signer,
 *   reason: "mistake" });
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, ROLE_MISMATCH, SIGNATURE_INVALID,
 *   VALIDITY_ORDER, WRITE_FAILED; SCHEMA_INVALID  the digest of a file or the id of a key is not 64 hex digits
 */
export async function revokeTargets(workbench: WorkbenchContext, options: RevokeOptions): Promise<WrittenRevocations> {
  const { revoker, reason = "", validForSec = 30 * 86_400 } = options;
  const trust = parseTrustPolicy(await readTrust(workbench, options.trustFile));
  const now = new Date(options.atMs ?? workbench.clock());
  const file = revocationsFile(workbench, namesOf(options));
  const bytes = await readIfThere(file);
  const before = bytes === null ? null : openRevocations(bytes, trust, now, file);
  const add = [];
  for (const { kind, id } of options.targets) add.push({ kind, sha256: await digestOf(workbench, kind, id), reason });
  const list = nextRevocations(before?.predicate ?? null, {
    revoker,
    issuedAt: utcSeconds(now.getTime()),
    nextUpdate: utcSeconds(now.getTime() + validForSec * 1000),
    add,
  });
  const { envelopeBytes } = await signStatement(revocationsStatement(list), await openSigner(options.signer));
  openRevocations(envelopeBytes, trust, now, file);
  await replaceFile(file, envelopeBytes, 0o644);
  const kept = await keepSigned(workbench, { kind: "revocation", actor: revoker, bytes: envelopeBytes });
  return { ...kept, file, list, added: list.revoked.filter(({ sequence }) => sequence === list.sequence) };
}

/**
 * The digest to revoke. An approval is revoked by its signed bytes, because anybody can write a new envelope around
 * them.
 */
async function digestOf(workbench: WorkbenchContext, kind: RevocationKind, id: string): Promise<Sha256> {
  if (kind === "bundle" && id.length < 64) {
    return withHistory(workbench, "read", async ({ history }) => readManifest(history, id).bundleId);
  }
  if (kind !== "approval") return checkSchema(Sha256Schema, id, `${kind} to revoke`);
  return withHistory(workbench, "read", async ({ history }) => {
    const { sha256 } = resolveRecord(history, "approval", id);
    return sha256Hex(openStatement(getBlob(history, sha256), "approval").payload);
  });
}
