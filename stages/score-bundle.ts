import type { ValuesOf } from "../src/base/options.js";
import type { scoreBundleOptions } from "./options/eval.js";
import { existsSync } from "node:fs";
import { textKey } from "../datasets/near-duplicates.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { decideRequests } from "../eval/requests/decided-request.js";
import { evaluateRecords } from "../eval/metrics/evaluate.js";
import { claimOutcome } from "../reports/claim-outcome.js";
import { judgeOnHeldOut, type HeldOutVerdict } from "../reports/held-out-verdict.js";
import { sha256Hex } from "../src/base/sha256.js";
import { canonicalJson } from "../src/base/canonical-json.js";
import type { Claim } from "../src/documents/calibration.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import type { Rate } from "../src/documents/rate.js";
import { SluiceError } from "../src/base/error.js";
import { sourcesOfBundle } from "./route/development-router.js";
import { testedRows } from "./import/tested-before.js";
import { scoreRows } from "./score/score-rows.js";
import { withHistory } from "../store/records/session.js";
import { readInput } from "../src/base/files.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** Whether a claim holds on the requests. */
export type ClaimOnRequests = "holds" | "does_not_hold" | "cannot_say_yet";

export interface ScoredClaim {
  readonly scope: Claim["scope"];
  /** Maximum share of wrong routes stated in the claim. */
  readonly limit: number;
  readonly routed: { readonly k: number; readonly n: number };
  /** Measured wrong share, with its interval. */
  readonly wrong: Rate;
  readonly verdict: ClaimOnRequests;
}

/** Requests that are no new evidence, because their text is known to the bundle or was tested for a claim. */
export interface SeenRequests {
  /** Requests whose text is an example of the bundle's catalog. */
  readonly examples: number;
  /** Further requests whose text a calibration of this workspace tested. */
  readonly tested: number;
}

export interface ScoredBundle {
  readonly requests: number;
  readonly seen: SeenRequests;
  readonly claims: readonly ScoredClaim[];
  /** The requests that were routed to a wrong workflow, in the order of the file. */
  readonly wrong_routes: readonly WrongRoute[];
  readonly evaluation: Evaluation;
}

export interface WrongRoute {
  readonly id: string;
  /** The label; null: out of scope. */
  readonly workflow_id: WorkflowId | null;
  readonly routed_to: WorkflowId | null;
  readonly confidence: number | null;
}

const verdicts: Readonly<Record<HeldOutVerdict, ClaimOnRequests>> = {
  agree: "holds",
  too_few: "cannot_say_yet",
  contradict: "does_not_hold",
};

/**
 * Scores new labelled requests with a bundle and compares the results with its certified claims. The requests must be
 * new, but may belong to the workflows on which the bundle was certified. Saves nothing.
 *
 * @example const { claims } = await scoreBundle(workbench, { file: "today.jsonl", bundleFolder: "bundle-7", workers: 2 });
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_MISSING, DOCUMENT_INVALID (a label is not in the catalog)
 */
export async function scoreBundle(
  context: WorkbenchContext,
  { file, bundleFolder, workers }: ValuesOf<typeof scoreBundleOptions>,
): Promise<ScoredBundle> {
  const { catalog, calibration, policy, models } = await sourcesOfBundle(bundleFolder);
  const rows = readJsonl(await readInput(file), file);
  requireKnownWorkflows(rows, new Set(catalog.workflows.map(({ workflow_id: workflowId }) => workflowId)), file);
  const foldOf = new Map(rows.map(({ id }) => [`row:${id}`, "eval" as const]));
  const { records } = await scoreRows({
    rows,
    foldOf,
    catalog,
    policy,
    models,
    context,
    progress: context.progress,
    workers: Math.max(1, workers),
  });
  // The rows of a file have no families, so that requests of one workflow count as alike, whatever the claim is about.
  const thresholds = { ...calibration, claims: [] };
  const evaluation = evaluateRecords({
    records,
    runSha256: sha256Hex(canonicalJson(rows.map(({ id }) => id))),
    topK: policy.top_k,
    fold: "eval",
    calibration: { sha256: sha256Hex(canonicalJson(calibration)), document: thresholds },
  });
  const wrongRoutes = decideRequests(records, { thresholds: calibration, topK: policy.top_k, fold: "eval" })
    .filter(({ bucket }) => bucket === "routed_wrong" || bucket === "out_of_scope_routed")
    .map(({ record, outcome }) => ({
      id: record.id,
      workflow_id: record.workflow_id,
      routed_to: outcome?.top?.workflow_id ?? null,
      confidence: outcome?.top?.confidence ?? null,
    }));
  const certified = calibration.claims.filter((claim) => claim.certified);
  const claims = certified.map((claim): ScoredClaim => {
    const { heldOut } = judgeOnHeldOut(claim, evaluation, certified.length);
    return {
      scope: claim.scope,
      limit: claim.target_risk,
      ...claimOutcome(claim, evaluation),
      verdict: verdicts[heldOut],
    };
  });
  return {
    requests: rows.length,
    seen: await seenRequests(context, catalog, rows),
    claims,
    wrong_routes: wrongRoutes,
    evaluation,
  };
}

async function seenRequests(
  context: WorkbenchContext,
  { workflows }: Pick<Catalog, "workflows">,
  rows: readonly LabelledRequest[],
): Promise<SeenRequests> {
  const examples = new Set(workflows.flatMap((workflow) => workflow.examples.map(textKey)));
  const tested = await testedTexts(context);
  const others = rows.map(({ text }) => textKey(text)).filter((text) => !examples.has(text));
  return { examples: rows.length - others.length, tested: others.filter((text) => tested.has(text)).length };
}

async function testedTexts(context: WorkbenchContext): Promise<ReadonlySet<string>> {
  if (!existsSync(context.workspace.history)) return new Set();
  return withHistory(
    context,
    "read",
    async ({ history }) => new Set(testedRows(history).flatMap((one) => one.rows.map(({ text }) => textKey(text)))),
  );
}

function requireKnownWorkflows(rows: readonly LabelledRequest[], known: ReadonlySet<string>, file: string): void {
  const unknown = [...new Set(rows.flatMap(({ workflow_id: workflowId }) => workflowId ?? []))].filter(
    (id) => !known.has(id),
  );
  if (unknown.length === 0) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `${file}: ${unknown.length} workflow ids are not in the bundle: ${unknown.slice(0, 5).join(", ")}`,
    {
      hint: "Label the requests for the catalog of this bundle.",
    },
  );
}
