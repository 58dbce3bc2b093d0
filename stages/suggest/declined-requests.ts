import { counted } from "../../src/documents/number-text.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { groupBy } from "../../src/base/group-by.js";
import { leadersOf, type RequestToLabel } from "./requests-to-label.js";
import { extname } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";

/** Maximum lead of the first workflow at which two workflows count as close. */
const closeLead = 0.2;
/** Minimum verifier probability of a likely workflow. */
const likely = 0.5;
/** Maximum number of ids to label per group. */
const mostOfOneGroup = 3;

export interface DeclinedGroup {
  /** The two workflows, ascending; only one if there is no second candidate, empty without candidates. */
  readonly workflows: readonly string[];
  readonly requests: number;
  /** `describe`: the two workflows are close; `label`: one leads; `nothing_near`: neither is likely. */
  readonly proposal: "describe" | "label" | "nothing_near";
  readonly sentence: string;
  /** Ids of the most informative requests to label, smallest lead first. */
  readonly toLabel: readonly string[];
}

/**
 * Groups declined requests by their two top workflows, largest group first, and proposes for each group which requests
 * to label or which descriptions to change. Uses the verifier's own probability; reads no labels or thresholds.
 * @param most  maximum number of ids to label over all groups
 */
export function groupDeclined(records: readonly ScoredRecord[], most: number): readonly DeclinedGroup[] {
  const leaders = records.filter(({ error_code: errorCode }) => errorCode === null).map(leadersOf);
  const pairOf = ({ first, second }: RequestToLabel): readonly string[] =>
    [first, second].flatMap((id) => id ?? []).sort();
  const groups = [...groupBy(leaders, (request) => pairOf(request).join(" "))].sort(
    ([a, own], [b, other]) => other.length - own.length || (a < b ? -1 : 1),
  );
  let left = most;
  return groups.map(([, requests]) => {
    const unsure = requests.toSorted((a, b) => a.margin - b.margin || (a.id < b.id ? -1 : 1));
    const toLabel = unsure.slice(0, Math.min(mostOfOneGroup, left)).map(({ id }) => id);
    left -= toLabel.length;
    return {
      workflows: pairOf(requests[0] as RequestToLabel),
      requests: requests.length,
      ...proposalFor(requests),
      toLabel,
    };
  });
}

function proposalFor(requests: readonly RequestToLabel[]): Pick<DeclinedGroup, "proposal" | "sentence"> {
  const [{ first, second } = { first: null, second: null }] = requests;
  const all = requests.length;
  const unlikely = requests.filter(({ confidence }) => confidence < likely).length;
  if (first === null || 2 * unlikely > all) {
    return {
      proposal: "nothing_near",
      sentence: `No workflow is likely in ${unlikely} of ${counted(all, "request")}: label those that no workflow handles as out of scope; a frequent request may point to a missing workflow.`,
    };
  }
  const close = requests.filter(({ margin }) => margin < closeLead).length;
  if (second !== null && 2 * close > all) {
    return {
      proposal: "describe",
      sentence: `Describe what tells ${[first, second].sort().join(" and ")} apart: they are close in ${close} of ${counted(all, "request")}.`,
    };
  }
  const leader = mostFrequent(requests.flatMap((request) => request.first ?? []));
  return {
    proposal: "label",
    sentence: `Label some: ${leader.id} leads in ${leader.count} of ${counted(all, "request")}; add those that belong to it to its examples.`,
  };
}

function mostFrequent(ids: readonly string[]): { readonly id: string; readonly count: number } {
  const counts = [...groupBy(ids, (id) => id)].map(([id, own]) => ({ id, count: own.length }));
  return counts.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))[0] ?? { id: "", count: 0 };
}

/** A text without a label. If the file has no id, the position is the id. */
export interface UnlabelledText {
  readonly id: string;
  readonly text: string;
}

/** Endings of tables, whose lines are not texts. */
const tableEndings: readonly string[] = [".csv", ".tsv", ".xlsx", ".xls", ".ods", ".parquet"];

/**
 * Reads unlabelled texts: one per line of a .txt file, or JSON Lines with `text` and an optional `id` or `request_id`.
 * Blank lines are skipped.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED; DOCUMENT_INVALID  a table, or a wrong line, named without its text
 */
export async function readUnlabelled(file: string): Promise<readonly UnlabelledText[]> {
  const ending = extname(file).toLowerCase();
  if (tableEndings.includes(ending)) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: found a table, expected one text in each line, or JSON Lines`, {
      hint: 'Save its column of texts as a .txt file, or write {"text": "..."} on each line of a .jsonl file.',
    });
  }
  const lines = (await readInput(file))
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/);
  const json = [".jsonl", ".ndjson"].includes(ending);
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const id = `line-${index + 1}`;
    return [json ? fromJson(line, id, file) : { id, text: line.trim() }];
  });
}

function fromJson(line: string, place: string, file: string): UnlabelledText {
  const value = parsed(line);
  if (typeof value === "object" && value !== null && "text" in value && typeof value.text === "string") {
    const { id, request_id: requestId } = value as { readonly id?: unknown; readonly request_id?: unknown };
    const named = [id, requestId].find((name): name is string => typeof name === "string");
    return { id: named ?? place, text: value.text };
  }
  throw new SluiceError("DOCUMENT_INVALID", `${file}: ${place}: expected a JSON object with a text`, {
    hint: 'Write {"id": "a-1", "text": "..."} on each line, or one text on each line of a .txt file.',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
