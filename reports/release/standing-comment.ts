import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { PageStanding } from "./page-standing.js";

const opening = "<!-- sluice-standing ";
const closing = " -->";

/** The standing of a page as an HTML comment, which Markdown hides too, so that the page can be made again from itself. */
export function standingComment(standing: PageStanding): string {
  return `${opening}${canonicalBytes(standing).toString("base64")}${closing}`;
}

/** Bytes of the standing that a page was made with, from its last line; null where there is none. */
export function standingIn(document: string): Buffer | null {
  const last = document.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith(opening) || !last.endsWith(closing)) return null;
  return Buffer.from(last.slice(opening.length, -closing.length), "base64");
}
