import { optionsOf, requireOptions } from "./checked-options.js";
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
import { openSigner, type SignerSource } from "./sign.js";

export interface Principal {
  readonly name: string;
  readonly publicKey: string | PublicKey;
}

export interface CreateTrustPolicyOptions {
  /** A person with several keys is listed once per key. */
  readonly principals: readonly Principal[];
  /** People who may sign manifests. */
  readonly producers: readonly string[];
  /** People who may approve bundles. */
  readonly approvers: readonly string[];
  /** Number of distinct people other than the producer who must approve, >= 1. Default 2. */
  readonly threshold?: number;
  /** Number of approvals that must state an equal reproduction of the claim, at most `threshold`. Default 0. */
  readonly requireReproduction?: number;
  /** People who sign the next version of the policy. Default: the approvers. */
  readonly roots?: readonly string[];
  /** People who may revoke alone. Default: the approvers. */
  readonly revokers?: readonly string[];
  /** Whether a fresh revocation list is required for verification. Default "optional". */
  readonly revocations?: "optional" | "required";
  /** Version number; a later version must be signed by the roots of the previous one. Default 1. */
  readonly version?: number;
  /** Environment of the approvals. Default "production". */
  readonly environment?: string;
  /** Lifetime of the policy and its keys, in seconds. */
  readonly lifetimeSec: number;
  /** Maximum lifetime of an approval, in days. Default 90. */
  readonly maxApprovalDays?: number;
  /** File to write. Default: trust.json of the workspace. */
  readonly file?: string | undefined;
}

export interface CreatedTrustPolicy {
  readonly file: string;
  readonly policy: TrustPolicy;
  /** Warnings about valid but risky settings. */
  readonly warnings: readonly string[];
}

const fileMode = 0o644;

const createTrustPolicyOptions = optionsOf<CreateTrustPolicyOptions>()({
  list: ["principals", "producers", "approvers", "roots", "revokers"],
  number: ["threshold", "requireReproduction", "version", "lifetimeSec", "maxApprovalDays"],
  string: ["revocations", "environment", "file"],
});

/**
 * Writes a trust policy, which defines who may sign what. An existing file is never overwritten.
 *
 * @example
 * await createTrustPolicy(workbench, {
 *   principals: [{ name: "ann", publicKey: "ann.pub.pem" }, { name: "bo", publicKey: "bo.pub.pem" }],
 *   producers: ["ann"], approvers: ["bo"], threshold: 1, lifetimeSec: 365 * 86_400,
 * });
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_INVALID, TRUST_POLICY_INVALID, FILE_EXISTS, WRITE_FAILED
 */
export async function createTrustPolicy(
  workbench: WorkbenchContext,
  options: CreateTrustPolicyOptions,
): Promise<CreatedTrustPolicy> {
  requireOptions("createTrustPolicy", options, createTrustPolicyOptions);
  const keys = [];
  for (const { name, publicKey } of options.principals) keys.push({ principal: name, key: await keyOf(publicKey) });
  const { producers, approvers, lifetimeSec, file = workbench.workspace.trust } = options;
  const input = {
    keys,
    producers,
    approvers,
    threshold: options.threshold ?? 2,
    requireReproduction: options.requireReproduction ?? 0,
    roots: options.roots ?? approvers,
    revokers: options.revokers ?? approvers,
    revocations: options.revocations ?? "optional",
    version: options.version ?? 1,
    environment: options.environment ?? "production",
    nowMs: workbench.clock(),
    lifetimeSec,
    maxApprovalDays: options.maxApprovalDays ?? 90,
  };
  const policy = buildTrustPolicy(input);
  const bytes = canonicalBytes(policy);
  parseTrustPolicy(bytes);
  if (options.file === undefined) await createWorkspace(workbench.workspace);
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

const updateTrustPolicyOptions = optionsOf<{ readonly envelope: string; readonly trustFile?: string | undefined }>()({
  string: ["envelope", "trustFile"],
});

/**
 * Activates the next version of a trust policy, which the roots of the old and of the new version must have signed.
 *
 * @example await updateTrustPolicy(workbench, { envelope: "trust-2.json.dsse.json" });
 * @throws {SluiceError} FILE_NOT_FOUND, VERSION_ROLLBACK, TRUST_CHAIN_GAP, TRUST_THRESHOLD, WRITE_FAILED
 */
export async function updateTrustPolicy(
  workbench: WorkbenchContext,
  options: { readonly envelope: string; readonly trustFile?: string | undefined },
): Promise<UpdatedTrustPolicy> {
  requireOptions("updateTrustPolicy", options, updateTrustPolicyOptions);
  const { envelope, trustFile } = options;
  const current = parseTrustPolicy(await readTrust(workbench, trustFile));
  const now = new Date(workbench.clock());
  const bytes = await readInput(envelope);
  const { policyBytes, trust } = openTrustUpdate(bytes, current, now);
  requireCurrentTrust(trust, now);
  const file = trustFile ?? workbench.workspace.trust;
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
