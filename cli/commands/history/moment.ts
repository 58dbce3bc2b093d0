import { objectKind } from "../../../src/base/options.js";

export interface Moment {
  /** First and last second of the period, in the time format of documents. */
  readonly first: string;
  readonly last: string;
}

function isReal(time: string): boolean {
  const ms = Date.parse(time);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === time.slice(0, 19);
}

/** `2026-03-01` is the whole day; `2026-03-01T12:00:00Z` is that second. */
export const moment = objectKind(
  "DATE",
  "a date such as 2026-03-01 or a UTC time such as 2026-03-01T12:00:00Z",
  (raw): Moment | undefined => {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(raw);
    const first = isDay ? `${raw}T00:00:00Z` : raw;
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(first) || !isReal(first)) return undefined;
    return { first, last: isDay ? `${raw}T23:59:59Z` : raw };
  },
);
