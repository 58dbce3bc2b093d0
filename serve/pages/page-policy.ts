import { contentPolicy, onlyThese } from "../content-policy.js";

/**
 * Content security policy of a page that this program generated. It allows the scripts and styles in the page, by their
 * digests, and nothing is loaded. On pages with style attributes, such as charts, these are allowed as well.
 * @param html  one document, whose scripts and styles come from this program, never from data
 * @param hasForm  whether its forms may be sent to this server
 */
export function pagePolicy(html: string, hasForm = false): string {
  return contentPolicy({
    scripts: onlyThese(contentsOf(html, "script")),
    styles: /<[a-z][^>]*\sstyle="/iu.test(html) ? "'unsafe-inline'" : onlyThese(contentsOf(html, "style")),
    asksServer: false,
    hasForm,
  });
}

function contentsOf(html: string, element: "script" | "style"): readonly string[] {
  const pattern = new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, "gu");
  return [...html.matchAll(pattern)].map(([, content = ""]) => content);
}
