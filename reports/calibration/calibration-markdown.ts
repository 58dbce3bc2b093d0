import { markdownList, markdownTable, markdownText as plain, markdownView } from "../markdown-parts.js";
import type { CalibrationPage } from "./calibration-page.js";

/** The page as Markdown, with the charts as tables. Ends with a line break. */
export function renderCalibrationMarkdown(page: CalibrationPage): string {
  const { reliability, plan, otherClaims } = page;
  const parts = [
    `# ${plain(page.title)}`,
    plain(page.calibrator),
    `**${page.certified ? "certified" : "not certified"}**: ${plain(`${page.promise} ${page.basis}`.trimEnd())}`,
    ...(page.warnings.length === 0 ? [] : ["## Read before you decide", markdownList(page.warnings)]),
    "## How the thresholds were certified",
    ...page.sweeps.map(markdownView),
    "## Conditions of the claim",
    ...(otherClaims.length === 0
      ? []
      : [markdownList(otherClaims.map(({ scope, sentence }) => `${scope}: ${sentence}`))]),
    ...page.conditions.flatMap((table) => (table === null ? [] : [markdownTable(table)])),
    "## Tiers",
    markdownTable(page.tiers),
    ...(page.shortlist === null ? [] : ["## Shortlists", plain(page.shortlist.caption), markdownTable(page.shortlist)]),
    "## Confidence before and after calibration",
    ...(reliability === null
      ? ["The scored requests are not in this workspace."]
      : [markdownView(reliability.before), markdownView(reliability.after)]),
    "## Does risk rise with the scores of a workflow?",
    plain(page.risingRisk),
    ...(plan === null ? [] : ["## What the data could support", markdownView(plan)]),
    "## What is declined",
    markdownList(page.leftOut),
    markdownTable(page.traffic),
    "## How it was fitted",
    markdownTable(page.fit),
    markdownTable(page.candidates),
    "## Evidence",
    markdownTable(page.digests),
  ];
  return `${parts.join("\n\n")}\n`;
}
