import { diffCatalogs, type FieldChange } from "../../datasets/diff-catalogs.js";
import { compareSides } from "../../eval/compare.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import { inShownFold } from "../../eval/shown-fold.js";
import type {
  ListedFlips,
  MetricChange,
  ReleaseDifferences,
  WorkflowChanges,
} from "../../reports/release/release-page.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { SluiceError } from "../../src/base/error.js";
import { groupBy } from "../../src/base/group-by.js";
import { printable } from "../../src/base/text.js";
import { type Calibration, type Claim, scopeName } from "../../src/documents/calibration.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import { measureLabels } from "../../reports/measure-labels.js";
import type { Comparison, DecidedSide, Flip, MeasureName, PairedMeasure } from "../../src/documents/comparison.js";
import { counted, formatPercent, formatCounts, formatShareDifference } from "../../src/documents/number-text.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Manifest } from "../../src/documents/signed.js";
import type { History } from "../../store/history/open.js";
import {
  readCalibration,
  readCatalog,
  readDataset,
  readPolicy,
  readRun,
  readScoredRecords,
} from "../../store/records/read-records.js";
import { sharedRequests } from "../../store/records/shared-requests.js";
import { describeExactEvents } from "../describe-exact-events.js";
import type { StoredManifest } from "../read-signed.js";
import { type LabelsByText, requestChanges } from "./request-changes.js";

/** The identities of a manifest that are compared between two releases. */
export type ReleaseIdentities = Pick<
  Manifest,
  "catalog" | "calibration" | "policy" | "exact_events" | "retriever" | "verifier"
>;

/** The thresholds of a calibration, with which requests that it tested are decided as its claims count them. */
export type AsTested = (calibration: Calibration) => EvaluatedThresholds;

/** Maximum number of flips that the page lists; the others are counted. */
const mostFlips = 100;
/** Maximum length of a field's value that the page shows before and after. */
const mostShown = 60;

/** What a release changes compared with the one in production. Equal histories give equal results. */
export function releaseDifferences(
  history: History,
  before: StoredManifest,
  { now, asTested }: { readonly now: ReleaseIdentities; readonly asTested: AsTested },
): ReleaseDifferences {
  const old = before.predicate;
  const [calibrationBefore, calibrationNow] = [old, now].map(
    ({ calibration }) => readCalibration(history, calibration.sha256).document,
  ) as [Calibration, Calibration];
  const compared = compareDecisions(history, { before: calibrationBefore, now: calibrationNow, asTested });
  const [catalogBefore, catalogNow] = [old, now].map(
    ({ catalog }) => readCatalog(history, catalog.sha256).document,
  ) as [Catalog, Catalog];
  const labelsOf = ({ digests }: Calibration): LabelsByText =>
    new Map(
      readDataset(history, digests.dataset).document.map(({ text, context = {}, workflow_id: label }) => [
        canonicalJson({ text, context }),
        label,
      ]),
    );
  const tiers = new Set([catalogBefore, catalogNow].flatMap(({ workflows }) => workflows.map((one) => one.risk_tier)));
  const diff = diffCatalogs(catalogBefore, catalogNow);
  return {
    bundle_id: before.bundleId,
    bundle_version: old.bundle_version,
    release: old.release,
    compared_on: `${compared.sentence}${requestChanges(labelsOf(calibrationBefore), labelsOf(calibrationNow))}`,
    metrics: (compared.comparison?.measures ?? []).map(metricChange),
    flips: compared.comparison === null ? null : listedFlips(compared.comparison),
    workflows: workflowChanges(diff),
    promises: promiseChanges(calibrationBefore, calibrationNow),
    weaker_promises: promiseChanges(calibrationBefore, calibrationNow, isWeaker),
    thresholds: thresholdChanges(calibrationBefore, calibrationNow, tiers),
    policy: [
      ...policyChanges(
        readPolicy(history, old.policy.sha256).document,
        readPolicy(history, now.policy.sha256).document,
      ),
    ],
    events: eventChanges(old, now),
    parts: changedParts(old, now),
  };
}

interface ComparedDecisions {
  readonly sentence: string;
  readonly comparison: Comparison | null;
}

/**
 * Pairs the requests that both releases scored: same id, text, workflow and context. Uses fold EVAL or, if no requests are held
 * out, those that certified the claims.
 */
