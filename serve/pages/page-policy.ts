import { createHash } from "node:crypto";

const digestOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * What a browser may do with a page that this program made: run the scripts and apply the styles that are in it, each
 * named by its digest, and load nothing. Pages with style attributes, as charts have them, allow these as well.
 * @param html  one document, whose scripts and styles come from the program and not from data
 */
export function pagePolicy(html: string): string {
  const scripts = contentsOf(html, "script");
  const styles = contentsOf(html, "style");
  const listed = styles.map(digestOf).join(" ") || "'none'";
  return [
    "default-src 'none'",
    `script-src ${scripts.map(digestOf).join(" ") || "'none'"}`,
    `style-src ${/<[a-z][^>]*\sstyle="/iu.test(html) ? "'unsafe-inline'" : listed}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function contentsOf(html: string, element: "script" | "style"): readonly string[] {
  const pattern = new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, "gu");
  return [...html.matchAll(pattern)].map(([, content = ""]) => content);
}
