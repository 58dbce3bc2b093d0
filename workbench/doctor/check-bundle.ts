import { readRevocations } from "../release/read-revocations.js";
import { readInput } from "../read-input.js";
import { checkOpens } from "./check.js";
import { isThere, type WorkspaceCheck } from "./workspace-check.js";
import { parseTrustPolicy } from "../../src/artifacts/trust-policy.js";
import { verifyStart } from "../release/verify-start.js";

/**
 * Runs every startup check on the exported bundle of the workspace, for each environment that the trust policy of the
 * workspace names.
 */
export const checkBundle: WorkspaceCheck = async (workspace, nowMs) => {
  const { bundle: directory, trust } = workspace;
  if (!(await isThere(directory)) || !(await isThere(trust))) return [];
  const check = await checkOpens("bundle", "", async () => {
    const trustPolicyBytes = await readInput(trust);
    const revocationBytes = await readRevocations({ workspace }, { revocations: undefined, trust: undefined });
    const found: string[] = [];
    for (const { environment } of parseTrustPolicy(trustPolicyBytes).policy.roles.approver) {
      const question = { directory, files: null, trustPolicyBytes, revocationBytes, environment, now: new Date(nowMs) };
      const { bundleId, expiresAt } = await verifyStart(question);
      const until = expiresAt.toISOString().slice(0, 10);
      found.push(`${bundleId.slice(0, 12)}, starts; approved for ${environment} until ${until}`);
    }
    return found.join("; ");
  });
  return [check.ok ? check : { ...check, repair: "For details: sluice bundle verify" }];
};
