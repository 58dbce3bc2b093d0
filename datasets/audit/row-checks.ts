import { counted } from "../../src/documents/number-text.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { DisjointSets, type ExampleText } from "../families.js";
import { type NearDuplicatePair, normaliseText } from "../near-duplicates.js";
import { type AuditExample, type AuditFinding, atMost, type LabelSide } from "./finding.js";
import { groupBy } from "../../src/base/group-by.js";

const minimumRequestsPerWorkflow = 8;
/** Maximum share of rows that repeat an earlier row; repeats only waste rows. */
const exactDuplicateLimit = 0.01;
/** Allowed share of out-of-scope rows. */
const outOfScopeLimit = { from: 0.05, to: 0.6 } as const;

export function exactDuplicates(rows: readonly LabelledRequest[]): AuditFinding {
  const firstOf = new Map<string, string>();
  const found: AuditExample[] = [];
  for (const row of rows) {
    const first = firstOf.get(row.text);
    if (first === undefined) firstOf.set(row.text, row.id);
    else found.push({ ids: [row.id, first], note: "" });
  }
  const meaning = "rows whose exact text occurred in an earlier row";
  return atMost({ check: "exact_duplicate", meaning, found, of: rows.length, limit: exactDuplicateLimit });
}

/**
 * Finds equal texts and near-copies with different labels, including copies of another workflow's catalog example. Rows
 * with different allow lists cannot conflict, because a label depends on the workflows that the caller may use.
 * @param copies  near-copies; indices count the rows first, then the examples
 */
export function labelConflicts(
  rows: readonly LabelledRequest[],
  examples: readonly ExampleText[],
  copies: readonly NearDuplicatePair[],
): AuditFinding {
  const all: readonly LabelledText[] = [
    ...rows.map(({ id, text, workflow_id: label, allowed_workflow_ids: allowedWorkflowIds }) => ({
      id,
      text: normaliseText(text),
      label,
      allowed: JSON.stringify(allowedWorkflowIds?.toSorted() ?? null),
    })),
    ...examples.map(({ text, workflowId }) => ({ text: normaliseText(text), label: workflowId, allowed: null })),
  ];
  const contradicted = new Set<number>();
  const joined = new DisjointSets(all.length);
  const compare = (a: number, b: number): void => {
    const [first, second] = [all[a], all[b]];
    if (first.label === second.label) return;
    if (first.allowed !== null && second.allowed !== null && first.allowed !== second.allowed) return;
    contradicted.add(a).add(b);
    joined.union(a, b);
  };
  for (const equal of groupBy([...all.keys()], (index) => all[index].text).values()) compareEqual(equal, all, compare);
  for (const { first, second } of copies) compare(first, second);
  const inOrder = [...contradicted].sort((a, b) => a - b);
  const found = [...groupBy(inOrder, (index) => joined.find(index)).values()]
    .map((group) => conflictOf(group.map((index) => all[index])))
    .filter(({ ids }) => ids.length > 0);
  const meaning = "rows whose text, or a near-copy of it, also has another label";
  const count = inOrder.filter((index) => index < rows.length).length;
  return atMost({ check: "label_conflict", meaning, found, count, of: rows.length });
}

/** A request or, without an id, an example. */
interface LabelledText {
  readonly id?: string;
  readonly text: string;
  readonly label: string | null;
  readonly allowed: string | null;
}

/** Texts that contradict each other, by label. An example that is also a row counts once. */
function conflictOf(group: readonly LabelledText[]): AuditExample {
  const sides = [...groupBy(group, ({ label }) => label)]
    .map(([label, texts]): LabelSide => {
      const rows = texts.flatMap(({ id }) => id ?? []);
      const asRow = new Set(texts.filter(({ id }) => id !== undefined).map(({ text }) => text));
      return {
        label,
        rows,
        texts: rows.length + texts.filter(({ id, text }) => id === undefined && !asRow.has(text)).length,
      };
    })
    .sort((a, b) => b.texts - a.texts);
  const note = sides.map(({ label, texts }) => `${texts} ${label ?? "out of scope"}`).join(", ");
  return { ids: sides.flatMap(({ rows }) => rows), note, sides };
}

/** Compares one text per label and allow list with one of each other label; linear time if all labels agree. */
function compareEqual(
  equal: readonly number[],
  all: readonly LabelledText[],
  compare: (a: number, b: number) => void,
): void {
  const kinds = [...groupBy(equal, (index) => `${all[index].label} ${all[index].allowed}`).values()];
  for (const [at, kind] of kinds.entries()) {
    for (const [other] of kinds.slice(0, at)) {
      for (const index of kind) compare(other, index);
    }
    for (const [first] of kinds.slice(at + 1)) for (const index of kind) compare(index, first);
  }
}

