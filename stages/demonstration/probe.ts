import { servedCatalog } from "../route.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { decisionKinds } from "../../src/documents/decision.js";
import type { Golden } from "../../src/documents/signed.js";
import { command, SluiceError } from "../../src/base/error.js";
import { parseGolden } from "../../src/router/check-golden.js";
import type { Workspace } from "../../store/workspace.js";

type GoldenCase = Golden["cases"][number];

/** The running server's decision on one request. */
export interface ProbedDecision {
  readonly status: number;
  readonly decision: string;
  readonly workflow_id: string | null;
  readonly reason_code: string;
  readonly confidence: number;
  readonly missing_inputs: readonly string[];
  readonly latency_ms: number;
  readonly runtime_mode: string;
}

export interface ShownDecision extends ProbedDecision {
  readonly text: string;
}

/** One golden request per kind of decision, if the bundle has one. */
async function probeCases(workspace: Workspace): Promise<readonly GoldenCase[]> {
  const golden = parseGolden(await readFile(join(workspace.bundle, bundleFiles.golden)));
  return decisionKinds.flatMap((kind) => golden.cases.filter(({ decision }) => decision === kind).slice(0, 1));
}

/** Body of a request to the production server, which requires a catalog version and an allow list. */
export function probeBody(text: string, catalogVersion: string, allowed: readonly string[]) {
  return { text, catalog_version: catalogVersion, allowed_workflow_ids: allowed };
}

export async function requestBody(workbench: WorkbenchContext, text: string) {
  const { catalog_version, workflows } = await servedCatalog(workbench);
  return probeBody(
    text,
    catalog_version,
    workflows.map(({ workflow_id }) => workflow_id),
  );
}

/**
 * Sends one request per kind of decision over HTTP.
 * @throws {SluiceError} GATE_NOT_MET  the bundle lacks a kind of decision, or a response differs from the signed
 *   decision
 */
export async function probeServer(workbench: WorkbenchContext, address: string): Promise<readonly ShownDecision[]> {
  const cases = await probeCases(workbench.workspace);
  if (cases.length < decisionKinds.length) {
    throw new SluiceError("GATE_NOT_MET", `the bundle shows ${cases.length} of the 3 decisions`, {
      hint: [command`sluice calibrate show`],
    });
  }
  const answers: ShownDecision[] = [];
  for (const expected of cases) {
    const response = await fetch(`${address}/v1/route`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(await requestBody(workbench, expected.text)),
    });
    const answer = (await response.json()) as Omit<ProbedDecision, "status">;
    if (response.status !== 200 || answer.decision !== expected.decision) {
      const found = `status ${response.status}, decision ${answer.decision}`;
      throw new SluiceError(
        "GATE_NOT_MET",
        `the server responded with ${found}, expected the signed decision ${expected.decision}`,
      );
    }
    answers.push({
      text: expected.text,
      status: response.status,
      decision: answer.decision,
      workflow_id: answer.workflow_id,
      reason_code: answer.reason_code,
      confidence: answer.confidence,
      missing_inputs: answer.missing_inputs,
      latency_ms: answer.latency_ms,
      runtime_mode: answer.runtime_mode,
    });
  }
  return answers;
}
