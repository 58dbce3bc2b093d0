import { command, say, type Text } from "../../src/base/error.js";
import { namedSome } from "../../src/base/text.js";
import { counted } from "../../src/documents/number-text.js";
import { groupBy } from "../../src/base/group-by.js";
import { wordsOfLabel } from "../draft/workflow-ids.js";
import type { LabelChoices } from "./choices.js";
import { lookAlikes } from "./look-alikes.js";
import { shareOf } from "./share-of.js";
import type { LeftOutRow, SourceText } from "./parsed-source.js";
import type { LeftOutReason } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

/** Marks without width that copying from a web page leaves in a label. */
const invisible = /[\u200b\u2060\ufeff]/g;

export const severalMark = "\u001f";

/** Values that people and programs write for a missing label. */
const placeholder =
  /^(?:#?n\.?\/?a\.?|<na>|nan|null|<null>|nil|undefined|unlabell?ed|\(?(?:blank|empty|unassigned|not set)\)?|#(?:ref|value|name|null|num|spill|calc|error|div\/0)[!?]?|err:\d{3}|tbd|todo|[-–—_.?*x]+|\[\]|\{\})$/i;

/** Words of labels that often mean "everything else" or "no request". */
const catchAll = new Set(
  (
    "other others misc miscellaneous unknown unclear general default else sonstiges andere anderes autre autres otro " +
    "otros altro outro 其他 spam junk none nothing na applicable relevant ours"
  ).split(" "),
);

/** Words that such a label may also have, as in "none of the above", "not applicable" and "general enquiries". */
const besides = new Set(
  (
    "and or not of the above fits mail email inquiry inquiries enquiry enquiries question questions request requests " +
    "query queries topic topics"
  ).split(" "),
);

function isCatchAll(label: string): boolean {
  const words = wordsOfLabel(label.replaceAll(/\bn\.?\/a\b\.?/gi, "na"));
  return words.some((word) => catchAll.has(word)) && words.every((word) => catchAll.has(word) || besides.has(word));
}

/** Out-of-scope labels that count only as a whole, because as a level of a hierarchy they can mean anything. */
const wholeOnly = new Set(["none", "fallback", "ood"]);

export interface SettledLabels {
  readonly texts: readonly SourceText[];
  /** The label that a label as written became; null: out of scope. Labels of rows that are all left out are missing. */
  readonly settled: ReadonlyMap<string, string | null>;
  /** As in `SourceMaterial`. */
  readonly ids: ReadonlyMap<string, WorkflowId>;
  readonly leftOut: readonly LeftOutRow[];
  readonly decisions: readonly string[];
  readonly warnings: readonly Text[];
}

/**
 * Interprets the labels of a source: placeholders are not labels, out-of-scope words make a text out of scope, rows
 * with several labels follow `choices.severalLabels`, and labels of one workflow are merged.
 * `decisions` states how many rows each rule affected.
 */
export function settleLabels(read: readonly SourceText[], choices: LabelChoices): SettledLabels {
  const found = read.map((text) => ({ ...text, label: text.label?.replaceAll(invisible, "").trim() ?? null }));
  const distinct = [...new Set(found.flatMap(({ label }) => (label === null ? [] : [label])))];
  const outside = outsideLabels(distinct, choices.outOfScopeLabels);
  const joints = jointsOf(distinct);
  const alone = new Set(distinct.filter((label) => partsOf(label, joints).length === 1));
  const readings = new Map(distinct.map((label) => [label, readingOf(label, { outside, joints, alone, choices })]));
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const text of found) {
    const reading = text.label === null ? { label: null } : readings.get(text.label);
    if (reading?.label !== undefined) texts.push({ ...text, label: reading.label });
    else leftOut.push({ file: text.file, at: text.at, reason: reading?.reason ?? "placeholder" });
  }
  const merged = mergeLabels(texts, choices);
  const settled = [...readings].flatMap(([written, { label }]) =>
    label === undefined ? [] : [[written, label === null ? null : (merged.chosen.get(label) ?? label)] as const],
  );
  return {
    texts: merged.texts,
    settled: new Map(settled),
    ids: merged.ids,
    leftOut,
    decisions: [...readingDecisions(found, readings, choices), ...merged.decisions],
    warnings: labelWarnings(merged.texts),
  };
}

interface Reading {
  /** null: out of scope; undefined: the row is left out. */
  readonly label?: string | null;
  readonly reason?: LeftOutReason;
  readonly counted?: "outside" | "placeholder" | "several" | "twice";
  /** Labels that never occur alone; they do not count as workflows. */
  readonly tags?: readonly string[];
}

interface ReadingRules {
  readonly outside: ReadonlySet<string>;
  readonly joints: readonly string[];
  readonly alone: ReadonlySet<string>;
  readonly choices: LabelChoices;
}

