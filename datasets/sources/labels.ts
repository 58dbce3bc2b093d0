import { groupBy } from "../../src/stats/group-by.js";
import { wordsOfLabel } from "../draft/workflow-ids.js";
import type { LabelChoices } from "./choices.js";
import { lookAlikes } from "./look-alikes.js";
import type { LeftOutReason, LeftOutRow, SourceText } from "./material.js";

/** Joins labels of a row whose source lists several. */
export const severalMark = "\u001f";

/** Values that people and programs write where there is no label. */
const placeholder =
  /^(?:#?n\.?\/?a\.?|<na>|nan|null|<null>|nil|undefined|unlabell?ed|\(?(?:blank|empty|unassigned|not set)\)?|#(?:ref|value|name|null|div\/0)[!?]?|tbd|todo|[-–—_.?*x]+|\[\]|\{\})$/i;

/** Labels that often mean "everything else". */
const catchAll = new Set(
  "other others misc miscellaneous unknown general default else sonstiges andere anderes autre autres otro otros altro outro 其他".split(
    " ",
  ),
);

/** Out-of-scope labels that count only as a whole: as part of a hierarchy they can mean anything. */
const wholeOnly = new Set(["none", "fallback", "ood"]);

export interface SettledLabels {
  readonly texts: readonly SourceText[];
  readonly leftOut: readonly LeftOutRow[];
  readonly decisions: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Settles what the labels of a source mean: placeholders are no labels, out-of-scope words put a text out of scope,
 * rows with several labels follow the rule, and labels that differ only in case and separators are one. Everything is
 * counted and said.
 */
export function settleLabels(found: readonly SourceText[], choices: LabelChoices): SettledLabels {
  const outside = outsideLabels(found, choices.outOfScopeLabels);
  const joints = jointsOf(found);
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  const alone = new Set(
    found.flatMap(({ label }) => (label === null || partsOf(label, joints).length > 1 ? [] : [label])),
  );
  const several = { count: 0, repeated: 0, tags: new Map<string, number>() };
  const missing = new Map<string, number>();
  const leave = ({ file, at }: SourceText, reason: LeftOutReason): void => void leftOut.push({ file, at, reason });
  for (const text of found) {
    const { label } = text;
    if (label === null || outside.has(label)) texts.push({ ...text, label: null });
    else if (placeholder.test(label.trim())) {
      missing.set(label, (missing.get(label) ?? 0) + 1);
      leave(text, "placeholder");
    } else {
      const parts = partsOf(label, joints);
      const own = [...new Set(parts)];
      const workflows = own.filter((part) => alone.has(part));
      const [first = label, ...others] = workflows.length === 0 ? own : workflows;
      for (const tag of own.filter((part) => workflows.length > 0 && !alone.has(part))) {
        several.tags.set(tag, (several.tags.get(tag) ?? 0) + 1);
      }
      if (others.length > 0) several.count += 1;
      else if (own.length < parts.length) several.repeated += 1;
      if (others.length > 0 && choices.severalLabels === "leave-out") leave(text, "several_labels");
      else texts.push({ ...text, label: outside.has(first) ? null : first });
    }
  }
  const merged = choices.lookAlikes === "merge" ? mergeLookAlikes(texts) : { texts, decisions: [] };
  return {
    texts: merged.texts,
    leftOut,
    decisions: [
      ...outsideDecision(found, outside),
      ...countedDecisions(missing, several, choices),
      ...merged.decisions,
    ],
    warnings: labelWarnings(merged.texts),
  };
}

/** The labels of a source that mean out of scope. */
function outsideLabels(found: readonly SourceText[], words: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(words.map(plainWords));
  const leading = [...wanted].filter((word) => !wholeOnly.has(word));
  const labels = new Set(found.flatMap(({ label }) => (label === null ? [] : [label])));
  const isOutside = (label: string): boolean => {
    if (wanted.has(plainWords(label))) return true;
    const parts = label.split(/[/.>:|]+/).map(plainWords);
    return parts.some((part) =>
      leading.some((word) => part === word || (word.includes(" of ") && part.startsWith(`${word} `))),
    );
  };
  return new Set([...labels].filter(isOutside));
}

const plainWords = (label: string): string => wordsOfLabel(label).join(" ") || label.trim().toLowerCase();

/** Most labels that a sentence names. */
const mostNamed = 8;

export function namedSome(all: readonly string[]): string {
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : "";
  return `${all.slice(0, mostNamed).join(", ")}${more}`;
}

function outsideDecision(found: readonly SourceText[], outside: ReadonlySet<string>): readonly string[] {
  if (outside.size === 0) return [];
  const count = found.filter(({ label }) => label !== null && outside.has(label)).length;
  return [`Out of scope: the ${count} texts labelled ${namedSome([...outside].map((label) => `"${label}"`))}.`];
}

const separators = [severalMark, "|", "#", "+", ";", ",", "&"] as const;

/** Separators between labels: most cells that have one hold only labels that also stand alone. */
function jointsOf(found: readonly SourceText[]): readonly string[] {
  const labels = new Set(found.flatMap(({ label }) => (label === null ? [] : [label])));
  return separators.filter((separator) => {
    if (separator === severalMark) return true;
    const joined = [...labels].filter((label) => splitAt(label, separator).length > 1);
    const made = joined.filter((label) => splitAt(label, separator).every((part) => labels.has(part)));
    return made.length > 0 && made.length * 2 >= joined.length;
  });
}

const splitAt = (label: string, separator: string): readonly string[] =>
  label.split(separator).map((part) => part.trim());

function partsOf(label: string, joints: readonly string[]): readonly string[] {
  return joints
    .reduce<readonly string[]>((parts, joint) => parts.flatMap((part) => splitAt(part, joint)), [label])
    .filter((part) => part !== "");
}

function countedDecisions(
  missing: ReadonlyMap<string, number>,
  several: { readonly count: number; readonly repeated: number; readonly tags: ReadonlyMap<string, number> },
  { severalLabels }: LabelChoices,
): readonly string[] {
  const rows = (count: number, one: string, many: string): string =>
    `${count} ${count === 1 ? `row ${one}` : `rows ${many}`}`;
  const placeholders = [...missing.values()].reduce((sum, count) => sum + count, 0);
  const rule = severalLabels === "first" ? "the first is used." : "left out. --several-labels first uses the first.";
  return [
    ...(placeholders === 0
      ? []
      : [
          `${rows(placeholders, "has", "have")} a placeholder instead of a label (${namedSome([...missing.keys()])}): left out.`,
        ]),
    ...(several.count === 0 ? [] : [`${rows(several.count, "has", "have")} several labels: ${rule}`]),
    ...[...several.tags].map(
      ([tag, count]) =>
        `${rows(count, "has", "have")} several labels, one of them "${tag}", which never stands alone: it is no workflow.`,
    ),
    ...(several.repeated === 0
      ? []
      : [`${rows(several.repeated, "names its label", "name their label")} twice: it counts once.`]),
  ];
}

/** One spelling, the most frequent, for labels that differ only in case, separators and trailing zeros; the first on ties. */
function mergeLookAlikes(found: readonly SourceText[]): Pick<SettledLabels, "texts" | "decisions"> {
  const labels = found.flatMap(({ label }) => (label === null ? [] : [label]));
  const bySense = groupBy(labels, senseOf);
  const chosen = new Map([...bySense].map(([sense, spellings]) => [sense, mostFrequent(spellings)]));
  const merged = [...bySense].filter(([, spellings]) => new Set(spellings).size > 1);
  const said = merged.slice(0, mostNamed).map(([sense, spellings]) => {
    const others = [...new Set(spellings)].filter((spelling) => spelling !== chosen.get(sense));
    return `"${chosen.get(sense) ?? ""}" is also written ${others.map((other) => `"${other}"`).join(", ")}: one workflow.`;
  });
  return {
    texts: found.map((text) =>
      text.label === null ? text : { ...text, label: chosen.get(senseOf(text.label)) ?? text.label },
    ),
    decisions: [
      ...said,
      ...(merged.length > mostNamed ? [`${merged.length - mostNamed} more labels were merged in the same way.`] : []),
    ],
  };
}

function senseOf(label: string): string {
  const plain = label.normalize("NFKC").trim();
  if (/^-?\d+\.0+$/.test(plain)) return plain.slice(0, plain.indexOf("."));
  return plain
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/(?<=[\p{L}\p{N}])[\s_\-./\\>:|»→]+(?=[\p{L}\p{N}])/gu, " ");
}

function mostFrequent(spellings: readonly string[]): string {
  const counted = [...groupBy(spellings, (spelling) => spelling)];
  return counted.reduce((best, next) => (next[1].length > best[1].length ? next : best))[0];
}

function labelWarnings(texts: readonly SourceText[]): readonly string[] {
  const labels = [...new Set(texts.flatMap(({ label }) => (label === null ? [] : [label])))];
  const numbers = labels.length > 1 && labels.every((label) => /^-?\d+(?:\.\d+)?$/.test(label));
  const others = labels.filter((label) => catchAll.has(plainWords(label)));
  return [
    ...(numbers
      ? [
          "The labels are bare numbers, as classes are numbered: give each a name in catalog.yaml and an id in workflow-ids.csv.",
        ]
      : []),
    ...others.map(
      (label) =>
        `"${label}" is a workflow that requests are routed to. If it means out of scope: --out-of-scope-label "${label}".`,
    ),
    ...lookAlikes(labels),
  ];
}
