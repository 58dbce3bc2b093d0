import { extname } from "node:path";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { SluiceError, type Text } from "../src/base/error.js";
import type { PageBlocks } from "./blocks.js";
import { renderHtml } from "./render-html.js";
import { renderMarkdown } from "./render-markdown.js";

/** A page, and the document that its JSON form contains. */
export interface ReportPage {
  readonly blocks: PageBlocks;
  readonly document: unknown;
}

/** A format of a page. Equal pages give equal bytes. */
export interface PageForm {
  readonly media: "text/html" | "text/markdown" | "application/json";
  readonly render: (page: ReportPage) => Promise<Buffer>;
}

/** Formats by file extension. */
const forms: Readonly<Record<string, PageForm>> = {
  ".html": { media: "text/html", render: async ({ blocks }) => Buffer.from(await renderHtml(blocks), "utf8") },
  ".md": {
    media: "text/markdown",
    render: ({ blocks }) => Promise.resolve(Buffer.from(renderMarkdown(blocks), "utf8")),
  },
  ".json": { media: "application/json", render: ({ document }) => Promise.resolve(canonicalBytes(document)) },
};

/**
 * The format of a page file by its extension.
 * @param flag  the option that named the file
 * @throws {SluiceError} USAGE  an extension other than .html, .md or .json
 */
export function pageForm(file: string, hint: Text, flag = "--out"): PageForm {
  const ending = extname(file).toLowerCase();
  const form = Object.hasOwn(forms, ending) ? forms[ending] : undefined;
  if (form !== undefined) return form;
  const endings = Object.keys(forms).join(", ");
  throw new SluiceError("USAGE", `${flag}: found "${file}", expected a file ending in ${endings}`, { hint });
}
