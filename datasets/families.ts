import { sha256Hex } from "../src/base/sha256.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { groupBy } from "../src/base/group-by.js";
import { DisjointSets } from "./disjoint-sets.js";
import { jaccardOf, type NearDuplicatePair, nearDuplicates, shinglesOf } from "./near-duplicates.js";
import { normaliseText } from "./normalise-text.js";

/** The examples of a catalog, in its order. */
export const examplesOf = ({ workflows }: Catalog): readonly ExampleText[] =>
  workflows.flatMap(({ workflowId, examples }) => examples.map((text) => ({ workflowId, text })));

/** An example of a catalog, as far as families are concerned. */
export interface ExampleText {
  readonly workflowId: string;
  readonly text: string;
}

/** Cosine similarity of two texts under a sentence encoder, in [-1, 1]. */
export type TextCosine = (first: string, second: string) => number;

export interface FamilyInput {
  readonly rows: readonly LabelledRequest[];
  /** Catalog examples: a row that resembles one belongs to its family. Default: none. */
  readonly examples?: readonly ExampleText[];
  /** Adds the rule of the cosine. Default: families are found by words alone. */
  readonly cosine?: TextCosine | undefined;
}

export interface Families {
  /** Name of the family of each row, in row order. Rows without a relative have their own family. */
  readonly of: readonly string[];
  /** Name of the family of each example, in their order. */
  readonly ofExample: readonly string[];
  /** The example that each row shares a family with, in row order; undefined where there is none. */
  readonly exampleOf: readonly (ExampleText | undefined)[];
  /** Near-copies whatever their labels, by index: the rows first, then the examples. */
  readonly copies: readonly NearDuplicatePair[];
}

/** Texts of one workflow at or above this Jaccard similarity of words and word pairs are one family. */
export const familyJaccard = 0.5;
/** Texts of one workflow at or above this cosine are one family. */
export const familyCosine = 0.9;
/** Texts of one label that a text is compared with at most; more share its rarest words only in stock phrases. */
const mostCompared = 2000;

/** A row or an example. */
interface Member {
  readonly text: string;
  /** Texts are compared within a label: a workflow, or out of scope. */
  readonly label: string;
  readonly group: string | null;
}

/**
 * Families of requests that are no independent evidence: rows with one `group_id`, rows with equal normalised texts,
 * near-copies whatever their labels, and within a workflow (or out of scope) texts that share half of their words and
 * word pairs or have a cosine of at least .9, unless both have a group. Catalog examples take part. A family is named after its group, else after
 * its smallest text digest, so that neither the order nor the ids of the rows matter.
 *
 * @example const { of, exampleOf } = familiesOf({ rows, examples });
 */
export function familiesOf({ rows, examples = [], cosine }: FamilyInput): Families {
  const members: readonly Member[] = [
    ...rows.map(({ text, workflowId, groupId }) => ({
      text: normaliseText(text),
      label: labelOf(workflowId),
      group: groupId ?? null,
    })),
    ...examples.map(({ text, workflowId }) => ({
      text: normaliseText(text),
      label: labelOf(workflowId),
      group: null,
    })),
  ];
  const join = new DisjointSets(members.length);
  joinEqual(members, join);
  const copies = nearDuplicates(members.map(({ text }) => text));
  for (const { first, second } of copies) join.union(first, second);
  for (const [, alike] of groupBy([...members.keys()], (index) => members[index].label)) {
    const distinct = [...new Map(alike.map((index) => [members[index].text, index])).values()];
    joinByWords(distinct, members, join);
    if (cosine !== undefined) joinByCosine(distinct, { members, cosine }, join);
  }
  return { ...named(rows, { members, examples, join }), copies };
}

/** Two groups that somebody declared are joined by copies and near-copies only. */
const declaredApart = (a: Member, b: Member): boolean => a.group !== null && b.group !== null && a.group !== b.group;

const labelOf = (workflowId: string | null): string => (workflowId === null ? "" : workflowId);

/** Equal normalised texts, and equal groups. A text without a letter or digit equals none. */
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
 * Joins texts with a Jaccard similarity of at least `familyJaccard`. Two such texts share one of the rarest shingles of
 * each (prefix filter, Chaudhuri et al. 2006), so that only texts with a common rare shingle are compared.
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

function joinByCosine(
  indices: readonly number[],
  { members, cosine }: { readonly members: readonly Member[]; readonly cosine: TextCosine },
  join: DisjointSets,
): void {
  for (const [at, second] of indices.entries()) {
    for (const first of indices.slice(Math.max(0, at - mostCompared), at)) {
      if (join.together(first, second) || declaredApart(members[first], members[second])) continue;
      if (cosine(members[first].text, members[second].text) >= familyCosine) join.union(first, second);
    }
  }
}

interface Joined {
  readonly members: readonly Member[];
  readonly examples: readonly ExampleText[];
  readonly join: DisjointSets;
}

function named(rows: readonly LabelledRequest[], { members, examples, join }: Joined): Omit<Families, "copies"> {
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
    // "group:" sorts before "text:", so that a declared group names its family.
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
