import { access, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createKeyFile, openPrivateKey } from "../signing/key-file.js";
import type { Signer } from "../signing/signer.js";
import { writeNewFile } from "../../src/artifacts/write-new-file.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { buildTrustPolicy } from "../release/build-policy.js";
import type { Workspace } from "../workspace.js";
import { quickstartSettings } from "./settings.js";

/** Keys of the three demonstration people, and the trust policy that names them. */
export interface Demonstration {
  readonly producer: Signer;
  readonly approvers: readonly { readonly name: string; readonly signer: Signer }[];
  readonly trustPolicyBytes: Buffer;
}

const daySeconds = 86_400;
const maxApprovalDays = 90;

/** Opens the demonstration keys of a workspace, creating those that are missing, and rewrites its trust policy. */
export async function demonstrationKeys(workspace: Workspace, nowMs: number): Promise<Demonstration> {
  const { people } = quickstartSettings;
  await mkdir(workspace.keys, { recursive: true, mode: 0o700 });
  const producer = await keyOf(workspace, people.producer);
  const approvers = [];
  for (const name of people.approvers) approvers.push({ name, signer: await keyOf(workspace, name) });
  const policy = buildTrustPolicy({
    keys: [{ principal: people.producer, key: producer.publicKey }, ...approvers.map(toPrincipal)],
    producers: [people.producer],
    approvers: [...people.approvers],
    threshold: people.approvers.length,
    requireReproduction: 0,
    roots: people.approvers,
    revokers: people.approvers,
    revocations: "optional",
    version: 1,
    environment: quickstartSettings.environment,
    nowMs,
    lifetimeSec: quickstartSettings.policyDays * daySeconds,
    maxApprovalDays,
  });
  const trustPolicyBytes = canonicalBytes(policy);
  await rm(workspace.trust, { force: true });
  await writeNewFile(workspace.trust, trustPolicyBytes, 0o644);
  return { producer, approvers, trustPolicyBytes };
}

const toPrincipal = ({ name, signer }: { readonly name: string; readonly signer: Signer }) => ({
  principal: name,
  key: signer.publicKey,
});

async function keyOf(workspace: Workspace, name: string): Promise<Signer> {
  const file = join(workspace.keys, `${name}.pem`);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) await createKeyFile(file, quickstartSettings.passphrase);
  return openPrivateKey(file, quickstartSettings.passphrase);
}
