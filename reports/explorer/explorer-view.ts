import type { Calibration } from "../../src/documents/calibration.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { ReportedRequest } from "../reported-request.js";

const candidatesEach = 3;
/**
 * Maximum number of workflows for 16-bit indices, one of which means "none"; with more workflows, indices have 32 bits.
 */
const mostNarrow = 0xffff;

/** An index column of the required width, filled with "none". */
const placeColumn = (workflows: number, length: number): Uint16Array | Uint32Array =>
  workflows > mostNarrow ? new Uint32Array(length).fill(0xffffffff) : new Uint16Array(length).fill(0xffff);

interface ExplorerInput {
  readonly evaluation: Evaluation;
  readonly calibration: Calibration | null;
  readonly requests?: readonly ReportedRequest[];
}

/** Bytes of an array as base64. They are little-endian, the byte order of all platforms of Node and browsers. */
const packed = (array: Float64Array | Float32Array | Uint16Array | Uint32Array | Uint8Array): string =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

function flagsOf({ rightWorkflowId, firstIsRight, routable, routed }: ReportedRequest): number {
  return Number(rightWorkflowId !== null) + 2 * Number(firstIsRight) + 4 * Number(routable) + 8 * Number(routed);
}

const listedOf = ({ shortlist }: ReportedRequest): number =>
  (shortlist?.length ?? 0) + (shortlist?.hasRight === true ? 16 : 0);

/** Distinct values sorted by name, and the index of each. */
function dictionary(values: Iterable<string>): { readonly names: readonly string[]; readonly at: Map<string, number> } {
  const names = [...new Set(values)].sort();
  return { names, at: new Map(names.map((name, index) => [name, index])) };
}

function workflowColumns(requests: readonly ReportedRequest[], at: ReadonlyMap<string, number>) {
  const workflow = placeColumn(at.size, requests.length * candidatesEach);
  const right = placeColumn(at.size, requests.length);
  const odds = new Float32Array(requests.length * candidatesEach);
  const put = (column: typeof workflow, index: number, id: string | null): void => {
    const place = id === null ? undefined : at.get(id);
    if (place !== undefined) column[index] = place;
  };
  for (const [row, { candidates, rightWorkflowId }] of requests.entries()) {
    put(right, row, rightWorkflowId);
    for (const [place, candidate] of candidates.slice(0, candidatesEach).entries()) {
      put(workflow, row * candidatesEach + place, candidate.workflowId);
      odds[row * candidatesEach + place] = candidate.odds;
    }
  }
  return { right: packed(right), candidateWorkflow: packed(workflow), candidateOdds: packed(odds) };
}

function fitOptionsOf({ fit }: Calibration): string {
  const { target_risk, required_tiers, delta, claim, start_errors, start_icc, cross_fit, calibrator } = fit;
  const pairs = (shares: Readonly<Record<string, number | null>>): string =>
    Object.entries(shares)
      .flatMap(([tier, share]) => (share === null ? [] : [`${tier}=${share}`]))
      .join(",");
  const required = pairs(required_tiers);
  const options: readonly (readonly [string, string | number | null])[] = [
    ["claim", claim],
    ["target", target_risk],
    ["require-tier", required === "" ? null : required],
    ["delta", delta],
    ["calibrator", calibrator],
    ["start-errors", start_errors.join(",")],
    ["start-icc", start_icc],
    ["cross-fit", cross_fit],
  ];
  return options.map(([name, value]) => (value === null ? "" : ` --${name} ${value}`)).join("");
}

const shareOptionOf = ({ fit }: Calibration): string =>
  fit.out_of_scope_share === null ? "" : ` --out-of-scope-share ${fit.out_of_scope_share}`;

/** The requests of a report as columns for the explorer; null without thresholds or requests. */
export function explorerView({ evaluation, calibration, requests = [] }: ExplorerInput) {
  if (calibration === null || requests.length === 0) return null;
  const workflows = dictionary(
    requests.flatMap(({ rightWorkflowId, candidates }) => [
      ...(rightWorkflowId === null ? [] : [rightWorkflowId]),
      ...candidates.map(({ workflowId }) => workflowId),
    ]),
  );
  const buckets = dictionary(requests.map(({ bucket }) => bucket));
  const reasons = dictionary(requests.map(({ reason }) => reason ?? "none"));
  const tierAt = ({ tier }: ReportedRequest): number => (tier === null ? riskTiers.length : riskTiers.indexOf(tier));
  const texts = requests.some(({ text }) => text !== undefined) ? requests.map(({ text }) => text ?? "") : null;
  return {
    run: evaluation.run_sha256.slice(0, 12),
    thresholds: riskTiers.map((tier) => calibration.tiers[tier].confidence),
    certified: calibration.claims.some(({ certified }) => certified),
    outOfScopeShare: calibration.out_of_scope_share,
    fitOptions: fitOptionsOf(calibration),
    shareOption: shareOptionOf(calibration),
    ids: requests.map(({ id }) => id),
    workflows: workflows.names,
    buckets: buckets.names,
    reasons: reasons.names,
    texts,
    listed: calibration.shortlist?.certified === true ? requests.map(listedOf) : null,
    columns: {
      confidence: packed(Float64Array.from(requests, ({ confidence }) => confidence)),
      flags: packed(Uint8Array.from(requests, flagsOf)),
      tier: packed(Uint8Array.from(requests, tierAt)),
      bucket: packed(Uint8Array.from(requests, ({ bucket }) => buckets.at.get(bucket) ?? 0)),
      reason: packed(Uint8Array.from(requests, ({ reason }) => reasons.at.get(reason ?? "none") ?? 0)),
      ...workflowColumns(requests, workflows.at),
    },
  };
}

/**
 * The requests as columns of little-endian numbers in base64. Contains request texts only if requested. `listed` is the
 * length of each request's shortlist, plus 16 if it contains the right workflow.
 */
export type ExplorerView = NonNullable<ReturnType<typeof explorerView>>;
