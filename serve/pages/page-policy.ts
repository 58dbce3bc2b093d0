import { contentPolicy, onlyThese } from "../content-policy.js";

/**
 * What a browser may do with a page that this program made: run the scripts and apply the styles that are in it, each
 * named by its digest, and load nothing. Pages with style attributes, such as charts, allow these as well.
 * @param html  one document, whose scripts and styles come from the program and not from data
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
