import {
  markdownList as bullets,
  markdownTable as table,
  markdownText as plain,
  markdownView as chart,
} from "./markdown-parts.js";
import type { ClaimView, Fact, RateLine, ReportModel, TierView } from "./report-model.js";

function rates(lines: readonly RateLine[]): string {
  return table({
    caption: "Rates",
    columns: ["Rate", "k/n = value [interval]", "Better", "Meaning", "Evidence"].map((label) => ({
      label,
      numeric: false,
    })),
    rows: lines.map((l) => [l.label, l.text, l.direction.replace(" is better", ""), l.meaning, l.basis]),
  });
}

function factLines(facts: readonly Fact[]): string {
  return facts.map((fact) => `- ${plain(fact.label)}: ${plain(fact.value)}`).join("\n");
}

function claim(view: ClaimView): string {
  return [
    `### ${view.title}: ${view.verdict}`,
    `**${plain(view.sentence)}**`,
    plain(view.reason),
    rates(view.rates),
    ...(view.conditions === null ? [] : [table(view.conditions)]),
    `#### ${plain(view.certification.caption)}`,
    table(view.certification),
  ].join("\n\n");
}

function tier(view: TierView): string {
  const members =
    view.workflows === null
      ? []
      : [
          view.workflows.length === 0
            ? "Active workflows: none"
            : `Active workflows (${view.workflows.length}): ${plain(view.workflows.join(", "))}`,
        ];
  return [
    `### Tier ${view.tier}: ${view.verdict}`,
    plain(view.reason),
    rates(view.rates),
    factLines(view.facts),
    ...members,
  ].join("\n\n");
}

/** The report as Markdown, from the same model as the HTML page, with the charts as tables. Ends with a line break. */
export function renderEvaluationMarkdown(model: ReportModel): string {
  const { verdict, sentence, detail } = model.overall;
  const parts = [
    `# ${plain(model.title)}`,
    plain(model.generatedFor),
    `**${verdict}**: ${plain(sentence)} ${plain(detail)}`.trimEnd(),
    factLines(model.facts),
    ...(model.warnings.length === 0 ? [] : ["## Read before you decide", bullets(model.warnings)]),
    "## What is promised",
    ...(model.claims.length === 0 ? ["Nothing is promised."] : model.claims.map(claim)),
    ...(model.shortlist === null ? [] : [plain(model.shortlist)]),
    ...(model.shortlistLengths === null ? [] : [plain(model.shortlistLengths.caption), table(model.shortlistLengths)]),
    table(model.numbers),
    "## All rates",
    rates(model.measured),
    "## Tiers",
    ...(model.tiers.length === 0
      ? ["No data: no calibration was used, so no tier has a threshold."]
      : model.tiers.map(tier)),
    "## Charts as tables",
    ...model.tierCurves.map(chart),
    chart(model.riskCoverage),
    chart(model.tierBars),
    chart(model.reliability),
    chart(model.scores),
    chart(model.confusedPairs),
    chart(model.funnel),
    chart(model.drift),
    "## Retrieval",
    rates(model.retrieval),
    "## Comparison with the baselines",
    ...(model.baselines.tables.length === 0 ? ["No data: no baseline was run."] : [bullets(model.baselines.sentences)]),
    ...model.baselines.tables.flatMap((each) => [plain(each.caption), table(each)]),
    "## Decisions and reasons",
    table(model.decisions),
    table(model.reasons),
    "## Where requests end",
    ...(model.losses.length === 0 ? ["No data: without thresholds no request is decided."] : model.losses.map(table)),
    ...[model.confusions, model.slices].filter(({ rows }) => rows.length > 0).map(table),
    "## Out of scope",
    table(model.outOfScope),
    table(model.populations),
    table(model.guards),
    "## Calibration quality",
    table(model.quality),
    model.calibration.length === 0 ? "No calibration was given." : factLines(model.calibration),
    "## Evidence",
    table(model.lineage),
  ];
  return `${parts.join("\n\n")}\n`;
}
