import { parseTrustPolicy, requireCurrentTrust } from "../../src/trust/trust-policy.js";
import { readInput, replaceFile } from "../../src/base/files.js";
import type { TrustPolicy } from "../../src/documents/signed.js";
import { type StoredSigned, saveSigned } from "../../release/save-signed.js";
import { readTrust } from "../../release/read-trust.js";
import { openTrustUpdate, signTrustPolicy } from "../../release/trust-chain.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { openSigner, type SignerSource } from "../sign.js";

const suffix = ".dsse.json";

/** The envelope of a next trust policy with one more signature. */
export interface SignedTrustPolicy {
  readonly file: string;
  readonly keyId: string;
}

/**
 * Signs the next version of a trust policy as one of its roots.
 * @param file  the policy, or the envelope that other roots have signed
 * @param out  envelope to write; FILE.dsse.json by default, or FILE itself when it is one
 * @throws {SluiceError} FILE_NOT_FOUND, SCHEMA_INVALID, SIGNATURE_INVALID, WRITE_FAILED
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

/** A trust policy that came into force, and its entry in the history. */
export interface UpdatedTrustPolicy extends StoredSigned {
  readonly file: string;
  /** Version that it replaced. */
  readonly from: number;
  readonly policy: TrustPolicy;
}

/**
 * Puts the next version of a trust policy in force, signed by the roots of the old and of the new one.
 *
 * @example await updateTrustPolicy(workbench, { envelope: "trust-2.json.dsse.json" });
 * @throws {SluiceError} FILE_NOT_FOUND, TRUST_ROLLBACK, TRUST_CHAIN_GAP, TRUST_THRESHOLD, WRITE_FAILED
 */
export async function updateTrustPolicy(
  workbench: WorkbenchContext,
  { envelope, trustFile }: { readonly envelope: string; readonly trustFile?: string | undefined },
): Promise<UpdatedTrustPolicy> {
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
