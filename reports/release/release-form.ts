import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { PageStanding } from "./page-standing.js";
import { renderReleaseHtml } from "./release-html.js";
import { renderReleaseMarkdown } from "./release-markdown.js";
import type { ReleasePage } from "./release-page.js";

type Render = (page: ReleasePage, standing: PageStanding) => Buffer;

/** Release page formats by file extension. */
const forms: Readonly<Record<string, { readonly media: string; readonly render: Render }>> = {
  ".html": { media: "text/html", render: (page, standing) => Buffer.from(renderReleaseHtml(page, standing), "utf8") },
  ".md": {
    media: "text/markdown",
    render: (page, standing) => Buffer.from(renderReleaseMarkdown(page, standing), "utf8"),
  },
  ".json": { media: "application/json", render: (page, standing) => canonicalBytes({ page, standing }) },
};

export const releaseEndings: readonly string[] = Object.keys(forms);

/** The format for a file extension (with its dot, lower case); null for another extension. */
export function releaseForm(ending: string): { readonly media: string; readonly render: Render } | null {
  return Object.hasOwn(forms, ending) ? (forms[ending] ?? null) : null;
}