export function nearDuplicateShare(
  rows: readonly LabelledRequest[],
  pairs: readonly NearDuplicatePair[],
  limit: number,
): AuditFinding {
  const found = repeatedRows(rows, pairs, () => "");
  const meaning = "near-duplicates of an earlier row (Jaccard of words and word pairs >= 0.8)";
  return atMost({ check: "near_duplicate", meaning, found, of: rows.length, limit });
}

/** The later row of each pair, listed once, with the first row that it repeats. */
export function repeatedRows(
  rows: readonly LabelledRequest[],
  pairs: readonly NearDuplicatePair[],
  noteOf: (pair: NearDuplicatePair) => string,
): readonly AuditExample[] {
  const found = new Map<number, AuditExample>();
  for (const pair of pairs) {
    if (found.has(pair.second)) continue;
    const ids = [rows[pair.second]?.id ?? "", rows[pair.first]?.id ?? ""];
    found.set(pair.second, { ids, note: noteOf(pair) });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, example]) => example);
}

export function smallWorkflows(rows: readonly LabelledRequest[]): AuditFinding {
  const counts = new Map<string, number>();
  for (const { workflow_id: workflowId } of rows) {
    if (workflowId !== null) counts.set(workflowId, (counts.get(workflowId) ?? 0) + 1);
  }
  const found = [...counts]
    .filter(([, count]) => count < minimumRequestsPerWorkflow)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, count]) => ({ ids: [id], note: counted(count, "request") }));
  const meaning = `workflows with fewer than ${minimumRequestsPerWorkflow} requests`;
  return atMost({ check: "small_workflow", meaning, found, of: counts.size });
}

/** @param removed  workflows that the split removed from the catalog; their requests are out of scope */
export function outOfScopeShare(rows: readonly LabelledRequest[], removed: readonly string[]): AuditFinding {
  const outside = new Set(removed);
  const count = rows.filter((row) => row.workflow_id === null || outside.has(row.workflow_id)).length;
  const share = rows.length === 0 ? 0 : count / rows.length;
  const passed = share >= outOfScopeLimit.from && share <= outOfScopeLimit.to;
  const meaning = "rows out of scope";
  return { check: "out_of_scope_share", meaning, count, share, limit: outOfScopeLimit, passed, examples: [] };
}

export function personalData(rows: readonly LabelledRequest[]): AuditFinding {
  const found = rows.flatMap((row) => {
    const kinds = [...personalDataIn(row.text)];
    return kinds.length === 0 ? [] : [{ ids: [row.id], note: kinds.join(", ") }];
  });
  const meaning = "rows that seem to contain an email address, a phone number, an IBAN or a card number";
  return atMost({ check: "personal_data", meaning, found, of: rows.length });
}

type PersonalDataKind = "email" | "phone" | "iban" | "card";

const emailPattern = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
/** A run of digits with separators. Its length decides whether it is a phone number: these have 8 to 15 digits. */
const digitRunPattern = /\+?\(?\d(?:[ ()./-]{0,2}\d){6,22}/gu;
const ibanPattern = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/giu;

/**
 * Kinds of personal data that a text seems to contain. False positives are possible: order numbers can look like phone
 * numbers.
 */
export function personalDataIn(text: string): ReadonlySet<PersonalDataKind> {
  const kinds = new Set<PersonalDataKind>();
  if (emailPattern.test(text)) kinds.add("email");
  const ibans = [...text.matchAll(ibanPattern)].map(([match]) => match).filter(isIban);
  if (ibans.length > 0) kinds.add("iban");
  const rest = ibans.reduce((remaining, iban) => remaining.replace(iban, " "), text);
  for (const [run] of rest.matchAll(digitRunPattern)) {
    const digits = run.replace(/\D/g, "");
    if (isCardNumber(digits)) kinds.add("card");
    else if (isPhone(run, digits)) kinds.add("phone");
  }
  return kinds;
}

/** 13 to 19 digits with a valid Luhn check digit. */
function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^0+$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, character, index) => {
    const doubled = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** 8 to 15 digits that start with a plus sign or a zero, or are written in groups. Dates and amounts are shorter. */
function isPhone(run: string, digits: string): boolean {
  if (digits.length < 8 || digits.length > 15) return false;
  if (/^\(?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(run)) return false;
  return run.startsWith("+") || digits.startsWith("0") || /\d[ ()./-]+\d/.test(run);
}

/**
 * ISO 13616: move the first four characters to the end, replace letters by 10 to 35; the number modulo 97 must be 1.
 */
function isIban(match: string): boolean {
  const compact = match.replace(/ /g, "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  const numeric = [...moved].map((c) => Number.parseInt(c, 36).toString()).join("");
  return [...numeric].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0) === 1;
}
