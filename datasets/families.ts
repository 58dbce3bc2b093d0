import { sha256Hex } from "../src/base/sha256.js";
import type { Catalog, WorkflowFile } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { groupBy } from "../src/base/group-by.js";
import { jaccardOf, type NearDuplicatePair, nearDuplicates, shinglesOf, normaliseText } from "./near-duplicates.js";

/** The examples of a catalog, in catalog order. */
export const examplesOf = ({ workflows }: Catalog): readonly ExampleText[] =>
  workflows.flatMap(({ workflow_id: workflowId, examples }) => examples.map((text) => ({ workflowId, text })));

/**
 * Whether a catalog has a text as an example. Models have learned from it, so a request with the same text never certifies or tests.
 */
export function exampleTest({
  workflows,
}: {
  readonly workflows: readonly Pick<WorkflowFile, "examples">[];
}): (text: string) => boolean {
  const examples = new Set(workflows.flatMap(({ examples: texts = [] }) => texts.map(normaliseText)));
  return (text) => examples.has(normaliseText(text));
}

/** A catalog example with the fields that determine its family. */
export interface ExampleText {
  readonly workflowId: string;
  readonly text: string;
}

/** Groups of texts of one label with the same meaning, found by `alikeTexts` and identified by `textKey`. */
export type AlikeTexts = readonly (readonly string[])[];

export interface FamilyInput {
  readonly rows: readonly LabelledRequest[];
  /** Catalog examples; a row that resembles one belongs to its family. Default: none. */
  readonly examples?: readonly ExampleText[];
  /** Texts that are alike by cosine. Default: families are determined by words alone. */
  readonly alike?: AlikeTexts | undefined;
}

export interface Families {
  /** Family name of each row, in row order. A row without relatives has its own family. */
  readonly of: readonly string[];
  /**
   * Number of each row's near-copies, in row order: equal for rows of one declared group, near-copies and texts that are
   * alike, but not for rows that only share half of their words.
   */
  readonly nearCopyOf: readonly number[];
  /** Family name of each example, in example order. */
  readonly ofExample: readonly string[];
  /** The example whose family each row belongs to, in row order; undefined if there is none. */
  readonly exampleOf: readonly (ExampleText | undefined)[];
  /** Near-copies regardless of label; indices count the rows first, then the examples. */
  readonly copies: readonly NearDuplicatePair[];
}

/** Minimum Jaccard similarity of words and word pairs at which texts of one workflow are one family. */
export const familyJaccard = 0.5;
/** Minimum cosine at which texts of one workflow are one family. */
export const familyCosine = 0.9;
/**
 * Maximum number of texts of the same label that a text is compared with. If more texts share its rarest words, these
 * are part of a stock phrase.
 */
const mostCompared = 2000;

/** Maximum number of cosines to compute; with more texts, each is compared with fewer of them. */
const mostCosines = 50_000_000;

interface Member {
  readonly written: string;
  readonly text: string;
  /** A workflow, or out of scope. Only texts of the same label are compared. */
  readonly label: string;
  readonly group: string | null;
}

/**
 * Groups requests that are not independent evidence into families: rows with the same `group_id`, rows with equal
 * normalised texts, near-copies regardless of label, and, within a workflow or within the out-of-scope rows, texts that
 * share half of their words and word pairs or have similar vectors (unless both have a group). Catalog examples are
 * included. A family is named after its group, otherwise after its smallest text digest, so that neither the order nor
 * the ids of the rows matter.
 *
 * @example const { of, exampleOf } = familiesOf({ rows, examples, alike: split.alike });
 */
export function familiesOf({ rows, examples = [], alike = [] }: FamilyInput): Families {
  const members = membersOf({ rows, examples });
  const join = new DisjointSets(members.length);
  joinEqual(members, join);
  const copies = nearDuplicates(members.map(({ text }) => text));
  for (const { first, second } of copies) join.union(first, second);
  joinAlike(alike, members, join);
  const nearCopyOf = rows.map((_, index) => join.find(index));
  for (const distinct of distinctByLabel(members)) joinByWords(distinct, members, join);
  return { ...named(rows, { members, examples, join }), nearCopyOf, copies };
}

