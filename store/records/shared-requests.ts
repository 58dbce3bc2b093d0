import { canonicalJson } from "../../src/base/canonical-json.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { History } from "../history/open.js";
import { readDataset } from "./read-records.js";

/** Ids of the requests with the same text, label and context in two datasets; null if they are one dataset. */
export function sharedRequests(history: History, before: string, now: string): ReadonlySet<string> | null {
  if (before === now) return null;
  const identityOf = ({ text, workflow_id, context = {} }: LabelledRequest): string =>
    canonicalJson({ text, workflow_id, context });
  const old = new Map(readDataset(history, before).document.map((row) => [row.id, identityOf(row)]));
  const rows = readDataset(history, now).document.filter((row) => old.get(row.id) === identityOf(row));
  return new Set(rows.map(({ id }) => id));
}
