import { command, say, SluiceError } from "../../src/base/error.js";
import { groupBy } from "../../src/base/group-by.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import type { MaterialChoices } from "./choices.js";
import {
  findStructures,
  type GroupText,
  inputsOf,
  isFallback,
  isLanguage,
  type Structures,
} from "./find-structures.js";
import { namedFew } from "./labels.js";
import type { LeftOutRow, ReadMaterial, SourcePart, SourceText, SourceWorkflow } from "./parsed-source.js";
import type { SourceKind } from "../../src/documents/choices.js";
import { isNamed, names, partWords } from "./names.js";
import { isJsonObject, textAt } from "./parse-json.js";
import { usableText } from "./plain-text.js";
import type { Document } from "./read-document.js";
import type { MarkedLines } from "./marked-lines.js";
import { openGrid, type OpenedGrid } from "./tables/texts-of-grid.js";
import { isOpenApi } from "./tools/openapi.js";

export interface OpenedFile {
  readonly source: SourceFile;
  readonly document: Document;
}

export interface FoundTable {
  readonly source: SourceFile;
  readonly kind: SourceKind;
  readonly notes: readonly string[];
  readonly part: SourcePart | null;
  readonly table: OpenedGrid;
}

/** Named groups of texts and lists of rows from all files of a source. */
export interface Groups extends ReadMaterial {
  readonly used: readonly SourceFile[];
  readonly tables: readonly FoundTable[];
  /** Names of the classes by number or code, if the source states them. */
  readonly classes: ClassNames | null;
}

interface ClassNames {
  readonly source: SourceFile;
  readonly names: ReadonlyMap<string, string>;
}

interface FoundText extends GroupText {
  readonly source: SourceFile;
}

/** Finds the groups of a source. A missing label, part or language is derived from the path of the document. */
export function groupsIn(opened: readonly OpenedFile[], choices: MaterialChoices): Groups {
  const values = opened.flatMap(({ source, document }) =>
    document.form === "values"
      ? document.values.filter((value) => !isOpenApi(value)).map((value) => ({ source, document, value }))
      : [],
  );
  const rules = rulesIn(values.map(({ value }) => value));
  const found = values.map((one) => ({ ...one, structures: findStructures(one.source.file, one.value, rules) }));
  const marked = markedIn(
    opened,
    found.some(({ structures }) => structures.texts.length > 0),
  );
  const several = opened.length > 1;
  const definitions = new Map(several ? values.flatMap(definitionOf) : []);
  const all = [...found.map(({ source, structures }) => ({ source, texts: structures.texts })), ...marked].flatMap(
    ({ source, texts }) =>
      texts
        .filter(({ label }) => several || label !== undefined)
        .map((text): FoundText => ({ ...text, source, ...(several ? fromPath(source.file, text, definitions) : {}) })),
  );
  const { kept, decision } = inOneLanguage(all, choices.language);
  const labels = new Set(kept.map(({ label }) => label));
  const described = [...definitions.values()].filter(({ name, value }) => isFallback(value) || labels.has(name));
  const workflows = [...found.flatMap(({ structures }) => structures.workflows), ...described.flatMap(describedInputs)];
  const tables = found.flatMap(({ source, document: { kind, notes }, structures }) =>
    structures.tables.map(({ path, part, ...grid }) => ({
      source,
      path,
      part,
      kind,
      notes,
      table: openGrid(grid, choices),
    })),
  );
  const structures = found.map((one) => one.structures);
  return {
    ...collected(kept, choices.clean),
    workflows: [...new Map(workflows.map((workflow) => [workflow.label, workflow])).values()],
    tables,
    used: all.length === 0 ? [] : [...new Set([...all, ...described].map(({ source }) => source))],
    decisions: [
      ...pathDecision(
        all,
        tables.map(({ path }) => path),
      ),
      ...decision,
      ...structureDecisions(
        structures,
        marked.flatMap(({ others }) => others),
      ),
    ],
    classes: classNames([
      ...opened.flatMap(({ source, document }) => ("about" in document ? [{ source, value: document.about }] : [])),
      ...values.filter(({ value }) => mayDescribe(value)),
      ...opened.flatMap(classList),
    ]),
  };
}

/** The names of classes, one a line in order of their numbers, as in `labels.txt`. */
function classList({
  source,
  document,
}: OpenedFile): readonly { readonly source: SourceFile; readonly value: unknown }[] {
  const lines = document.form === "lines" ? document.text.split(/\r?\n/).filter((line) => line.trim() !== "") : [];
  return /^(?:label|class)(?:es|s)?(?:_?names)?$/i.test(stemOf(source.file)) && new Set(lines).size === lines.length
    ? [{ source, value: { names: lines.map((line) => line.trim()) } }]
    : [];
}

