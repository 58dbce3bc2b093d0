import { languageName } from "../../src/base/language.js";
import { formatPercent } from "../../src/documents/number-text.js";
import type { MetricFamily, Labels, Sample } from "../metrics/exposition.js";

/** A state that has an entry of this name in docs/how-to/runbook.md. */
export interface OpsNotice {
  readonly alert: string;
  readonly text: string;
  /** Nothing should be routed before somebody has acted: shown in red, others in amber. */
  readonly urgent: boolean;
}

/** Number of decisions with one reason since the server started. */
export interface ReasonCount {
  readonly decision: string;
  readonly reasonCode: string;
  readonly tier: string;
  readonly count: number;
  /** Share of all decisions, 0 to 1. */
  readonly share: number;
}

/** A live statistic with the interval from the signed calibration, all in [0, 1]. */
export interface LiveRate {
  readonly statistic: string;
  readonly tier: string;
  readonly lower: number;
  readonly upper: number;
  /** null before the first decision of this kind. */
  readonly live: number | null;
  readonly drifting: boolean;
  /** The drift statistic as a share of what an alarm needs. */
  readonly shareOfAlarm: number;
}

/** Decisions of the shadow bundle on the requests of the active bundle. */
export interface ShadowCounts {
  readonly compared: number;
  readonly waiting: number;
  readonly skipped: number;
  readonly flips: readonly {
    readonly flip: string;
    readonly from: string;
    readonly to: string;
    readonly tier: string;
    readonly count: number;
  }[];
}

export interface OpsFact {
  readonly label: string;
  readonly value: string;
}

/** Content of the operators' page: the metrics of this server, rearranged. */
export interface OpsView {
  readonly ready: boolean;
  /** By harm, worst first; empty if nothing requires an operator. */
  readonly notices: readonly OpsNotice[];
  readonly bundle: readonly OpsFact[];
  readonly decided: number;
  readonly reasons: readonly ReasonCount[];
  readonly rates: readonly LiveRate[];
  /** null if there is no shadow bundle. */
  readonly shadow: ShadowCounts | null;
  readonly queue: readonly OpsFact[];
  readonly exchanges: readonly {
    readonly route: string;
    readonly status: string;
    readonly error: string;
    readonly count: number;
  }[];
}

const secondsPerDay = 86_400;
const shownIdDigits = 12;
/** Minimum share of refused requests for a notice. */
const overloadedShare = 0.01;
/** Same period as in the alert SluiceApprovalEndsSoon. */
const soonDays = 7;

/** Builds the view from one scrape and @param problems  why the active bundle cannot be served; empty if it can. */
export function opsView(families: readonly MetricFamily[], problems: readonly string[]): OpsView {
  const metrics = metricReader(families);
  const rates = liveRates(metrics);
  const reasons = reasonCounts(metrics);
  return {
    ready: metrics.sum("sluice_bundle_ready") === 1,
    notices: notices(metrics, rates, problems),
    bundle: [...bundleFacts(metrics), ...claimFacts(metrics)],
    decided: metrics.sum("sluice_decisions_total") ?? 0,
    reasons,
    rates,
    shadow: shadowCounts(metrics),
    queue: queueFacts(metrics),
    exchanges: exchanges(metrics),
  };
}

const whole = (value: number | null): string => (value === null ? "unknown" : String(Math.round(value)));
const moment = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/u, "Z");
/** Rounded down, so that a remaining time of some hours does not count as a day. */
const days = (seconds: number): string => (Math.floor((seconds / secondsPerDay) * 10) / 10).toFixed(1);

