import { type PageStatus, PageStatusSchema } from "../../reports/release/page-status.js";
import { pageForm } from "../../reports/page-form.js";
import { releaseBlocks } from "../../reports/release/release-blocks.js";
import { statusIn } from "../../reports/release/status-comment.js";
import { printable, shortId } from "../../src/base/text.js";
import { readStrictJson } from "../../src/trust/strict-json.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { StoredManifest } from "../read-signed.js";
import type { StoredPage } from "./stored-page.js";

export interface ReadPage {
  readonly file: string;
  readonly bytes: Buffer;
}

/**
 * Refuses a page file that differs from the stored page in any byte. The stored page is rendered with the approval
 * status found in the file, because approvals may have been added since.
 * @throws {SluiceError} IDENTITY_MISMATCH  another bundle, or a difference, which is named; USAGE  another extension
 */
export async function requirePage(
  { file, bytes }: ReadPage,
  { page, sha256 }: StoredPage,
  manifest: StoredManifest,
): Promise<void> {
  const form = pageForm(file, say`Make one with: ${command`sluice report release --out release.html`}`, "--page");
  const isJson = form.media === "application/json";
  const content = isJson ? readDocument(bytes, file) : null;
  const status = statusFrom(content, bytes, file);
  const { bundle_id: bundle, page_sha256: digest } = status;
  if (bundle !== manifest.bundleId) {
    throw differs(file, `it is about bundle ${shortId(bundle)}, expected ${shortId(manifest.bundleId)}`, manifest);
  }
  if (digest !== sha256) {
    throw differs(file, `its digest is ${digest}, expected ${sha256}`, manifest);
  }
  const document = { page, status };
  const expected = await form.render({ blocks: releaseBlocks(page, status), document });
  if (bytes.equals(expected)) return;
  const where = isJson ? firstField(document, content) : firstLine(expected, bytes);
  throw differs(file, where, manifest);
}

/**
 * Refuses a page whose digest differs from that of the page the approver read. @throws {SluiceError} IDENTITY_MISMATCH
 */
export function requirePageDigest(
  { sha256 }: StoredPage,
  { bundleId }: StoredManifest,
  read: string | undefined,
): void {
  if (read === undefined || read === sha256) return;
  throw new SluiceError("IDENTITY_MISMATCH", `the release page has the digest ${sha256}, expected ${read}`, {
    hint: say`Read it again: ${command`sluice manifest show --bundle ${shortId(bundleId)}`}`,
  });
}

function readDocument(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new SluiceError("IDENTITY_MISMATCH", `${file}: not a release page: not valid JSON`, {
      hint: remake,
      cause,
    });
  }
}

const remake = say`Create it again and read it: ${command`sluice report release --out FILE`}`;

function statusFrom(content: unknown, bytes: Buffer, file: string): PageStatus {
  const inside = content === null ? statusIn(bytes.toString("utf8")) : null;
  const status = inside === null ? memberOf(content, "status") : readStrictJson(inside, file);
  if (status === undefined) {
    throw new SluiceError(
      "IDENTITY_MISMATCH",
      `${file}: not a release page, or only a part of one: it contains no approval status`,
      {
        hint: remake,
      },
    );
  }
  return checkSchema(PageStatusSchema, status, file, "IDENTITY_MISMATCH");
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function differs(file: string, difference: string, manifest: StoredManifest): SluiceError {
  return new SluiceError(
    "IDENTITY_MISMATCH",
    `${file}: differs from the page that would be signed: ${difference}; nothing was signed`,
    {
      hint: say`Create it again and read it: ${command`sluice report release ${shortId(manifest.bundleId)} --out FILE`}`,
    },
  );
}

/** Maximum length of a line or value in a message. */
const mostShown = 80;
const excerpt = (text: string): string => {
  const shown = printable(text.trim());
  return shown.length > mostShown ? `${shown.slice(0, mostShown)}...` : shown;
};

/** The first line in which two texts differ. */
function firstLine(expected: Buffer, found: Buffer): string {
  const bom = byteOrderMark(found);
  if (bom !== null) return bom;
  const [want, have] = [expected, found].map((bytes) => bytes.toString("utf8").split("\n")) as [string[], string[]];
  const at = want.findIndex((line, index) => line !== have[index]);
  const line = at < 0 ? want.length : at;
  const [wanted, had] = [want[line] ?? "", have[line] ?? ""];
  const place = firstDifference(wanted, had);
  const from = Math.max(0, place - 20);
  const [a, b] = [excerpt(had.slice(from)), excerpt(wanted.slice(from))];
  // Texts that look alike differ in an invisible character, such as a line ending.
  if (a === b)
    return `line ${line + 1}, character ${place + 1}: found ${codeAt(had, place)}, expected ${codeAt(wanted, place)}`;
  return `line ${line + 1}: found "${excerpt(had.slice(from))}", expected "${excerpt(wanted.slice(from))}"`;
}

/** A program that saves a file as Windows text puts these three bytes first. */
function byteOrderMark(bytes: Buffer): string | null {
  if (bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return null;
  return "byte 1: found a byte order mark (EF BB BF), expected none";
}

function codeAt(line: string, at: number): string {
  const code = line.charCodeAt(at);
  if (Number.isNaN(code)) return "the end of the line";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}${code === 13 ? " (carriage return)" : ""}`;
}

function firstDifference(a: string, b: string): number {
  const at = [...a].findIndex((character, index) => character !== b[index]);
  return at < 0 ? a.length : at;
}

/** The first field in which two documents differ. */
function firstField(expected: unknown, found: unknown, path = ""): string {
  if (isObject(expected) && isObject(found)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
    const key = keys.find((each) => textOf(memberOf(expected, each)) !== textOf(memberOf(found, each)));
    if (key !== undefined) return firstField(memberOf(expected, key), memberOf(found, key), `${path}/${key}`);
    return "it is not canonical JSON";
  }
  const place = path === "" ? "the document" : printable(path);
  return `${place}: found "${excerpt(textOf(found))}", expected "${excerpt(textOf(expected))}"`;
}

const textOf = (value: unknown): string => (value === undefined ? "nothing" : canonicalJson(value));
