import * as b from "../blocks.js";
import { planTargetsSpec } from "../charts/plan-targets.js";
import { reliabilitySpec } from "../charts/reliability.js";
import { thresholdSweepSpec } from "../charts/threshold-sweep.js";
import { badgeWith } from "../headline.js";
import type { CalibrationPage } from "./calibration-page.js";

/** The page of one calibration: the claim and how it was certified, then what it does not cover. */
export function calibrationBlocks(page: CalibrationPage): b.PageBlocks {
  const { title, calibrator, certified, reservation, headline, promise, basis, facts, warnings, links } = page;
  return {
    title,
    subtitle: calibrator,
    verdict: {
      ...badgeWith(
        certified ? { word: "certified", tone: "pass" } : { word: "not certified", tone: "abstain" },
        reservation,
      ),
      sentence: promise,
      detail: basis,
    },
    headline,
    facts,
    warnings,
    links,
    sections: sectionsOf(page),
  };
}

function sectionsOf(page: CalibrationPage): b.PageBlocks["sections"] {
  const { conditions, plan, reliability } = page;
  const [sweep, ...furtherSweeps] = page.sweeps.map((view, index) =>
    b.chart(`threshold-sweep-${index + 1}`, view, thresholdSweepSpec),
  );
  const [firstConditions = null, ...furtherConditions] = conditions;
  return [
    b.section("path", "How the claim was certified, and when it holds", [
      b.box("side-by-side", [
        sweep ?? null,
        b.box("", [
          b.legend(sweepLegend),
          firstConditions === null
            ? b.text("Nothing is certified, so there are no conditions.")
            : b.table(firstConditions),
        ]),
      ]),
    ]),
    furtherSweeps.length === 0
      ? null
      : b.section("claims", "Further claims", [
          b.list(page.otherClaims.map(({ scope, sentence }) => [{ strong: scope }, `: ${sentence}`])),
          b.box("charts", furtherSweeps),
          ...furtherConditions.map((table) => (table === null ? null : b.foldedTable(table))),
        ]),
    b.section("tiers", "Tiers", [b.table(page.tiers)]),
    page.shortlist === null ? null : b.section("shortlist", "Shortlists", [b.table(page.shortlist)]),
    page.followUps.length === 0 ? null : b.section("follow-ups", "Follow-ups", page.followUps.map(b.text)),
    b.section(
      "reliability",
      "Confidence before and after calibration",
      reliability === null
        ? [b.text("The scored requests are not in this workspace.")]
        : [
            b.muted(`${reliability.requests} After calibration the points should lie on the diagonal.`),
            b.box("charts", [
              b.chart("reliability-before", reliability.before, reliabilitySpec),
              b.chart("reliability-after", reliability.after, reliabilitySpec),
            ]),
          ],
    ),
    b.section("rising", "Does risk rise with the scores of a workflow?", [b.text(page.risingRisk)]),
    plan === null
      ? null
      : b.section("plan", "What the data could support", [
          b.box("charts", [b.chart("plan-targets", plan, planTargetsSpec)]),
        ]),
    b.section("left-out", "What is declined", [b.list(page.leftOut), b.foldedTable(page.traffic)]),
    b.section("fit", "How it was fitted", [b.table(page.fit), b.foldedTable(page.candidates)]),
    b.section("evidence", "Evidence", [b.table(page.digests)]),
  ];
}

const sweepLegend =
  "Targets are tested from loose to strict, the thresholds of one target from strict to loose; the first failed test ends " +
  "the sequence. The solid line is the share of wrong routes, the dotted line its upper limit, and the dashed line the target. The shaded part passed. The circle marks " +
  "the signed threshold, the cross the first one that failed.";