/**
 * Groups the texts of one label by cosine >= `familyCosine`, transitively. The result contains text keys rather than
 * rows, so it also applies to the examples of any catalog and to later versions of the data.
 * @param vectors  unit vectors by original text; texts without a vector are left out
 * @returns  an empty list if the encoder cannot tell workflows apart, e.g. in an unsupported language: that is, if more
 *   than 1% of the pairs of texts of different workflows are alike
 */
export function alikeTexts(
  { rows, examples = [] }: Pick<FamilyInput, "rows" | "examples">,
  vectors: ReadonlyMap<string, Float32Array>,
): AlikeTexts {
  const members = membersOf({ rows, examples });
  const vectorOf = (index: number) => vectors.get(members[index].written);
  const hasVector = (index: number) => members[index].text !== "" && vectorOf(index) !== undefined;
  const groups = distinctByLabel(members).map((indices) => indices.filter(hasVector));
  if (!tellsApart(groups, members, vectorOf)) return [];
  const join = new DisjointSets(members.length);
  const compared = Math.min(mostCompared, Math.ceil(mostCosines / Math.max(1, members.length)));
  for (const indices of groups) {
    for (const [at, second] of indices.entries()) {
      for (const first of indices.slice(Math.max(0, at - compared), at)) {
        if (join.together(first, second) || declaredApart(members[first], members[second])) continue;
        if (cosineOf(vectorOf(first), vectorOf(second)) >= familyCosine) join.union(first, second);
      }
    }
  }
  return [...groupBy(groups.flat(), (index) => join.find(index))]
    .map(([, joined]) => joined.map((index) => textKey(members[index])).sort())
    .filter(({ length }) => length > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Key of a text within its label: 16 hexadecimal digits. */
const textKey = ({ label, text }: Member): string => sha256Hex(`${label}\n${text}`).slice(0, 16);

function membersOf({ rows, examples = [] }: Pick<FamilyInput, "rows" | "examples">): readonly Member[] {
  const memberOf = (written: string, workflowId: string | null, group: string | null): Member => ({
    written,
    text: normaliseText(written),
    label: labelOf(workflowId),
    group,
  });
  return [
    ...rows.map((row) => memberOf(row.text, row.workflow_id, row.group_id ?? null)),
    ...examples.map(({ text, workflowId }) => memberOf(text, workflowId, null)),
  ];
}

/** For each label, one member per distinct text. */
const distinctByLabel = (members: readonly Member[]): readonly (readonly number[])[] =>
  [...groupBy([...members.keys()], (index) => members[index].label)].map(([, indices]) => [
    ...new Map(indices.map((index) => [members[index].text, index])).values(),
  ]);

/** Cosine of two unit vectors; 0 without one of them. */
export const cosineOf = (first: Float32Array = none, second: Float32Array = none): number => {
  let sum = 0;
  for (let at = 0; at < first.length; at += 1) sum += first[at] * second[at];
  return sum;
};

const none = new Float32Array(0);

/** Whether at most 1% of the pairs of texts from different workflows are alike. One pair per text is checked. */
function tellsApart(
  groups: readonly (readonly number[])[],
  members: readonly Member[],
  vectorOf: (index: number) => Float32Array | undefined,
): boolean {
  const inScope = groups.filter(([first]) => first !== undefined && members[first].label !== "");
  if (inScope.length < 2) return true;
  let alike = 0;
  let pairs = 0;
  for (const [at, own] of inScope.entries()) {
    for (const [place, index] of own.entries()) {
      const step = 1 + ((at + place) % (inScope.length - 1));
      const others = inScope[(at + step) % inScope.length];
      pairs += 1;
      if (cosineOf(vectorOf(index), vectorOf(others[place % others.length])) >= familyCosine) alike += 1;
    }
  }
  return alike * 100 <= pairs;
}

function joinAlike(alike: AlikeTexts, members: readonly Member[], join: DisjointSets): void {
  if (alike.length === 0) return;
  const withKey = new Map(members.map((member, index) => [textKey(member), index]));
  for (const keys of alike) {
    const [first, ...others] = keys.flatMap((key) => withKey.get(key) ?? []);
    for (const other of others) if (!declaredApart(members[first], members[other])) join.union(first, other);
  }
}

/** Whether both members have different declared groups, which only copies and near-copies can join. */
const declaredApart = (a: Member, b: Member): boolean => a.group !== null && b.group !== null && a.group !== b.group;

const labelOf = (workflowId: string | null): string => (workflowId === null ? "" : workflowId);

/** Joins equal normalised texts and equal groups. A text without letters or digits equals no other text. */
function joinEqual(members: readonly Member[], join: DisjointSets): void {
  for (const keyOf of [({ text }: Member) => (text === "" ? null : text), ({ group }: Member) => group]) {
    const first = new Map<string, number>();
    for (const [index, member] of members.entries()) {
      const key = keyOf(member);
      if (key === null) continue;
      const known = first.get(key);
      if (known === undefined) first.set(key, index);
      else join.union(known, index);
    }
  }
}

/**
 * Joins texts with a Jaccard similarity of at least `familyJaccard`. Two such texts have one of their rarest shingles
 * in common (prefix filter, Chaudhuri et al. 2006), so only texts with a common rare shingle are compared.
 */
function joinByWords(indices: readonly number[], members: readonly Member[], join: DisjointSets): void {
  const shingles = indices.map((index) => shinglesOf(members[index].text));
  const frequency = new Map<number, number>();
  for (const own of shingles) for (const shingle of own) frequency.set(shingle, (frequency.get(shingle) ?? 0) + 1);
  const rank = (shingle: number): number => frequency.get(shingle) ?? 0;
  const postings = new Map<number, number[]>();
  for (const [at, own] of shingles.entries()) {
    const rarest = [...own].sort((a, b) => rank(a) - rank(b) || a - b);
    const prefix = rarest.slice(0, own.length - Math.ceil(familyJaccard * own.length) + 1);
    let compared = 0;
    for (const shingle of prefix) {
      const known = postings.get(shingle) ?? [];
      const open = known.filter((other) => !join.together(indices[at], indices[other]));
      for (const other of open.slice(0, mostCompared - compared)) {
        compared += 1;
        if (declaredApart(members[indices[at]], members[indices[other]])) continue;
        if (jaccardOf(own, shingles[other]) >= familyJaccard) join.union(indices[at], indices[other]);
      }
      postings.set(shingle, known);
      known.push(at);
    }
  }
}

interface Joined {
  readonly members: readonly Member[];
  readonly examples: readonly ExampleText[];
  readonly join: DisjointSets;
}

function named(
  rows: readonly LabelledRequest[],
  { members, examples, join }: Joined,
): Omit<Families, "copies" | "nearCopyOf"> {
  const exampleOfRoot = new Map<number, ExampleText>();
  for (const [at, example] of examples.entries()) {
    const root = join.find(rows.length + at);
    if (!exampleOfRoot.has(root)) exampleOfRoot.set(root, example);
  }
  const names = new Map<number, string>();
  for (const [index, member] of members.entries()) {
    const root = join.find(index);
    const name = nameOf(member, rows[index]);
    const known = names.get(root);
    // "group:" sorts before "text:", so a family with a declared group is named after the group.
    if (known === undefined || name < known) names.set(root, name);
  }
  return {
    of: rows.map((_, index) => names.get(join.find(index)) ?? ""),
    ofExample: examples.map((_, at) => names.get(join.find(rows.length + at)) ?? ""),
    exampleOf: rows.map((_, index) => exampleOfRoot.get(join.find(index))),
  };
}

function nameOf({ text, group }: Member, row: LabelledRequest | undefined): string {
  if (group !== null) return `group:${group}`;
  return `text:${sha256Hex(text === "" ? `row ${row?.id}` : text).slice(0, 16)}`;
}

/**
 * Union-find over indices. The smallest index of a set is its root, so roots do not depend on the order of the unions.
 */
export class DisjointSets {
  readonly #parent: Int32Array;

  constructor(size: number) {
    this.#parent = Int32Array.from({ length: size }, (_, index) => index);
  }

  find(index: number): number {
    let root = index;
    while (this.#parent[root] !== root) root = this.#parent[root];
    for (let at = index; at !== root; ) {
      const next = this.#parent[at];
      this.#parent[at] = root;
      at = next;
    }
    return root;
  }

  union(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    if (first !== second) this.#parent[Math.max(first, second)] = Math.min(first, second);
  }

  together(a: number, b: number): boolean {
    return this.find(a) === this.find(b);
  }
}