function notices(metrics: MetricReader, rates: readonly LiveRate[], problems: readonly string[]): readonly OpsNotice[] {
  const remaining = metrics.sum("sluice_approval_remaining_seconds");
  const requests = metrics.sum("sluice_http_requests_total") ?? 0;
  const overloaded = metrics.sum("sluice_http_requests_total", { error_code: "SERVER_OVERLOADED" }) ?? 0;
  const drifting = rates.filter((rate) => rate.drifting).map(({ statistic, tier }) => `${statistic} of ${tier}`);
  const found: readonly (OpsNotice & { readonly holds: boolean })[] = [
    {
      holds: liveClaims(metrics).some(({ refuted }) => refuted),
      urgent: true,
      alert: "SluiceClaimRefuted",
      text: claimText(metrics),
    },
    {
      holds: metrics.sum("sluice_bundle_demonstration") === 1,
      urgent: true,
      alert: "SluiceDemonstration",
      text: "A demonstration bundle is serving.",
    },
    {
      holds: metrics.sum("sluice_bundle_ready") !== 1,
      urgent: true,
      alert: "SluiceBundleNotReady",
      text: `The bundle cannot be served; every request is declined${problems.map((one) => `: ${one}`).join("")}.`,
    },
    {
      holds: drifting.length > 0,
      urgent: false,
      alert: "SluiceDrift",
      text: `Live decisions differ from the signed calibration: ${drifting.join(", ")}.`,
    },
    {
      holds: overloaded > 0 && overloaded >= overloadedShare * requests,
      urgent: false,
      alert: "SluiceOverloaded",
      text: `${whole(overloaded)} of ${whole(requests)} requests since the start were refused: the server was overloaded.`,
    },
    {
      holds: remaining !== null && remaining < soonDays * secondsPerDay,
      urgent: false,
      alert: "SluiceApprovalEndsSoon",
      text: `The approvals end in ${days(Math.max(0, remaining ?? 0))} days.`,
    },
    {
      holds: (metrics.sum("sluice_log_lines_lost_total") ?? 0) > 0,
      urgent: false,
      alert: "SluiceLogLinesLost",
      text: "Log lines were lost.",
    },
  ];
  return found.filter(({ holds }) => holds).map(({ alert, text, urgent }) => ({ alert, text, urgent }));
}

/** State of the live check of each claim; empty if the bundle has none over all tiers or about a language. */
function liveClaims(metrics: MetricReader) {
  return metrics.samples("sluice_live_risk_limit").map(({ labels, value: limit }) => {
    const count = (what: string): string => whole(metrics.sum(`sluice_live_risk_${what}`, labels));
    const { language } = labels;
    return {
      about: language === undefined ? "" : ` in ${languageName(language)}`,
      limit: formatPercent(limit, 2),
      wrong: count("wrong"),
      labelled: count("labels"),
      refuted: metrics.sum("sluice_live_risk_refuted", labels) === 1,
    };
  });
}

/** Evidence of the labelled routes against the claims. */
const claimText = (metrics: MetricReader): string =>
  liveClaims(metrics)
    .filter(({ refuted }) => refuted)
    .map(
      ({ about, limit, wrong, labelled }) =>
        `Labelled routes${about} refute the claim: ${wrong} wrong of ${labelled}, limit ${limit}.`,
    )
    .join(" ");

const claimFacts = (metrics: MetricReader): readonly OpsFact[] =>
  liveClaims(metrics).map(({ about, limit, wrong, labelled, refuted }) => ({
    label: `At most ${limit} wrong${about}`,
    value: `${wrong} wrong of ${labelled} labelled: ${refuted ? "refuted" : "not refuted"}`,
  }));

function bundleFacts(metrics: MetricReader): readonly OpsFact[] {
  const labels = metrics.samples("sluice_bundle_info")[0]?.labels ?? {};
  const remaining = metrics.sum("sluice_approval_remaining_seconds");
  const loaded = metrics.sum("sluice_bundle_loaded_timestamp_seconds");
  const ready = metrics.sum("sluice_bundle_ready") === 1;
  return [
    {
      label: "Approval left",
      value: !ready ? "not served" : remaining === null ? "no approvals" : `${days(Math.max(0, remaining))} days`,
    },
    { label: "Release", value: whole(metrics.sum("sluice_bundle_release")) },
    { label: "Generation", value: whole(metrics.sum("sluice_generation")) },
    { label: "Loaded", value: loaded === null ? "unknown" : moment(loaded) },
    { label: "Catalog", value: labels["catalog_version"] ?? "unknown" },
    { label: "Calibration", value: labels["calibration_version"] ?? "unknown" },
    { label: "Model", value: labels["model_version"] ?? "unknown" },
    { label: "Bundle", value: labels["bundle_id"]?.slice(0, shownIdDigits) ?? "unknown" },
  ];
}

