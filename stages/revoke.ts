import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { revokeTargetsOptions } from "./options/release.js";
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
import { openSigner } from "../release/signing/sign-statement.js";

export type RevokeOptions = OptionsOf<typeof revokeTargetsOptions>;

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

/**
 * Revokes bundles, approvals, files or keys by signing the next revocation list. It contains every revocation of the
 * workspace's history and of the file that it replaces. The list is either recorded in the history and written to the
 * file, or neither. A full bundle id needs no history. Simultaneous calls run one after another. The history is created if there is none.
 *
 * @example await revokeTargets(workbench, { bundle: [bundleId], revoker: "bo", signer, reason: "mistake" });
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, ROLE_MISMATCH, SIGNATURE_INVALID,
 *   VALIDITY_INVALID, WRITE_FAILED, DB_BUSY; DOCUMENT_INVALID  the digest of a file or the id of a key is not 64
 *   hex digits
 */
export async function revokeTargets(workbench: WorkbenchContext, options: RevokeOptions): Promise<WrittenRevocations> {
  const given = resolveOptions("revokeTargets", revokeTargetsOptions, options);
  const { artifact, keyId: key, bundle, approval, reason = "" } = given;
  const trust = parseTrustPolicy(await readTrust(workbench, given.trust));
  const now = new Date(given.atMs ?? workbench.clock());
  const add: Addition[] = [];
  // In the order used by revocation lists.
  for (const [kind, ids] of Object.entries({ artifact, key, bundle, approval }) as [
    RevocationKind,
    readonly string[],
  ][]) {
    for (const id of ids) add.push({ kind, sha256: await digestOf(workbench, kind, id), reason });
  }
  const file = revocationsPath(workbench, given);
  const before = await readStoredIfThere(file, { followLinks: true });
  if (before !== null) openRevocations(before, trust, now, file);
  const signer = await openSigner(given.signer);
  const attempt = { options: given, trust, now, file, add, signer };
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
  readonly options: ValuesOf<typeof revokeTargetsOptions>;
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
    nextUpdate: utcSeconds(now.getTime() + options.validFor * 1000),
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
