import type { ReleaseDifferences, ReleaseQuestion } from "../../../reports/release/release-page.js";
import type { Calibration } from "../../../src/domain/calibration.js";
import { riskTiers } from "../../../src/domain/choices.js";
import type { Evaluation } from "../../../src/domain/evaluation.js";
import { counted, formatCount, formatPercent, formatRate } from "../../../src/domain/number-text.js";
import type { ManifestPredicateWire } from "../../../src/domain/signed.js";
import { describeExactEvents } from "../describe-exact-events.js";

/** Inputs to the answers. */
export interface QuestionSources {
  readonly evaluation: Evaluation;
  readonly calibration: Calibration;
  readonly predicate: Pick<ManifestPredicateWire, "exact_events" | "release" | "rollback_floor" | "supersedes">;
  readonly changes: ReleaseDifferences | null;
  /** The audit of the dataset: its verdict and who accepted failed checks; empty without one. */
  readonly audit: { readonly lines: readonly string[]; readonly passed: boolean };
}

/** Questions of a careful person before signing, with answers from the records; concerns come first. */
export function releaseQuestions(sources: QuestionSources): ReleaseQuestion[] {
  const all = [
    ...evidenceQuestions(sources),
    ...(sources.changes === null ? [] : changeQuestions(sources.changes)),
    ...scopeQuestions(sources),
    ...operationQuestions(sources),
  ];
  return [...all.filter(({ concern }) => concern), ...all.filter(({ concern }) => !concern)];
}

const asked = (question: string, answer: string, concern: boolean): ReleaseQuestion => ({ question, answer, concern });

function evidenceQuestions({ evaluation, calibration, audit }: QuestionSources): readonly ReleaseQuestion[] {
  const { exampleErrors, requests } = evaluation;
  const tested = calibration.claims.reduce((most, claim) => Math.max(most, claim.effectiveRouted), 0);
  return [
    asked(
      "How much evidence is behind the promise?",
      tested === 0
        ? "None: no tested request could be routed."
        : `At most ${counted(tested, "independent routed request")}, whatever their number.`,
      tested === 0,
    ),
    asked(
      "Was every request of the test counted?",
      exampleErrors === 0
        ? `All ${formatCount(requests)}.`
        : `${formatCount(exampleErrors)} of ${formatCount(requests)} failed and are in no number.`,
      exampleErrors > 0,
    ),
    asked("Did the audit of the dataset find anything?", audit.lines.join("; ") || "There is no audit.", !audit.passed),
    ...calibration.warnings.map((warning) => asked("What does the calibration warn about?", warning, true)),
  ];
}

function changeQuestions({ flips, metrics, workflows, parts }: ReleaseDifferences): readonly ReleaseQuestion[] {
  const worse = metrics.filter(({ verdict }) => verdict === "worse");
  const models = parts.filter((part) => part === "retriever" || part === "verifier");
  return [
    asked(
      "Is anything shown to be worse than in production?",
      worse.length === 0
        ? "No measure is."
        : `${worse.map(({ label, difference }) => `${label} ${difference}`).join("; ")}.`,
      worse.length > 0,
    ),
    ...(flips === null
      ? [asked("Which decisions change?", "Nobody can tell: the releases share no tested request.", true)]
      : [
          asked(
            "Do single requests end worse?",
            `${formatCount(flips.worse)} of ${formatCount(flips.requests)} end worse, ${formatCount(flips.better)} better.`,
            flips.worse > 0,
          ),
        ]),
    ...(workflows.removed.length === 0
      ? []
      : [
          asked(
            "What happens to requests for removed workflows?",
            `They should be declined: ${shortList(workflows.removed)}.`,
            true,
          ),
        ]),
    ...(models.length === 0
      ? []
      : [
          asked("Do the models change?", `Yes: ${models.join(" and ")}. Confidences of before mean nothing now.`, true),
        ]),
  ];
}

function scopeQuestions({ evaluation, calibration }: QuestionSources): readonly ReleaseQuestion[] {
  const { outOfScopeShare, traffic, risingRisk, tiers, certifiedWorkflows } = calibration;
  const abstaining = riskTiers.filter((tier) => tiers[tier].confidence === null);
  const share = `${formatPercent(outOfScopeShare, 2)} of the requests`;
  const rises = risingRisk !== null && risingRisk.statistic > 1.645;
  return [
    asked(
      "How many requests without a workflow does it take?",
      traffic.declared
        ? `The claim expects ${share}, as was declared for production.`
        : `The claim expects ${share}, as in the test: nobody declared the share in production.`,
      !traffic.declared,
    ),
    asked("How many of those are routed all the same?", formatRate(evaluation.outOfScopeRouted), false),
    ...(risingRisk === null
      ? []
      : [
          asked(
            "Are workflows with high scores wrong more often?",
            rises ? "There is a sign of it, and no claim about new workflows covers it." : "There is no sign of it.",
            rises,
          ),
        ]),
    ...(certifiedWorkflows === null
      ? []
      : [
          asked(
            "Which workflows are routed at all?",
            `The ${formatCount(certifiedWorkflows.length)} that were tested; any other one is declined.`,
            false,
          ),
        ]),
    ...(abstaining.length === 0
      ? []
      : [asked("Which tiers are never routed?", `${abstaining.join(", ")}: no threshold is certified.`, false)]),
  ];
}

function operationQuestions({ predicate }: QuestionSources): readonly ReleaseQuestion[] {
  const { exact_events: events, release, rollback_floor: floor, supersedes } = predicate;
  const noWayBack = supersedes !== null && floor >= release;
  return [
    asked(
      "Can a caller choose a workflow by an event?",
      events.enabled ? `${describeExactEvents(events)}.` : "No.",
      events.enabled,
    ),
    asked(
      "Can production go back?",
      noWayBack
        ? "No: once this release has run, no older one may."
        : supersedes === null
          ? "There is no release before it."
          : `Yes, to release ${floor} or later.`,
      noWayBack,
    ),
  ];
}

const shownNames = 5;

function shortList(names: readonly string[]): string {
  const more = names.length - shownNames;
  return `${names.slice(0, shownNames).join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}
