import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { type PublicKey, publicKeyFromFile } from "../src/trust/public-key.js";
import { publicKeyPath } from "./signing/key-file.js";
import { signerFromPrivateKey } from "./signing/sign-statement.js";
import { parseTrustPolicy } from "../src/trust/trust-policy.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { SluiceError } from "../src/base/error.js";
import { approvalsNeeded, type ProjectPeople } from "../store/project/people.js";
import { readInput } from "../src/base/files.js";
import type { Workspace } from "../store/workspace.js";
import { buildTrustPolicy } from "./build-policy.js";

/** A person of a project, with the id of their public key in the workspace. */
export interface PersonKey {
  readonly person: string;
  /** null if this person has no key in the workspace yet. */
  readonly keyId: string | null;
}

/** The first trust policy of a project, built from its people and their public keys. */
export interface DraftedTrust {
  /** Usable for judging decisions; complete only if nobody is missing. */
  readonly bytes: Buffer;
  readonly people: readonly PersonKey[];
  /** People without a public key in the workspace. */
  readonly missing: readonly string[];
}

export const projectEnvironment = "production";

const daySec = 86_400;
const policyDays = 365;
const maxApprovalDays = 90;

export function personKeyFile(workspace: Workspace, person: string): string {
  return join(workspace.keys, `${person}.pem`);
}

/**
 * Drafts the trust policy of a project from `keys/NAME.pub.pem` of its people. A person without a key gets a
 * placeholder whose private half is discarded, so that the draft counts approvals the way the finished policy will.
 * @throws {SluiceError} KEY_INVALID, READ_FAILED; TRUST_POLICY_INVALID  two people share a key
 */
export async function draftTrust(workspace: Workspace, people: ProjectPeople, nowMs: number): Promise<DraftedTrust> {
  const names = [people.producer, ...people.approvers];
  const held: { readonly principal: string; readonly key: PublicKey | null }[] = [];
  for (const principal of names) held.push({ principal, key: await publicKeyOf(workspace, principal) });
  const policy = buildTrustPolicy({
    keys: held.map(({ principal, key }) => ({ principal, key: key ?? keyOfNobody() })),
    producers: [people.producer],
    approvers: people.approvers,
    threshold: approvalsNeeded,
    requireReproduction: 0,
    roots: people.approvers,
    revokers: people.approvers,
    revocations: "optional",
    version: 1,
    environment: projectEnvironment,
    nowMs,
    lifetimeSec: policyDays * daySec,
    maxApprovalDays,
  });
  const bytes = canonicalBytes(policy);
  parseTrustPolicy(bytes);
  return {
    bytes,
    people: held.map(({ principal, key }) => ({ person: principal, keyId: key?.keyId ?? null })),
    missing: held.filter(({ key }) => key === null).map(({ principal }) => principal),
  };
}

async function publicKeyOf(workspace: Workspace, person: string): Promise<PublicKey | null> {
  const file = publicKeyPath(personKeyFile(workspace, person));
  try {
    return publicKeyFromFile((await readInput(file)).toString("utf8"), file);
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code === "FILE_NOT_FOUND") return null;
    throw thrown;
  }
}

const keyOfNobody = (): PublicKey =>
  signerFromPrivateKey(generateKeyPairSync("ed25519").privateKey, "a key that nobody holds").publicKey;
