import { existsSync } from "node:fs";
import { toSluiceError } from "../../src/errors/error.js";
import type { Workspace } from "../workspace.js";
import { readIfThere, readRevocations } from "./bundle/read-revocations.js";
import type { Check } from "./doctor-checks.js";

/**
 * Whether a server would serve the exported bundle of the workspace, by every check of a start; nothing where the
 * workspace has no bundle or no trust policy.
 */
export async function checkBundle(workspace: Workspace, now: Date): Promise<readonly Check[]> {
  const { bundle: directory, trust } = workspace;
  if (!existsSync(directory) || !existsSync(trust)) return [];
  const environment = "production";
  try {
    const { verifyStart } = await import("../stages/verify-start.js");
    const trustPolicyBytes = (await readIfThere(trust)) ?? Buffer.alloc(0);
    const revocationBytes = await readRevocations({ workspace }, { revocations: undefined, trust: undefined });
    const question = { directory, files: null, trustPolicyBytes, revocationBytes, environment, now };
    const { bundleId, expiresAt } = await verifyStart(question);
    const until = expiresAt.toISOString().slice(0, 10);
    return [
      { name: "bundle", ok: true, found: `${bundleId.slice(0, 12)}, starts; approved until ${until}`, repair: null },
    ];
  } catch (thrown) {
    const { code, message } = toSluiceError(thrown);
    return [{ name: "bundle", ok: false, found: `${code}: ${message}`, repair: "sluice bundle verify" }];
  }
}
