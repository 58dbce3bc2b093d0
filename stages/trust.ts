import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { createTrustOptions, updateTrustOptions } from "./options/trust.js";
import { sha256Hex } from "../src/base/sha256.js";
import { type PublicKey, publicKeyFromFile } from "../src/trust/public-key.js";
import { parseTrustPolicy, requireCurrentTrust } from "../src/trust/trust-policy.js";
import { readInput, replaceFile, writeNewFile } from "../src/base/files.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import type { TrustPolicy } from "../src/documents/signed.js";
import { buildTrustPolicy, trustWarnings } from "../release/build-policy.js";
import { saveSigned, type StoredSigned } from "../release/save-signed.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { createWorkspace } from "../store/workspace.js";
import { readTrust } from "../release/read-signed.js";
import { openTrustUpdate, signTrustPolicy } from "../release/trust-chain.js";
import { openSigner, type SignerSource } from "../release/signing/sign-statement.js";

export type CreateTrustPolicyOptions = OptionsOf<typeof createTrustOptions>;

export interface CreatedTrustPolicy {
  readonly file: string;
  readonly policy: TrustPolicy;
  /** Warnings about valid but risky settings. */
  readonly warnings: readonly string[];
}

const fileMode = 0o644;

/**
 * Writes a trust policy, which defines who may sign what. An existing file is never overwritten.
 *
 * @example
 * await createTrustPolicy(workbench, {
 *   principal: [{ name: "ann", publicKey: "ann.pub.pem" }, { name: "bo", publicKey: "bo.pub.pem" }],
 *   producer: ["ann"], approver: ["bo"], threshold: 1, expires: 365 * 86_400,
 * });
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_INVALID, TRUST_POLICY_INVALID, FILE_EXISTS, WRITE_FAILED
 */
export async function createTrustPolicy(
  workbench: WorkbenchContext,
  options: CreateTrustPolicyOptions,
): Promise<CreatedTrustPolicy> {
  const given = resolveOptions("createTrustPolicy", createTrustOptions, options);
  const keys = [];
  for (const { name, publicKey } of given.principal) keys.push({ principal: name, key: await keyOf(publicKey) });
  const { producer, approver, root, revoker, out: file = workbench.workspace.trust } = given;
  const input = {
    keys,
    producers: producer,
    approvers: approver,
    threshold: given.threshold,
    requireReproduction: given.requireReproduction,
    roots: root.length === 0 ? approver : root,
    revokers: revoker.length === 0 ? approver : revoker,
    revocations: given.revocationList,
    version: given.policyVersion,
    environment: given.environment,
    nowMs: workbench.clock(),
    lifetimeSec: given.expires,
    maxApprovalDays: given.maxApprovalDays,
  };
  const policy = buildTrustPolicy(input);
  const bytes = canonicalBytes(policy);
  parseTrustPolicy(bytes);
  if (given.out === undefined) await createWorkspace(workbench.workspace);
  await writeNewFile(file, bytes, fileMode);
  await saveSigned(workbench, { kind: "trust", actor: workbench.actor, bytes }, `${file}: written`);
  return { file, policy, warnings: trustWarnings(input) };
}

async function keyOf(publicKey: string | PublicKey): Promise<PublicKey> {
  if (typeof publicKey !== "string") return publicKey;
  return publicKeyFromFile((await readInput(publicKey)).toString("utf8"), publicKey);
}

const suffix = ".dsse.json";

export interface SignedTrustPolicy {
  readonly file: string;
  readonly keyId: string;
}

/**
 * Signs the next version of a trust policy as one of its roots.
 * @param file  the policy, or its envelope with the signatures of other roots
 * @param out  envelope to write. Default: FILE.dsse.json, or FILE itself if it is an envelope
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID, SIGNATURE_INVALID, WRITE_FAILED
 */
export async function signNextTrustPolicy(
  file: string,
  source: SignerSource,
  out = file.endsWith(suffix) ? file : `${file}${suffix}`,
): Promise<SignedTrustPolicy> {
  const bytes = await readInput(file);
  const signer = await openSigner(source);
  await replaceFile(out, await signTrustPolicy(bytes, signer), 0o644);
  return { file: out, keyId: signer.keyId };
}

export interface UpdatedTrustPolicy extends StoredSigned {
  readonly file: string;
  /** Replaced version. */
  readonly from: number;
  readonly policy: TrustPolicy;
}

/**
 * Activates the next version of a trust policy, which the roots of the old and of the new version must have signed.
 *
 * @example await updateTrustPolicy(workbench, { file: "trust-2.json.dsse.json" });
 * @throws {SluiceError} FILE_NOT_FOUND, VERSION_ROLLBACK, TRUST_CHAIN_GAP, TRUST_THRESHOLD, WRITE_FAILED
 */
export async function updateTrustPolicy(
  workbench: WorkbenchContext,
  options: OptionsOf<typeof updateTrustOptions>,
): Promise<UpdatedTrustPolicy> {
  const { file: envelope, trust: currentFile } = resolveOptions("updateTrustPolicy", updateTrustOptions, options);
  const current = parseTrustPolicy(await readTrust(workbench, currentFile));
  const now = new Date(workbench.clock());
  const bytes = await readInput(envelope);
  const { policyBytes, trust } = openTrustUpdate(bytes, current, now);
  requireCurrentTrust(trust, now);
  const file = currentFile ?? workbench.workspace.trust;
  await replaceFile(file, policyBytes, 0o644);
  const kept = await saveSigned(workbench, { kind: "trust", actor: workbench.actor, bytes }, `${file}: written`);
  return { file, from: current.policy.version, policy: trust.policy, ...kept };
}

/**
 * Reads a trust policy.
 * @param file  default: trust.json of the workspace
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID, TRUST_POLICY_INVALID, KEY_INVALID
 */
export async function readTrustPolicy(
  workbench: WorkbenchContext,
  file?: string,
): Promise<{ readonly file: string; readonly sha256: string; readonly policy: TrustPolicy }> {
  const bytes = await readTrust(workbench, file);
  const { policy } = parseTrustPolicy(bytes);
  return { file: file ?? workbench.workspace.trust, sha256: sha256Hex(bytes), policy };
}
