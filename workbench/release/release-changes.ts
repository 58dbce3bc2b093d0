import { formatProportion } from "../../src/domain/number-text.js";
import type { BundleId } from "../../src/domain/primitives.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import type { Rate } from "../../src/domain/rate.js";
import type { GoldenWire } from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../history/open.js";
import { getBlob } from "../history/read.js";
import { parseGolden } from "../../src/routing/check-golden.js";
import type { MeasuredClaims } from "../../reports/claim-standing.js";
import { certifiedClaims, judgeClaim } from "../../reports/judge-release.js";
import { shortId } from "../records/short-id.js";
import { describeExactEvents } from "./describe-exact-events.js";
import { type KeptManifest, readManifest } from "./read-manifest.js";
import { readEvaluationOf } from "../records/read-records.js";

/**
 * Certified claims that held-out requests contradict, in words; empty when none is. An approval needs a recorded override
 * then. A rate above the target that chance explains is no contradiction; the claim's sentence states it.
 */
export function failedGates(evaluation: MeasuredClaims, calibration: Pick<Calibration, "claims">): readonly string[] {
  const certified = certifiedClaims(calibration);
  return calibration.claims.flatMap((claim) => {
    const { standing, reason } = judgeClaim(claim, evaluation, certified);
    if (standing !== "contradict") return [];
    return [`${claim.scope === "overall" ? "overall" : `tier ${claim.scope}`}: ${reason}`];
  });
}

/** What a release changes against the bundle that it supersedes, in words. */
export function releaseChanges(history: History, manifest: KeptManifest, evaluation: Evaluation): readonly string[] {
  const { supersedes } = manifest.predicate;
  if (supersedes === null) return ["first release: no earlier bundle to compare with"];
  const before = manifestIfKept(history, supersedes);
  if (before === null) return [`bundle ${shortId(supersedes)} is not in this history; nothing can be compared`];
  return [
    `compared with bundle ${shortId(supersedes)}, release ${before.predicate.release}`,
    ...metricChanges(history, before, evaluation),
    flips(history, before, manifest),
    partChanges(before, manifest),
    ...eventChanges(before, manifest),
  ];
}

/** The manifest of a bundle; null where the history lacks it. */
export function manifestIfKept(history: History, bundleId: BundleId): KeptManifest | null {
  try {
    return readManifest(history, bundleId);
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code === "RECORD_NOT_FOUND") return null;
    throw thrown;
  }
}

function metricChanges(history: History, before: KeptManifest, now: Evaluation): readonly string[] {
  const old = readEvaluationOf(history, before.predicate.calibration.sha256).document;
  const names = ["coverage", "inScopeCoverage", "selectiveRisk", "outOfScopeRouted"] as const;
  const words = {
    coverage: "coverage",
    inScopeCoverage: "coverage in scope",
    selectiveRisk: "selective risk",
  } as const;
  const label = { ...words, outOfScopeRouted: "out of scope routed" };
  return names.map((name) => `${label[name]}: ${rateText(old[name])} before, ${rateText(now[name])} now`);
}

/** Value with its 95 % interval. */
function rateText({ estimate, lower, upper }: Rate): string {
  if (estimate === null || lower === null || upper === null) return "undefined";
  return `${formatProportion(estimate)} [${formatProportion(lower)}, ${formatProportion(upper)}]`;
}

function goldenOf(history: History, { predicate }: KeptManifest): GoldenWire["cases"] {
  return parseGolden(getBlob(history, predicate.golden.sha256)).cases;
}

/** Decision flips among the requests whose decisions both bundles fix. */
function flips(history: History, before: KeptManifest, now: KeptManifest): string {
  const old = new Map(goldenOf(history, before).map((golden) => [golden.text, golden]));
  const common = goldenOf(history, now).filter(({ text }) => old.has(text));
  const flipped = common.filter((golden) => {
    const known = old.get(golden.text);
    return known?.decision !== golden.decision || known.workflow_id !== golden.workflow_id;
  });
  return `golden decisions: ${flipped.length} of ${common.length} common to both bundles differ`;
}

function partChanges(before: KeptManifest, now: KeptManifest): string {
  const documents = (["catalog", "calibration", "policy"] as const).filter(
    (name) => before.predicate[name].sha256 !== now.predicate[name].sha256,
  );
  const models = (["retriever", "verifier"] as const).filter(
    (role) => before.predicate[role].dir_hash1 !== now.predicate[role].dir_hash1,
  );
  return `changed parts: ${[...documents, ...models].join(", ") || "none"}`;
}

function eventChanges(before: KeptManifest, now: KeptManifest): readonly string[] {
  const [old, next] = [before, now].map(({ predicate }) => describeExactEvents(predicate.exact_events));
  return old === next ? [] : [`exact events: ${old} before; ${next} now`];
}
