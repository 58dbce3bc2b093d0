import { readFile } from "node:fs/promises";
import { checkOpens } from "./check.js";
import { isThere, type WorkspaceCheck } from "./workspace-check.js";
import { parseTrustPolicy, requireCurrentTrust } from "../../src/artifacts/trust-policy.js";

/** Reads the trust policy of the workspace and its dates. */
export const checkTrust: WorkspaceCheck = async (workspace, nowMs) => {
  if (!(await isThere(workspace.trust))) return [];
  const check = await checkOpens("trust", "Show it with: sluice trust show", async () => {
    requireCurrentTrust(parseTrustPolicy(await readFile(workspace.trust)), new Date(nowMs));
    return `${workspace.trust}: valid today`;
  });
  return [check];
};
