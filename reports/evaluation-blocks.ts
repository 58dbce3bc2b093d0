import * as b from "./blocks.js";
import { reliabilitySpec } from "./charts/reliability.js";
import { riskCoverageSpec } from "./charts/risk-coverage.js";
import { scoresSpec } from "./charts/scores.js";
import { tierCurveSpec } from "./charts/tier-curve.js";
import type { ClaimView } from "./claim-view.js";
import { badgeWith } from "./headline.js";
import type { TierView } from "./tier-view.js";
import type { ReportModel } from "./view-model.js";

/** The page of an evaluation report: first the visible sections, then those that open on demand. */
export function evaluationBlocks(model: ReportModel): b.PageBlocks {
  const { title, generatedFor, overall, headline, reservation, facts, warnings } = model;
  return {
    title,
    windowTitle: `${title}: ${generatedFor}`,
    subtitle: generatedFor,
    verdict: {
      ...badgeWith(b.badgeOf(overall.verdict), reservation),
      sentence: overall.sentence,
      detail: overall.detail,
    },
    headline,
    facts,
    warnings,
    contents: true,
    sections: [...visibleSections(model), ...closedSections(model)],
  };
}

function visibleSections(model: ReportModel): b.PageBlocks["sections"] {
  const { claims, explorer, shortlistLengths } = model;
  return [
    b.section("promise", "What is promised", [
      ...(claims.length === 0 ? [b.text("Nothing is promised.")] : promises(claims)),
      model.shortlist === null ? null : b.text(model.shortlist),
      ...model.followUps.map(b.text),
      b.table(model.numbers),
      claims.length === 0 ? null : b.muted(passRules),
    ]),
    b.section("charts", "Thresholds, risk and coverage", [
      model.tierCurves.length === 0 ? null : b.legend(curveLegend),
      b.box("charts", [
        ...model.tierCurves.map((view, index) => b.chart(`tier-curve-${index + 1}`, view, tierCurveSpec)),
        b.chart("reliability", model.reliability, reliabilitySpec),
        model.scores.data === null ? null : b.chart("scores", model.scores, scoresSpec),
      ]),
    ]),
    b.section("requests", "Where requests end", [
      model.losses.length === 0 ? b.text("No data: without thresholds no request is decided.") : null,
      ...[...model.losses, model.confusions, model.slices].map(b.foldedTable),
    ]),
    explorer === null
      ? null
      : b.section("explorer", "Explore thresholds and errors", [
          { kind: "explorer", view: explorer },
          shortlistLengths === null ? null : b.table(shortlistLengths),
        ]),
  ];
}

function closedSections(model: ReportModel): b.PageBlocks["sections"] {
  const { tiers, baseline } = model;
  return [
    b.closedSection("tiers", "Each tier", [
      tiers.length === 0
        ? b.text("No data: no calibration was used, so no tier has a threshold.")
        : b.box("tiers", tiers.map(tierCard)),
    ]),
    b.closedSection("measured", "All rates", [
      b.rates(model.measured),
      b.heading("Retrieval"),
      b.rates(model.retrieval),
    ]),
    b.closedSection(
      "baselines",
      "Compared with other systems",
      baseline === null
        ? [b.text("No data: no baseline was run.")]
        : [
            baseline.sentence === null ? null : b.text(baseline.sentence),
            b.muted(baselineNote),
            b.foldedTable(baseline.table),
          ],
    ),
    b.closedSection("decisions", "Decisions and reasons", [b.table(model.decisions), b.table(model.reasons)]),
    b.closedSection("scope", "Out of scope", [model.outOfScope, model.populations].map(b.table)),
    b.closedSection("calibration", "Calibration quality", [
      b.box("charts", [
        b.chart("risk-coverage", model.riskCoverage, riskCoverageSpec),
        b.box("", [
          b.heading("Scores"),
          b.table(model.quality),
          b.heading("Calibration"),
          model.calibration.length === 0 ? b.text("No calibration was given.") : b.facts(model.calibration, "pairs"),
        ]),
      ]),
      model.drift.rows.length === 0 ? null : b.table(model.drift),
    ]),
    b.closedSection("evidence", "Evidence", [b.table(model.lineage)]),
    b.closedSection("reading", "How to read this page", reading),
  ];
}

const promises = (claims: readonly ClaimView[]): b.Blocks => [
  b.list(
    claims.map(({ promise, verdict, reason }) => [
      { strong: promise },
      " ",
      { badge: b.badgeOf(verdict) },
      " ",
      { muted: reason },
    ]),
    "promises",
  ),
  b.fold("As signed: full sentences, conditions and test steps", claims.map(claimCard)),
];

const claimCard = ({ title, verdict, sentence, promise, rates, conditions, certification }: ClaimView): b.Block =>
  b.card(`claim-${title.replace(" ", "-").toLowerCase()}`, title, verdict, [
    sentence === promise ? null : b.text(sentence),
    b.rates(rates),
    conditions === null ? null : b.table(conditions),
    b.table(certification),
  ]);

const tierCard = ({ tier, verdict, reason, rates, facts, workflows }: TierView): b.Block =>
  b.card(`tier-${tier}`, `Tier ${tier}`, verdict, [
    b.text(reason),
    b.rates(rates),
    b.facts(facts, "pairs"),
    workflows === null ? null : b.fold(`Active workflows of tier ${tier}: ${workflows.length}`, [b.list(workflows)]),
  ]);

const passRules =
  "The row All passes if its claim was certified and held-out requests do not contradict it, even if they are few and the " +
  "interval is wide. A tier with its own target passes if its whole interval is at or below the target.";

const curveLegend =
  "Thresholds are stricter to the left. The shaded band of held-out requests is a pointwise 95% interval, the dashed line " +
  "is the target, and the thick line is the certified part. The circle marks the threshold in force, and the cross marks " +
  "the first threshold that failed certification; both are placed at their results on this fold.";

const baselineNote =
  "Both systems answered the same requests. Bands and p-values come from resampling whole clusters. Each " +
  "coverage is the largest that any threshold reaches on these requests, so it is an upper bound for both.";

const reading: b.Blocks = [
  b.text([
    { strong: "16/2,617 = 0.61% [0.34%, 1.00%]" },
    " means 16 of 2,617 requests, which is 0.61%, with its 95% interval in brackets. Wrong routes of the requests that tested " +
      "a claim have the claim's own limit, and none where their count differs. Upper limits are rounded up and lower " +
      "limits down, so a printed limit never claims more than the evidence supports.",
  ]),
  b.text([
    { strong: "pass" },
    ": a claim is certified, and held-out requests do not contradict it; for a tier with a target, the whole interval is at " +
      "or below the target. ",
    { strong: "fail" },
    ": held-out requests contradict a claim, or the whole interval of a tier is above its target. ",
    { strong: "NOT SHOWN" },
    ": neither pass nor fail can be shown. ",
    { strong: "abstains" },
    ": nothing is certified, so nothing is routed, which is safe but useless. ",
    { strong: "no claim" },
    ": the overall claim covers the tier together with others, but not by itself.",
  ]),
  b.text(
    "Requests of one cluster resemble each other. Where that matters, they are counted as fewer independent requests " +
      "(“clustered”), and the number of clusters is printed after the rate. A cluster is a workflow or, where the claim is " +
      "about this catalog, a family of similar requests; out of scope, a group. All intervals assume that future requests " +
      "are like these.",
  ),
];
