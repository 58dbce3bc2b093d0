import { dirname, join } from "node:path";
import { readFile } from "node:fs/promises";
import { checkOpens } from "./check.js";
import { isThere, type WorkspaceCheck } from "./workspace-check.js";

/** Verifies the bundle of the workspace for production, against the trust policy of the workspace. */
export const checkBundle: WorkspaceCheck = async (workspace, nowMs) => {
  if (!(await isThere(workspace.bundle))) return [];
  const check = await checkOpens("bundle", "Find out more: sluice bundle verify", async () => {
    const { verifyBundle } = await import("../../src/artifacts/verify/verify-bundle.js");
    const revocations = join(dirname(workspace.trust), "revocations.json");
    const { bundleId, expiresAt } = await verifyBundle({
      directory: workspace.bundle,
      trustPolicyBytes: await readFile(workspace.trust),
      revocationBytes: (await isThere(revocations)) ? await readFile(revocations) : null,
      environment: "production",
      now: new Date(nowMs),
    });
    return `${workspace.bundle}: ${bundleId.slice(0, 12)}, approved for production until ${expiresAt.toISOString()}`;
  });
  return [check];
};