function reasonCounts(metrics: MetricReader): readonly ReasonCount[] {
  const total = metrics.sum("sluice_decisions_total") ?? 0;
  return metrics
    .samples("sluice_decisions_total")
    .map(({ labels, value }) => ({
      decision: labels["decision"] ?? "",
      reasonCode: labels["reason_code"] ?? "",
      tier: labels["tier"] ?? "",
      count: value,
      share: value / total,
    }))
    .toSorted((a, b) => b.count - a.count || a.reasonCode.localeCompare(b.reasonCode));
}

function liveRates(metrics: MetricReader): readonly LiveRate[] {
  return metrics.samples("sluice_drift_expected_lower").map(({ labels, value }) => ({
    statistic: labels["statistic"] ?? "",
    tier: labels["tier"] ?? "",
    lower: value,
    upper: metrics.sum("sluice_drift_expected_upper", labels) ?? 1,
    live: metrics.sum("sluice_drift_live", labels),
    drifting: metrics.sum("sluice_drift_alarm", labels) === 1,
    shareOfAlarm: metrics.sum("sluice_drift_evidence", labels) ?? 0,
  }));
}

function shadowCounts(metrics: MetricReader): ShadowCounts | null {
  const waiting = metrics.sum("sluice_shadow_waiting");
  if (waiting === null) return null;
  return {
    compared: metrics.sum("sluice_shadow_comparisons_total") ?? 0,
    waiting,
    skipped: metrics.sum("sluice_shadow_skipped_total") ?? 0,
    flips: metrics.samples("sluice_shadow_flips_total").map(({ labels, value }) => ({
      flip: labels["flip"] ?? "",
      from: labels["from"] ?? "",
      to: labels["to"] ?? "",
      tier: labels["tier"] ?? "",
      count: value,
    })),
  };
}

function queueFacts(metrics: MetricReader): readonly OpsFact[] {
  const count = (what: string): string => whole(metrics.sum(`sluice_inference_${what}`));
  const delayMs = (metrics.sum("sluice_event_loop_delay_seconds") ?? 0) * 1000;
  return [
    { label: "Model runs waiting", value: count("jobs_waiting") },
    { label: "Model runs in threads", value: count("jobs_under_way") },
    { label: "Threads ready", value: count("workers_ready") },
    { label: "Model runs refused at a full queue", value: count("jobs_refused_total") },
    { label: "Missed the deadline", value: count("jobs_expired_total") },
    { label: "Failed", value: count("jobs_failed_total") },
    { label: "Thread restarts", value: count("worker_restarts_total") },
    { label: "Event loop delay", value: `${delayMs.toFixed(0)} ms` },
  ];
}

function exchanges(metrics: MetricReader): OpsView["exchanges"] {
  return metrics
    .samples("sluice_http_requests_total")
    .map(({ labels, value }) => ({
      route: labels["route"] ?? "",
      status: labels["status"] ?? "",
      error: labels["error_code"] ?? "",
      count: value,
    }))
    .toSorted((a, b) => b.count - a.count || a.route.localeCompare(b.route));
}

interface MetricReader {
  /** Samples of a family; empty if the family is missing. */
  samples(name: string): readonly Sample[];
  /** Sum of the samples that have these labels; null if there are none. */
  sum(name: string, labels?: Labels): number | null;
}

/** Creates a reader of the metric families that `GET /metrics` returns. */
function metricReader(families: readonly MetricFamily[]): MetricReader {
  const byName = new Map(families.map(({ name, samples }) => [name, samples]));
  const samples = (name: string): readonly Sample[] => byName.get(name) ?? [];
  return {
    samples,
    sum(name, labels = {}) {
      const found = samples(name).filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
    },
  };
}
