import { optionsOf, requireOptions } from "./checked-options.js";
import { nextRevocations, revocationsStatement } from "../release/signing/statements.js";
import { signStatement, type Signer } from "../release/signing/sign-statement.js";
import { existsSync, readFileSync } from "node:fs";
import { SluiceError } from "../src/base/error.js";
import { parseTrustPolicy, type TrustStore } from "../src/trust/trust-policy.js";
import { openRevocations, revokedBy } from "../src/trust/verify/revocations.js";
import { type StagedFile, stageFile, readStoredIfThere } from "../src/base/files.js";
import { type Sha256, sha256Hex } from "../src/base/sha256.js";
import { checkSchema } from "../src/documents/check-schema.js";
import { Sha256Schema } from "../src/documents/primitives.js";
import type { RevocationKind, RevocationList } from "../src/documents/signed.js";
import { getBlob, latestEntry, resolveRecord } from "../store/history/read.js";
import { inTransaction } from "../store/history/write.js";
import { saveRecord, type Session, withHistory } from "../store/records/session.js";
import { utcSeconds } from "../src/base/text.js";
import { storedLists } from "../release/stored-statements.js";
import { openStatement } from "../store/records/open-statement.js";
import { readManifest, readTrust, revocationsPath } from "../release/read-signed.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { openSigner, type SignerSource } from "./sign.js";

/**
 * What to revoke. `id` is the id of a bundle or an approval or its beginning, the digest of a file or of a model
 * directory for an artifact, or the id of a key. A full bundle id needs no history, so that a revoker can act on any
 * machine.
 */
export interface RevocationTarget {
  readonly kind: RevocationKind;
  readonly id: string;
}

export interface RevokeOptions {
  /** Targets; an empty list renews the revocation list. */
  readonly targets: readonly RevocationTarget[];
  /** Person who signs, a revoker in the trust policy. */
  readonly revoker: string;
  readonly signer: SignerSource;
  /** Reason for the revocation, which is also signed. Default "". */
  readonly reason?: string | undefined;
  /** Time until the next list is due, in seconds, > 0. Default 30 days. */
  readonly validForSec?: number;
  /** Trust policy. Default: trust.json of the workspace. */
  readonly trustFile?: string | undefined;
  /** List to continue. Default: revocations.json next to the trust policy. */
  readonly revocationsFile?: string | undefined;
  /** Time stated in the list, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

export interface WrittenRevocations {
  readonly file: string;
  readonly list: RevocationList;
  /** New entries of the list, without targets that were already revoked. */
  readonly added: RevocationList["revoked"];
  readonly entry: number;
  readonly warnings: readonly string[];
}

/**
 * Maximum number of attempts to create a list. An attempt is repeated if another process recorded a list in the
 * meantime.
 */
const mostAttempts = 200;

const revokeTargetsOptions = optionsOf<RevokeOptions>()({
  list: ["targets"],
  string: ["revoker", "reason", "trustFile", "revocationsFile"],
  "object|function": ["signer"],
  number: ["validForSec", "atMs"],
});

/**
 * Revokes bundles, approvals, files or keys by signing the next revocation list. It contains every revocation of the
 * workspace's history and of the file that it replaces. The list is either recorded in the history and written to the
 * file, or neither. Simultaneous calls run one after another. The history is created if there is none.
 *
 * @example await revokeTargets(workbench, { targets: [{ kind: "bundle", id: bundleId }], revoker: "bo", signer,
 *   reason: "mistake" });
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, ROLE_MISMATCH, SIGNATURE_INVALID,
 *   VALIDITY_INVALID, WRITE_FAILED, DB_BUSY; DOCUMENT_INVALID  the digest of a file or the id of a key is not 64
 *   hex digits
 */
export async function revokeTargets(workbench: WorkbenchContext, options: RevokeOptions): Promise<WrittenRevocations> {
  requireOptions("revokeTargets", options, revokeTargetsOptions);
  const trust = parseTrustPolicy(await readTrust(workbench, options.trustFile));
  const now = new Date(options.atMs ?? workbench.clock());
  const { reason = "" } = options;
  const add: Addition[] = [];
  for (const { kind, id } of options.targets) add.push({ kind, sha256: await digestOf(workbench, kind, id), reason });
  const file = revocationsPath(workbench, options);
  const before = await readStoredIfThere(file, { followLinks: true });
  if (before !== null) openRevocations(before, trust, now, file);
  const signer = await openSigner(options.signer);
  const attempt = { options, trust, now, file, add, signer };
  return withHistory(workbench, "write", async (session) => {
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const written = await tryToRevoke(session, attempt);
      if (written !== null) return written;
    }
    throw new SluiceError("DB_BUSY", `${workbench.workspace.history}: other processes keep revoking`);
  });
}

type Addition = Pick<RevocationList["revoked"][number], "kind" | "sha256" | "reason">;

interface Attempt {
  readonly options: RevokeOptions;
  readonly trust: TrustStore;
  readonly now: Date;
  readonly file: string;
  readonly add: readonly Addition[];
  readonly signer: Signer;
}

async function tryToRevoke(session: Session, attempt: Attempt): Promise<WrittenRevocations | null> {
  const { options, trust, now, file, add, signer } = attempt;
  const latest = latestEntry(session.history, "revocation")?.seq;
  const fileBytes = await readStoredIfThere(file, { followLinks: true });
  const ofFile = fileBytes === null ? [] : [openRevocations(fileBytes, trust, now, file).predicate];
  const kept = storedLists(session.history, trust);
  const list = nextRevocations([...kept.lists, ...ofFile], {
    revoker: options.revoker,
    issuedAt: utcSeconds(now.getTime()),
    nextUpdate: utcSeconds(now.getTime() + (options.validForSec ?? 30 * 86_400) * 1000),
    add,
  });
  const { envelopeBytes } = await signStatement(revocationsStatement(list), signer);
  openRevocations(envelopeBytes, trust, now, file);
  const staged = await stageFile(file, envelopeBytes, 0o644);
  try {
    const entry = inTransaction(session.history, () => {
      const isOvertaken = latestEntry(session.history, "revocation")?.seq !== latest || !hasContent(file, fileBytes);
      if (isOvertaken) return null;
      return saveRecord({ ...session, actor: options.revoker }, "revocation", envelopeBytes).seq;
    });
    // The list is now recorded in the history, and every later list contains it.
    if (entry === null || !inTransaction(session.history, () => publish(staged, list, attempt))) return null;
    const added = list.revoked.filter(({ sequence }) => sequence === list.sequence);
    return { file, list, added, entry, warnings: kept.warnings };
  } finally {
    staged.discard();
  }
}

/** Writes the list unless a later one exists. @returns  false if the file lacks revocations of the list */
function publish(staged: StagedFile, list: RevocationList, { trust, now, file }: Attempt): boolean {
  const present = existsSync(file) ? openRevocations(readFileSync(file), trust, now, file) : null;
  if (present !== null && present.predicate.sequence >= list.sequence) {
    const isRevoked = revokedBy(present);
    return list.revoked.every(({ kind, sha256 }) => isRevoked(kind, sha256));
  }
  staged.place();
  return true;
}

function hasContent(file: string, bytes: Buffer | null): boolean {
  if (bytes === null) return !existsSync(file);
  return existsSync(file) && readFileSync(file).equals(bytes);
}

/**
 * The digest to revoke. An approval is revoked by its signed bytes, because anyone can write a new envelope for them.
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