/** The files of marked lines; Markdown counts only if it names intents, or is the only source. */
function markedIn(
  opened: readonly OpenedFile[],
  hasTexts: boolean,
): readonly (MarkedLines & { readonly source: SourceFile })[] {
  const all = opened.flatMap(({ source, document }) =>
    document.form === "marked" ? [{ source, ...document.lines }] : [],
  );
  const isSure = ({ source, explicit }: (typeof all)[number]): boolean => explicit || !/\.md$/i.test(source.file);
  const isAlone = !hasTexts && !opened.some(({ document }) => document.form === "grid") && !all.some(isSure);
  return isAlone ? all : all.filter(isSure);
}

/** Reads the class names that a dataset states: a list in order of the numbers, or a map from codes. */
function classNames(stated: readonly { readonly source: SourceFile; readonly value: unknown }[]): ClassNames | null {
  const [found] = stated.flatMap(({ source, value }) =>
    namesOfClasses(value, 0).map((names): ClassNames => ({ source, names })),
  );
  return found ?? null;
}

/** Maximum depth of the features of a dataset: `dataset_info.features[].dtype.class_label.names`. */
const deepestFeature = 8;

function namesOfClasses(value: unknown, depth: number): readonly ReadonlyMap<string, string>[] {
  if (typeof value !== "object" || value === null || depth > deepestFeature) return [];
  const { names: own } = value as { readonly names?: unknown };
  const isClass = !Array.isArray(value) && typeof own === "object" && own !== null;
  const pairs = isClass ? Object.entries(own as object) : [];
  if (pairs.length > 1 && pairs.every(([, name]) => typeof name === "string"))
    return [new Map(pairs as [string, string][])];
  return Object.values(value).flatMap((inner) => namesOfClasses(inner, depth + 1));
}

/** Whether a document has the features of a dataset. */
const mayDescribe = (value: unknown): boolean =>
  isJsonObject(value) &&
  ("features" in value || Object.values(value).some((inner) => isJsonObject(inner) && "features" in inner));

function describedInputs({ name, value }: Definition): readonly SourceWorkflow[] {
  const inputs = inputsOf(value);
  return inputs.length === 0 ? [] : [{ label: name, description: textAt(value, "description"), inputs, effect: null }];
}

/** States where the texts come from, as paths without indices. */
function pathDecision(texts: readonly FoundText[], tables: readonly string[]): readonly string[] {
  const paths = [...texts.map(({ at }) => at.replaceAll(/\[\d+\]/g, "[]")), ...tables];
  const found = paths.filter((path) => path !== "" && !path.startsWith("line "));
  const named = [...new Set(found.map((path) => (path.startsWith("[]") ? `a list${path.slice(2)}` : path)))];
  return named.length === 0 ? [] : [`Texts come from ${namedFew(named)}.`];
}

function structureDecisions(structures: readonly Structures[], others: readonly string[]): readonly string[] {
  const unique = (of: (found: Structures) => readonly string[]): readonly string[] => [
    ...new Set(structures.flatMap(of)),
  ];
  const [empty, skipped] = [unique((found) => found.empty), unique((found) => found.skipped)];
  const kinds = [...groupBy(others, (kind) => kind)].map(([kind, own]) => `${own.length} ${kind}`);
  const templates = structures.reduce((sum, found) => sum + found.templates, 0);
  return [
    ...(empty.length === 0 ? [] : [`Intents without texts were skipped: ${namedFew(empty)}.`]),
    ...(skipped.length === 0 ? [] : [`Parts without requests were skipped: ${namedFew(skipped)}.`]),
    ...(kinds.length === 0 ? [] : [`Sections other than intents were skipped: ${kinds.join(", ")}.`]),
    ...(templates === 0 ? [] : [`One sentence was generated from each template (${templates}).`]),
  ];
}