function compareDecisions(
  history: History,
  { before, now, asTested }: { readonly before: Calibration; readonly now: Calibration; readonly asTested: AsTested },
): ComparedDecisions {
  const [old, next] = [before, now].map(({ digests }) => readRun(history, digests.run)) as [
    ReturnType<typeof readRun>,
    ReturnType<typeof readRun>,
  ];
  const shared = sharedRequests(history, old.document.dataset_sha256, next.document.dataset_sha256);
  const shown = (run: ReturnType<typeof readRun>): readonly ScoredRecord[] =>
    inShownFold(readScoredRecords(history, run), "eval").filter(({ id }) => shared?.has(id) ?? true);
  const [a, b] = [shown(old), shown(next)];
  try {
    const comparison = compareSides(
      { records: a, calibration: asTested(before) },
      { records: b, calibration: asTested(now) },
    );
    const { requests, workflows } = comparison;
    const heldOut = [...a, ...b].every(({ fold }) => fold === "eval");
    const sentence =
      `Compared on ${counted(requests, "request")}${heldOut ? " of fold EVAL" : ""} that both releases scored, from ` +
      `${counted(workflows, "workflow")} and out-of-scope groups; ` +
      `${heldOut ? "neither was fitted on them" : "they are not held out: the claims were tested on them"}.`;
    return { sentence, comparison };
  } catch (thrown) {
    if (!(thrown instanceof SluiceError) || thrown.code !== "DOCUMENT_INVALID") throw thrown;
    const sentence = "The decisions are not compared: the releases scored no common request.";
    return { sentence, comparison: null };
  }
}

const directions: Readonly<Record<MeasureName, MetricChange["direction"]>> = {
  selective_risk: "lower is better",
  coverage: "higher is better",
  in_scope_right: "higher is better",
  out_of_scope_routed: "lower is better",
  joint_risk: "lower is better",
};

const shownVerdicts = {
  a_better: "worse",
  b_better: "better",
  tied: "no difference shown",
  not_shown: "no difference shown",
} as const;

function metricChange({ name, a, b, difference, band, verdict }: PairedMeasure): MetricChange {
  const excludes = verdict === "not_shown" && band !== null && (band.lower > 0 || band.upper < 0);
  const ends = band === null ? "" : ` [${formatShareDifference(band.lower)}, ${formatShareDifference(band.upper)}]`;
  return {
    label: measureLabels[name],
    direction: directions[name],
    before: formatCounts(a),
    now: formatCounts(b),
    difference: `${formatShareDifference(difference.value)}${ends}${excludes ? ", but the paired test needs more workflows or a larger difference" : ""}`,
    verdict: shownVerdicts[verdict],
  };
}

function listedFlips({ total, flips }: Comparison): ListedFlips {
  return { ...total, listed: flips.slice(0, mostFlips).map(flipRow) };
}

const flipRow = ({ id, effect, a, b }: Flip) => ({
  id: printable(id),
  effect,
  before: sideText(a),
  now: sideText(b),
});

const endingWords: Readonly<Record<DecidedSide["ending"], string>> = {
  routed_right: "routed right",
  asked_right: "asked correctly",
  declined: "declined",
  asked_wrong: "asked wrongly",
  routed_wrong: "ROUTED WRONG",
};

function sideText({ ending, workflow_id: workflowId, reason_code: reasonCode }: DecidedSide): string {
  return `${endingWords[ending]}: ${workflowId ?? reasonCode}`;
}

function workflowChanges(diff: ReturnType<typeof diffCatalogs>): WorkflowChanges {
  return {
    added: [...diff.added],
    removed: [...diff.removed],
    renamed: [...diff.renamed],
    changed: diff.changed.map(({ workflow_id: workflowId, changes }) => ({
      workflow_id: workflowId,
      fields: changes.map(fieldText),
    })),
    unchanged: diff.unchanged,
  };
}

function fieldText(change: FieldChange): string {
  if (change.kind === "value") {
    const { field, from, to } = change;
    return from.length + to.length > mostShown ? `${field} changed` : printable(`${field}: ${from}, now ${to}`);
  }
  if (change.reordered) return `${change.field}: same entries, different order`;
  return `${change.field}: ${change.added.length} added, ${change.removed.length} removed`;
}

type Promised = Pick<Calibration, "claims" | "shortlist" | "follow_ups">;

/** The limit of a promise; null if there is no claim or it is not certified. */
interface PromisedLimit {
  readonly limit: number | null;
  readonly text: string;
}

const isWeaker = (was: PromisedLimit, is: PromisedLimit): boolean =>
  was.limit !== null && (is.limit === null || is.limit > was.limit);

/** Claims, and the promise about shortlists, whose certified target changed in the given way; by default in any. */
export function promiseChanges(
  before: Promised,
  now: Promised,
  changed = (was: PromisedLimit, is: PromisedLimit): boolean => was.text !== is.text,
): string[] {
  const scopes = [...new Set([...before.claims, ...now.claims].map(({ scope }) => scope))];
  const promises = [
    ...scopes.map((scope) => ({
      name: scopeName(scope),
      was: claimLimit(before, scope),
      is: claimLimit(now, scope),
    })),
    { name: "shortlists", was: shortlistLimit(before), is: shortlistLimit(now) },
    ...(["repeats", "changes"] as const).map((kind) => ({
      name: `follow-ups that ${kind === "repeats" ? "repeat" : "change"} the workflow`,
      was: followUpLimit(before, kind),
      is: followUpLimit(now, kind),
    })),
  ];
  return promises
    .filter(({ was, is }) => changed(was, is))
    .map(({ name, was, is }) => `${name}: ${was.text} before, ${is.text} now`);
}

