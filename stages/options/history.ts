import { kind, optional, repeated } from "../../src/base/options.js";
import { historyKinds } from "../../src/documents/choices.js";
import { choice, path, text } from "./kinds.js";

function isReal(time: string): boolean {
  const ms = Date.parse(time);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === time.slice(0, 19);
}

/** `2026-03-01` is the first or last second of that day; `2026-03-01T12:00:00Z` is that second. */
export const moment = (edge: "first" | "last") =>
  kind("DATE", "a date such as 2026-03-01 or a UTC time such as 2026-03-01T12:00:00Z", (raw) => {
    const time = /^\d{4}-\d{2}-\d{2}$/.test(raw) ? `${raw}T${edge === "first" ? "00:00:00" : "23:59:59"}Z` : raw;
    return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(time) && isReal(time) ? time : undefined;
  });

/** `history log`, `listRecords` */
export const listOptions = {
  kind: optional(choice(...historyKinds), "only records of this kind"),
  writtenBy: optional(text, "only records written by this person or user"),
  since: optional(moment("first"), "only records since this day or second"),
  before: optional(moment("last"), "only records before the end of this day or second"),
} as const;

const publicKey = optional(path, "public key (.pub.pem) that signed the checkpoints");

/** `history verify`, `verifyWorkspace`. Without a public key, signatures are not checked. */
export const verifyHistoryOptions = {
  checkpoint: repeated(path, "signed checkpoint stored elsewhere; may be repeated"),
  publicKey,
} as const;

/** `history restore`, `restoreWorkspace` */
export const restoreOptions = {
  checkpoint: repeated(path, "signed checkpoint that the backup must contain; may be repeated"),
  publicKey,
} as const;

/** `history pull`, `pullHistory` */
export const pullOptions = {
  checkpoint: repeated(path, "signed checkpoint that the history must contain; may be repeated"),
  publicKey,
} as const;
