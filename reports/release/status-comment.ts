import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { PageStatus } from "./page-status.js";

const opening = "<!-- sluice-status ";
const closing = " -->";

/**
 * The approval status of a page as an HTML comment, which Markdown also hides. It allows the page to be rebuilt from
 * its own content.
 */
export function statusComment(status: PageStatus): string {
  return `${opening}${canonicalBytes(status).toString("base64")}${closing}`;
}

/** Bytes of the approval status in the last line of a page; null if there is none. */
export function statusIn(document: string): Buffer | null {
  const last = document.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith(opening) || !last.endsWith(closing)) return null;
  return Buffer.from(last.slice(opening.length, -closing.length), "base64");
}