function rulesIn(values: readonly unknown[]): ReadonlyMap<string, string> {
  const rules = values.flatMap((value) => Object.entries(isJsonObject(value) ? (value["expansion_rules"] ?? {}) : {}));
  return new Map(rules.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** An intent with a file of its own in a folder. */
interface Definition {
  readonly source: SourceFile;
  readonly name: string;
  readonly value: unknown;
}

/** The intent that a document describes, named after the stem of its file. */
function definitionOf({ source, value }: Omit<Definition, "name">): readonly (readonly [string, Definition])[] {
  const name = textAt(value, "displayName") ?? textAt(value, "name");
  return name === null ? [] : [[stemOf(source.file), { source, name, value }]];
}

const segmentsOf = (file: string): readonly string[] => file.replace(/\.[^./]*$/, "").split("/");

/** The name of a file without folders and extension. */
export const stemOf = (file: string): string => segmentsOf(file).at(-1) ?? file;

/** Suffixes of a stem that are not part of the intent: `refund_usersays_en`, `refund.utterances`. */
const stemEnding = /(?:_usersays_[A-Za-z-]+|[._](?:utterances|intent|examples|samples))$/;
const containers = [...names.texts, "intents", "intent"];

/** Fills in the label, part and language of texts from the path of their file. */
function fromPath(
  file: string,
  { label, part, language }: GroupText,
  definitions: ReadonlyMap<string, Definition>,
): Pick<FoundText, "label" | "part" | "language"> {
  const plain = segmentsOf(file).map((segment) => segment.replace(stemEnding, ""));
  const isName = (segment: string): boolean =>
    !isLanguage(segment) && !isNamed(segment, containers) && partWords[segment.toLowerCase()] === undefined;
  const stem = plain.findLast(isName) ?? file;
  const definition = definitions.get(stem);
  const named = definition?.name ?? (/\p{L}/u.test(stem) ? stem : undefined);
  const ofStem = isFallback(definition?.value) ? null : named;
  return {
    label: label === undefined ? ofStem : label,
    part: part ?? partOfPath(file),
    language: language ?? languageOfPath(file),
  };
}

/** The language tag in a folder name or at the end of a file name, e.g. `refund_usersays_en`. */
function languageOfPath(file: string): string | null {
  const segments = segmentsOf(file);
  const [, tag] = /_usersays_([A-Za-z-]+)$/.exec(stemOf(file)) ?? [];
  const folders = isNamed(segments.at(-2) ?? "", names.texts) ? segments : segments.slice(0, -1);
  return tag ?? folders.findLast(isLanguage) ?? null;
}

/** The published part in a folder name or in the first or last word of a file name. */
export function partOfPath(file: string): SourcePart | null {
  const segments = segmentsOf(file.toLowerCase());
  const words = (segments.at(-1) ?? "").split(/[^a-z]+/);
  const found = [...segments.slice(0, -1), words[0] ?? "", words.at(-1) ?? ""].find(
    (word) => partWords[word] !== undefined,
  );
  return found === undefined ? null : (partWords[found] ?? null);
}

const plainTag = (tag: string): string => tag.toLowerCase().replace("_", "-");

/** Selects the texts of one language if a source has several; the rest are only counted. */
function inOneLanguage(
  texts: readonly FoundText[],
  wanted: string | undefined,
): { readonly kept: readonly FoundText[]; readonly decision: readonly string[] } {
  const tagged = groupBy(
    texts.flatMap(({ language }) => language ?? []),
    (tag) => tag,
  );
  const tags = [...tagged].toSorted(([, a], [, b]) => b.length - a.length).map(([tag]) => tag);
  const isOf = (language: string) => (tag: string) =>
    plainTag(tag) === plainTag(language) || plainTag(tag).startsWith(`${plainTag(language)}-`);
  if (tags.length === 0 || (wanted === undefined && tags.length === 1)) return { kept: texts, decision: [] };
  const fits = isOf(wanted ?? (tags.some(isOf("en")) ? "en" : (tags[0] ?? "")));
  if (wanted !== undefined && !tags.some(fits)) {
    throw new SluiceError("DOCUMENT_INVALID", `no phrases in the language ${wanted}; found ${tags.join(", ")}`, {
      hint: say`Choose one of them: ${command`sluice init FILE --language ${tags[0] ?? "en"}`}`,
    });
  }
  const others = tags.filter((tag) => !fits(tag)).map((tag) => `${tag} (${tagged.get(tag)?.length ?? 0})`);
  return {
    kept: texts.filter(({ language }) => language === null || fits(language)),
    decision:
      others.length === 0
        ? []
        : [`Phrases in ${others.join(", ")} were skipped; the option language selects another one.`],
  };
}

/** Separates usable texts from those that are left out, with the reason. */
function collected(found: readonly FoundText[], clean: boolean | undefined): Pick<ReadMaterial, "texts" | "leftOut"> {
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { source, at, text, label, part } of found) {
    const { file } = source;
    const read = usableText(text, clean);
    if ("reason" in read) leftOut.push({ file, at, reason: read.reason });
    else if (label === undefined) leftOut.push({ file, at, reason: "no_label" });
    else texts.push({ file, at, text: read.text, label, part });
  }
  return { texts, leftOut };
}
