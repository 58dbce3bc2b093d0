import { formatCount } from "../../src/documents/number-text.js";
import { type PageStatus, statusSentence } from "./page-status.js";
import { flipSentence, workflowCounts } from "./page-tables.js";
import type { ReleaseDifferences, ReleasePage } from "./release-page.js";

export const summaryWidth = 100;

const indent = "  ";
/** Maximum number of listed items; the rest are counted. */
const mostItems = 5;
/** Maximum number of listed questions before signing and of edited requests. */
const mostQuestions = 10;
/** Maximum number of lines of an answer, an edited request, or a promise, so that no promise of Sluice is truncated. */
const mostAnswerLines = 12;
/** Number of rates in the summary: risk, coverage, coverage in scope, out of scope routed. */
const mostMeasured = 4;
/** Maximum number of lines of a text; longer texts are truncated. */
const mostLines = 4;

/**
 * The release page for a terminal, from the same view model: at most 100 columns wide, with long lists shortened. The
 * last line is the digest of the page, which an approval states.
 */
export function releaseText(page: ReleasePage, status: PageStatus): readonly string[] {
  const concerns = page.questions.filter(({ concern }) => concern);
  return [
    ...wrap(`Release ${page.release}: ${page.bundle_version}, produced by ${page.producer}`, ""),
    ...wrap(`catalog ${page.catalog_version}, calibration ${page.calibration_version}`, indent),
    ...wrap(`exact events ${page.exact_events}`, indent),
    "",
    "Promised",
    ...wrap([page.promise, page.basis, page.always_declined ?? ""].join(" ").trim(), indent, mostAnswerLines),
    ...(page.shortlist === undefined ? [] : wrap(page.shortlist, indent, mostAnswerLines)),
    ...(page.follow_ups ?? []).flatMap((line) => wrap(line, indent, mostAnswerLines)),
    "",
    ...wrap(`Measured on ${page.measured_on}`, ""),
    ...page.measured.slice(0, mostMeasured).flatMap(({ label, text }) => wrap(`${label}: ${text}`, indent)),
    "",
    "Gates",
    ...wrap(`${page.verdict}: ${page.verdict_sentence}`, indent),
    ...few(page.claims.filter(({ verdict }) => verdict !== "pass").map((c) => `${c.scope}: ${c.verdict}. ${c.reason}`)),
    ...page.failed_gates.flatMap((gate) => wrap(`needs --override-gates: ${gate}`, indent)),
    "",
    ...wrap(changesTitle(page), ""),
    ...(page.changes === null ? wrap(page.change_note, indent) : changeLines(page.changes)),
    "",
    "Questions before you sign",
    ...questionLines(concerns),
    ...editedLines(page),
    "",
    "Decisions so far",
    ...few(status.decisions.length === 0 ? ["none"] : status.decisions.map(decisionLine)),
    ...wrap(statusSentence(status), indent),
    ...few(status.approvals?.approved === false ? status.approvals.problems : []),
    "",
    `bundle  ${status.bundle_id}`,
    `page    ${status.page_sha256}`,
  ];
}

const changesTitle = ({ changes }: ReleasePage): string =>
  changes === null ? "Changes" : `Changes since release ${changes.release}, ${changes.bundle_version}`;

function changeLines(changes: ReleaseDifferences): readonly string[] {
  const parts = changes.parts.join(", ") || "none";
  return [
    ...changes.metrics.flatMap(({ label, difference, verdict }) => wrap(`${label}: ${difference}, ${verdict}`, indent)),
    ...wrap(`decisions: ${flipSentence(changes)}`, indent),
    ...wrap(`workflows: ${workflowCounts(changes)}; changed parts: ${parts}`, indent),
    ...few([
      ...changes.promises.map((text) => `promise ${text}`),
      ...changes.thresholds,
      ...changes.policy,
      ...changes.events.map((text) => `events ${text}`),
    ]),
  ];
}

function decisionLine({
  person,
  environment,
  decision,
  at,
  reason,
  gate_override: override,
  not_counted: why,
  derived,
}: Decided): string {
  const because = reason === "" ? "" : `, "${reason}"`;
  const gates = override === null ? "" : `, overrides failed gates: "${override}"`;
  const counted = why === null ? "" : `; DOES NOT COUNT: ${why}`;
  const again = derived === undefined ? "" : `, ${derived}`;
  return `${decision === "approve" ? "approved" : "rejected"} for ${environment} by ${person}, ${at}${because}${gates}${again}${counted}`;
}
type Decided = PageStatus["decisions"][number];

/** The questions for the approver. Their answers list the warnings, so they may take more lines than other texts. */
function questionLines(questions: ReleasePage["questions"]): readonly string[] {
  const texts = questions.map(({ question, answer }) => `${question} ${answer}`);
  return few(texts.length === 0 ? ["none"] : texts, { items: mostQuestions, lines: mostAnswerLines });
}

/** The requests that were edited after they were seen, one item each; empty if there are none. */
function editedLines({ edited }: ReleasePage): readonly string[] {
  if (edited === undefined) return [];
  const texts = edited.listed.map(
    ({ id, label, by, what }) => `${id}: ${label}, ${what}${by === "" ? "" : `, by ${by}`}`,
  );
  return [
    "",
    `Requests edited after their outcome was seen: ${formatCount(edited.requests)}`,
    ...few(texts, { items: mostQuestions, lines: mostAnswerLines }),
  ];
}

/** The first items and the number of the rest. */
function few(texts: readonly string[], { items, lines } = { items: mostItems, lines: mostLines }): readonly string[] {
  const more = texts.length - items;
  return [
    ...texts.slice(0, items).flatMap((text) => wrap(text, indent, lines)),
    ...(more > 0 ? [`${indent}and ${formatCount(more)} more, on the release page`] : []),
  ];
}

/** Wraps a text at `summaryWidth` columns and truncates it after a few lines. */
function wrap(text: string, margin: string, most = mostLines): readonly string[] {
  const lines = wrapped(text, margin);
  return lines.length > most ? [...lines.slice(0, most - 1), `${margin}${indent}...`] : lines;
}

function wrapped(text: string, margin: string): readonly string[] {
  const width = summaryWidth - margin.length - indent.length;
  const lines: string[] = [];
  for (const word of text.split(/\s+/).flatMap((part) => part.match(new RegExp(`.{1,${width}}`, "gu")) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => `${margin}${index === 0 ? "" : indent}${line}`);
}