function readingOf(label: string, { outside, joints, alone, choices }: ReadingRules): Reading {
  if (outside.has(label)) return { label: null, counted: "outside" };
  if (placeholder.test(label.trim())) return { reason: "placeholder", counted: "placeholder" };
  const parts = partsOf(label, joints);
  const own = [...new Set(parts)];
  const workflows = own.filter((part) => alone.has(part));
  const tags = workflows.length === 0 ? [] : own.filter((part) => !alone.has(part));
  const [first = label, ...others] = workflows.length === 0 ? own : workflows;
  if (others.length > 0 && choices.severalLabels === "leave-out")
    return { reason: "several_labels", counted: "several" };
  const settled = { label: outside.has(first) ? null : first, tags };
  if (others.length > 0) return { ...settled, counted: "several" };
  return own.length < parts.length ? { ...settled, counted: "twice" } : settled;
}

function outsideLabels(labels: readonly string[], words: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(words.map(plainWords));
  const leading = [...wanted].filter((word) => !wholeOnly.has(word));
  const isLeading = (part: string): boolean =>
    leading.some((word) => part === word || (word.includes(" of ") && part.startsWith(`${word} `)));
  const isOutside = (label: string): boolean =>
    wanted.has(plainWords(label)) ||
    label
      .split(/[/.>:|]+/)
      .map(plainWords)
      .some(isLeading);
  return new Set(labels.filter(isOutside));
}

const plainWords = (label: string): string => wordsOfLabel(label).join(" ") || label.trim().toLowerCase();

/** Maximum number of names listed in a sentence. */
const mostNamed = 8;

export const namedFew = (all: readonly string[]): string => namedSome(all, mostNamed);

/** Separators that names do not contain, so that one known label is enough. */
const sureJoints: ReadonlySet<string> = new Set(["|", "#"]);

const separators = [severalMark, "|", "#", "+", ";", ",", "&"] as const;

/**
 * Separators that join labels: of the cells that contain the separator, at least half consist of labels that also occur
 * alone, or contain one for a sure separator.
 */
