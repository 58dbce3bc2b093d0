import { type Html, html, trusted } from "./html.js";
import { pageStyle } from "./page-style.js";

/** Parts of a document that differ between reports. */
export interface PageDocument {
  readonly title: string;
  /** Source of the one script that the content policy lets run; null: none. */
  readonly scriptSource?: string | null;
  /** Rules that this page adds to the common ones. */
  readonly style?: string;
  readonly body: Html;
}

/** A self-contained HTML document (UTF-8) in the style of the reports, without network requests. */
export function pageDocument({ title, scriptSource = null, style = "", body }: PageDocument): string {
  const script = scriptSource === null ? "" : ` script-src ${scriptSource};`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';${trusted(script)} style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${trusted(pageStyle)}${trusted(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
}
