import type { Reference } from "../../store/records/read-records.js";
import { SluiceError } from "../../src/base/error.js";
import { kind, listKind, numberKind, objectKind, type ValueKind, wholeNumber } from "../../src/base/options.js";

/** Values of one kind, separated by commas; `accepted` checks each. */
export const listOf = <T>(
  placeholder: string,
  expected: string,
  {
    read,
    accepted = () => true,
  }: { read: (raw: string) => T | undefined; accepted?: (values: readonly T[]) => boolean },
): ValueKind<readonly T[]> =>
  listKind(placeholder, expected, (raw) => {
    const values = raw.split(",").map((part) => read(part.trim()));
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length && accepted(known) ? known : undefined;
  });

const decimal = /^(0|[1-9]\d*)(\.\d+)?(e-?\d+)?$/;

/** Any non-empty text. Messages never repeat its value. */
export const text: ValueKind<string> = {
  placeholder: "TEXT",
  type: "string",
  parse: (raw, name) => {
    if (raw === "") throw new SluiceError("USAGE", `${name} is empty`);
    return raw;
  },
};

/** A text, unchanged; it may be empty or have leading and trailing spaces. */
export const exactText: ValueKind<string> = { placeholder: "TEXT", type: "string", parse: (raw) => raw };

/** A file or folder, relative to the working directory. */
export const path = kind("PATH", "a path", (raw) => (raw === "" || raw.includes("\0") ? undefined : raw));

/** A whole number from 0 to 2^53 - 1. */
export const count = numberKind("COUNT", "a whole number, 0 or more", (raw) =>
  wholeNumber(raw, Number.MAX_SAFE_INTEGER),
);

/** A whole number from 0 to 2^32 - 1. */
export const seed = numberKind("SEED", "a whole number from 0 to 4294967295", (raw) => wholeNumber(raw, 0xffff_ffff));

/** A TCP port from 0 to 65535; 0 lets the system choose. */
export const port = numberKind("PORT", "a port from 0 to 65535", (raw) => wholeNumber(raw, 65_535));

/** Parses a number from 0 to 1, inclusive; undefined for any other text. */
export function probabilityIn(raw: string): number | undefined {
  const value = decimal.test(raw) ? Number(raw) : Number.NaN;
  return value >= 0 && value <= 1 ? value : undefined;
}

/** A part, such as 3/16. */
export const shardPart = objectKind("N/OF", "a part such as 3/16, counted from 1", (raw) => {
  const [, n, of] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(raw) ?? [];
  const [shard, shards] = [Number(n), Number(of)];
  return shard <= shards ? { shard, shards } : undefined;
});

/** A number from 0 to 1, inclusive. */
export const probability = numberKind("SHARE", "a number from 0 to 1", probabilityIn);

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A duration such as 30s, 15m, 12h or 90d, converted to seconds. */
export const duration = numberKind("DURATION", "a length of time such as 30s, 15m, 12h or 90d", (raw) => {
  const parts = /^([1-9]\d{0,5})([smhd])$/.exec(raw);
  const unit = secondsOf[parts?.[2] ?? ""];
  return unit === undefined ? undefined : Number(parts?.[1]) * unit;
});

/** The SHA-256 of a record, or at least its first four hex digits. */
export const id = kind("ID", "4 to 64 lower-case hex digits", (raw) =>
  /^[0-9a-f]{4,64}$/.test(raw) ? raw : undefined,
);

export const list = listKind("A,B,...", "different names separated by commas", (raw): readonly string[] | undefined => {
  const items = raw.split(",").map((item) => item.trim());
  return items.includes("") || new Set(items).size !== items.length ? undefined : items;
});

export function choice<const W extends string>(...words: readonly W[]): ValueKind<W> {
  return kind(words.join("|"), `one of ${words.join(", ")}`, (raw) => words.find((word) => word === raw));
}

/** Name of a person or service, as used in documents. */
export const name = kind("NAME", "a name of letters, digits and . _ @ -", (raw) =>
  /^[A-Za-z0-9][A-Za-z0-9._@-]{0,79}$/.test(raw) ? raw : undefined,
);

function recordOr(placeholder: string): ValueKind<Reference> {
  return objectKind(placeholder, "an id of the history or a path", (raw): Reference | undefined => {
    if (/^[0-9a-f]{4,64}$/.test(raw)) return { kind: "id", id: raw };
    return raw === "" || raw.includes("\0") ? undefined : { kind: "file", path: raw };
  });
}

export const reference = recordOr("ID|FILE");

export const folderReference = recordOr("ID|DIR");

/** A full SHA-256. */
export const sha256 = kind("SHA256", "64 lower-case hex digits", (raw) =>
  /^[0-9a-f]{64}$/.test(raw) ? raw : undefined,
);

export const httpAddress = kind("URL", "an address such as http://127.0.0.1:8080", (raw) =>
  URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol) ? raw : undefined,
);

export const encoding = kind("NAME", "an encoding such as shift_jis or windows-1251", (raw) => {
  try {
    return new TextDecoder(raw).encoding;
  } catch {
    return undefined;
  }
});