function jointsOf(labels: readonly string[]): readonly string[] {
  const known = new Set(labels);
  return separators.filter((separator) => {
    if (separator === severalMark) return true;
    const joined = labels.filter((label) => splitAt(label, separator).length > 1);
    const isMade = (parts: readonly string[]): boolean =>
      sureJoints.has(separator)
        ? parts.every((part) => part !== "") && parts.some((part) => known.has(part))
        : parts.every((part) => known.has(part));
    const made = joined.filter((label) => isMade(splitAt(label, separator)));
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

function readingDecisions(
  found: readonly SourceText[],
  readings: ReadonlyMap<string, Reading>,
  { severalLabels }: LabelChoices,
): readonly string[] {
  const rows = groupBy(
    found.filter(({ label }) => label !== null),
    ({ label }) => readings.get(label ?? "")?.counted ?? "",
  );
  const say = (
    kind: NonNullable<Reading["counted"]>,
    one: string,
    many: string,
    rest: (labels: string) => string,
  ): readonly string[] => {
    const own = rows.get(kind) ?? [];
    const labels = namedFew([...new Set(own.map(({ label }) => `"${label ?? ""}"`))]);
    return own.length === 0 ? [] : [`${counted(own.length, `row ${one}`, `rows ${many}`)} ${rest(labels)}`];
  };
  const rule = severalLabels === "first" ? "the first is used." : "left out. --several-labels first uses the first.";
  const tagged = groupBy(
    found.flatMap(({ label }) => readings.get(label ?? "")?.tags ?? []),
    (tag) => tag,
  );
  return [
    ...say("outside", "is", "are", (labels) => `out of scope by label: ${labels}.`),
    ...say(
      "placeholder",
      "has",
      "have",
      (labels) => `a placeholder instead of a label (${labels}) and will be left out.`,
    ),
    ...say("several", "has", "have", () => `several labels: ${rule}`),
    ...[...tagged].map(
      ([tag, own]) =>
        `${counted(own.length, "row has", "rows have")} several labels, one of them "${tag}", which never occurs alone, so it is not a workflow.`,
    ),
    ...say("twice", "names its label", "name their label", () => "twice: it counts once."),
  ];
}

interface LabelGroup {
  /** The most frequent spelling; the first on ties. */
  readonly chosen: string;
  readonly spellings: readonly string[];
  /** Known id; undefined for a new workflow. */
  readonly id: WorkflowId | undefined;
}

/**
 * Merges the labels of one workflow into their most frequent spelling. Labels with one known id are one workflow and,
 * if look-alikes are merged, so are labels that differ only in case, separators and trailing zeros from each other,
 * from a label with a known id, or from a known id.
 */
function mergeLabels(
  found: readonly SourceText[],
  { lookAlikes: rule, knownIds = new Map() }: LabelChoices,
): Pick<SettledLabels, "texts" | "ids" | "decisions"> & { readonly chosen: ReadonlyMap<string, string> } {
  const labels = found.flatMap(({ label }) => (label === null ? [] : [label]));
  const idOf = rule === "merge" ? idByLook(knownIds) : (label: string) => knownIds.get(label);
  const keys = new Map(
    [...new Set(labels)].map((label) => {
      const id = idOf(label);
      const name = rule === "merge" ? senseOf(label) : label;
      return [label, id === undefined ? `label ${name}` : `id ${id}`];
    }),
  );
  const groups = [...groupBy(labels, (label) => keys.get(label) ?? label).values()].map((rows): LabelGroup => {
    const chosen = mostFrequent(rows);
    return { chosen, spellings: [...new Set(rows)], id: idOf(chosen) };
  });
  const chosen = new Map(groups.flatMap((group) => group.spellings.map((label) => [label, group.chosen])));
  const said = groups.filter(({ spellings }) => spellings.length > 1).map((group) => mergeSentence(group, knownIds));
  return {
    chosen,
    texts: found.map((text) => (text.label === null ? text : { ...text, label: chosen.get(text.label) ?? text.label })),
    ids: new Map(groups.flatMap((group) => (group.id === undefined ? [] : [[group.chosen, group.id]]))),
    decisions: [
      ...said.slice(0, mostNamed),
      ...(said.length > mostNamed ? [`${said.length - mostNamed} more labels were merged in the same way.`] : []),
    ],
  };
}

/** Finds the known id of a label by its look. Of several ids, the first label of the file wins, then an id itself. */
function idByLook(knownIds: ReadonlyMap<string, WorkflowId>): (label: string) => WorkflowId | undefined {
  const looks = [...knownIds, ...[...knownIds.values()].map((id) => [id, id] as const)];
  const ids = new Map(looks.toReversed().map(([label, id]) => [senseOf(label), id]));
  return (label) => ids.get(senseOf(label));
}

function mergeSentence({ chosen, spellings, id }: LabelGroup, knownIds: ReadonlyMap<string, WorkflowId>): string {
  const quoted = (all: readonly string[], joint: string): string => all.map((label) => `"${label}"`).join(joint);
  const listed = spellings.filter((label) => id !== undefined && knownIds.get(label) === id);
  const others = (besides: readonly string[]) => spellings.filter((label) => !besides.includes(label));
  if (listed.length < 2) {
    return `"${chosen}" is also written ${quoted(others([chosen]), ", ")}; they are merged into one workflow.`;
  }
  const alike = others(listed);
  const also = alike.length === 0 ? "" : `, also written ${quoted(alike, ", ")}`;
  return `${quoted(listed, " and ")} have the id "${id ?? ""}"${also}: they are merged into one workflow.`;
}

/** A label without case and separators; separators between digits remain, as in "1.2". */
function senseOf(label: string): string {
  const plain = label.normalize("NFKC").trim();
  if (/^-?\d+\.0+$/.test(plain)) return plain.slice(0, plain.indexOf("."));
  return plain
    .toLowerCase()
    .replace(/(?<=[\p{L}\p{N}])[\s_\-./\\>:|»→]+(?=[\p{L}\p{N}])/gu, " ")
    .replace(/(?<!\p{N}) | (?!\p{N})/gu, "");
}

function mostFrequent(spellings: readonly string[]): string {
  const counted = [...groupBy(spellings, (spelling) => spelling)];
  return counted.reduce((best, next) => (next[1].length > best[1].length ? next : best))[0];
}

/** Share of the texts, and their number, from which one label dominates a source. */
const dominantShare = 0.5;
const fewestTexts = 50;

function largestLabel(texts: readonly SourceText[]): readonly string[] {
  const groups = [...groupBy(texts, ({ label }) => label)].toSorted(([, a], [, b]) => b.length - a.length);
  const [label, own] = groups[0] ?? [null, []];
  if (typeof label !== "string" || groups.length < 2 || texts.length < fewestTexts) return [];
  if (own.length <= dominantShare * texts.length) return [];
  return [
    `${shareOf(own.length, texts.length)} have the label "${label}", which carries any figure about all requests; look at the figures of each workflow.`,
  ];
}

/** Labels that may mean out of scope, such as "other". */
export const catchAllLabels = (texts: readonly SourceText[]): readonly string[] =>
  [...new Set(texts.flatMap(({ label }) => label ?? []))].filter(isCatchAll);

function labelWarnings(texts: readonly SourceText[]): readonly Text[] {
  const labels = [...new Set(texts.flatMap(({ label }) => (label === null ? [] : [label])))];
  const numbers = labels.length > 1 && labels.every((label) => /^-?\d+(?:\.\d+)?$/.test(label));
  const suspects = catchAllLabels(texts);
  const names = suspects.map((label) => `"${label}"`);
  return [
    ...(numbers
      ? ["The labels are only numbers. Give each a name in catalog.yaml and an id in workflow-ids.csv."]
      : []),
    ...(suspects.length === 0
      ? []
      : [
          say`requests are routed to ${namedFew(names)}. If ${suspects.length === 1 ? "it means" : "they mean"} out of scope: ${command`sluice init FILE ${suspects.flatMap((label) => ["--out-of-scope-label", label])}`}`,
        ]),
    ...largestLabel(texts),
    ...lookAlikes(labels),
  ];
}