function claimLimit({ claims }: Promised, scope: Claim["scope"]): PromisedLimit {
  const claim = claims.find((one) => one.scope === scope);
  if (claim === undefined) return { limit: null, text: "no claim" };
  return claim.certified
    ? { limit: claim.target_risk, text: `at most ${formatPercent(claim.target_risk)} wrong` }
    : { limit: null, text: "not certified" };
}

const shortlistLimit = ({ shortlist }: Promised): PromisedLimit =>
  shortlist?.certified === true
    ? {
        limit: shortlist.target_miss,
        text: `at most ${formatPercent(shortlist.target_miss)} without the right workflow`,
      }
    : { limit: null, text: "no promise" };

function followUpLimit({ follow_ups: found }: Promised, kind: "repeats" | "changes"): PromisedLimit {
  const claim = found?.[kind];
  if (claim?.threshold === null || claim === undefined) return { limit: null, text: "no promise" };
  return { limit: claim.target_risk, text: `at most ${formatPercent(claim.target_risk)} wrong` };
}

/** Tiers of the catalogs whose thresholds changed; tiers with the same change share a sentence. */
function thresholdChanges(before: Calibration, now: Calibration, tiers: ReadonlySet<RiskTier>): string[] {
  const known = riskTiers.filter((tier) => tiers.has(tier));
  const changed = known.flatMap((tier) => {
    const [old, next] = [thresholdText(before.tiers[tier]), thresholdText(now.tiers[tier])];
    return old === next ? [] : [{ tier, change: `${old} → ${next}` }];
  });
  return [...groupBy(changed, ({ change }) => change)].map(
    ([change, same]) => `${same.length === 1 ? "tier" : "tiers"} ${same.map(({ tier }) => tier).join(", ")}: ${change}`,
  );
}

function thresholdText({ confidence, margin }: Calibration["tiers"]["low"]): string {
  if (confidence === null) return "routes nothing";
  return `routes at ${confidence} or more${margin === null || margin === 0 ? "" : ` with margin ${margin}`}`;
}

function eventChanges(before: ReleaseIdentities, now: ReleaseIdentities): string[] {
  const [old, next] = [describeExactEvents(before.exact_events), describeExactEvents(now.exact_events)];
  return old === next ? [] : [`before: ${old}`, `now: ${next}`];
}

function changedParts(before: ReleaseIdentities, now: ReleaseIdentities): string[] {
  const documents = (["catalog", "calibration", "policy"] as const).filter(
    (name) => before[name].sha256 !== now[name].sha256,
  );
  const models = (["retriever", "verifier"] as const).filter((role) => before[role].dir_hash1 !== now[role].dir_hash1);
  return [...documents, ...models];
}

type PlainField = Exclude<
  keyof RoutingPolicy,
  "schema_version" | "exact_events" | "negation" | "several_wishes" | "language_gate"
>;

const labels: Readonly<Record<PlainField, string>> = {
  policy_version: "version of the policy",
  allowed_tiers: "tiers that may be routed",
  top_k: "candidates per request",
  ineligible_competitors: "ineligible workflows that are also scored",
  max_context_bytes: "largest context, bytes",
  pattern_budget_ms: "time for input patterns, milliseconds",
  deadline_ms: "deadline of a request, milliseconds",
  ask_between: "asks which of two or three workflows is meant",
  refuse_debug_in_production: "declines requests with debug in production",
};

/** Describes what changed between two policies. Exact events are excluded, because the manifest lists them. */
export function policyChanges(before: RoutingPolicy, now: RoutingPolicy): readonly string[] {
  const [old, next] = [before, now];
  const fields = Object.entries(labels) as readonly (readonly [PlainField, string])[];
  const changed = fields.flatMap(([field, label]) => {
    const [was, is] = [inWords(old[field] ?? false), inWords(next[field] ?? false)];
    return was === is ? [] : [`${label}: ${was} before, ${is} now`];
  });
  const words = ({ negation = null, several_wishes: several = null, language_gate: gate = null }: RoutingPolicy) =>
    canonicalJson({ negation, several, gate });
  return words(old) === words(next)
    ? changed
    : [...changed, "rules for negations, several wishes or languages changed"];
}

function inWords(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? value.join(", ") || "none" : String(value);
}
