import { type Html, html, pageBaseStyle, trusted } from "../src/base/html.js";

/** Parts of a document that differ between reports. */
export interface PageDocument {
  readonly title: string;
  /** The only script source that the Content-Security-Policy allows; null: none. */
  readonly scriptSource?: string | null;
  /** CSS rules in addition to the common ones. */
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

/**
 * Style sheet of a report page. Colours are variables: light by default and in print, dark if the browser prefers it;
 * charts use the same variables. Text has a contrast of at least 4.5 in both modes.
 */
const pageStyle = `
${pageBaseStyle}.muted, figcaption, .basis, .meaning { color: var(--muted); font-size: 0.9rem; }
.rate, td.num, code { font-variant-numeric: tabular-nums; }
.rate { font-weight: 600; }
.rate span { white-space: nowrap; }
code { font: 0.85em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 18px 0 0; list-style: none; font-size: 0.92rem; }
a { color: var(--data); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--data); outline-offset: 2px; }
.verdict {
  display: inline-block; padding: 1px 10px; border: 2px solid currentColor; border-radius: 999px;
  font-weight: 700; font-size: 0.85rem; white-space: nowrap;
}
.pass { color: var(--pass); } .fail { color: var(--fail); } .unsure { color: var(--unsure); } .abstain { color: var(--abstain); }
.verdict.fail { border-style: double; border-width: 3px; } .verdict.unsure { border-style: dashed; } .verdict.abstain { border-style: dotted; }
.overall { margin: 22px 0 0; padding: 18px 20px; background: var(--raised); border-left: 6px solid; border-radius: 4px; }
.overall p { color: var(--ink); margin: 0; }
.overall .sentence { font-size: 1.25rem; font-weight: 600; line-height: 1.35; margin: 8px 0 4px; }
.headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px 24px; margin: 12px 0 16px; }
.headline dt { color: var(--muted); font-size: 0.9rem; }
.headline dd { margin: 0; font-size: 1.6rem; font-weight: 700; line-height: 1.2; color: var(--ink); font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px 20px; margin: 20px 0 0; }
.facts div { border-top: 2px solid var(--line); padding-top: 6px; }
.facts dt, .pairs dt { color: var(--muted); font-size: 0.85rem; }
.facts dd { margin: 0; font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 170px), 1fr)); gap: 8px 20px; margin: 12px 0; }
.pairs dd { margin: 0; font-size: 0.95rem; overflow-wrap: break-word; }
.warnings { padding: 12px 18px; border: 1px solid var(--unsure); border-radius: 6px; margin: 20px 0 0; }
.warnings h2 { margin: 0 0 6px; padding: 0; border: 0; font-size: 1rem; color: var(--unsure); }
.warnings ul { margin: 0; padding-left: 20px; }
.promises { padding: 0; margin: 0 0 12px; max-width: 80ch; list-style: none; }
.promises li { margin-bottom: 10px; padding-left: 14px; border-left: 3px solid var(--line); }
.promises .muted { display: block; } .promises strong { font-size: 1.05rem; }
.part { border-top: 1px solid var(--line); margin: 0; } .part > summary { padding: 10px 0; }
.part > summary h2 { display: inline; margin: 0; padding: 0; border: 0; font-size: 1.1rem; }
.part > section { padding-bottom: 18px; }
.lines { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 325px), 1fr)); gap: 14px 24px; margin: 0; }
.lines > div { border-top: 1px solid var(--line); padding-top: 8px; }
.lines dt { font-weight: 400; } .lines dd { margin: 0; } .lines dd.rate { font-size: 0.98rem; }
.direction { color: var(--muted); font-size: 0.85rem; }
.tiers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 18px; }
.tiers .card { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 16px 18px; min-width: 0; }
.tiers h3 { margin: 0 0 8px; display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 8px; }
.tiers .lines { display: block; } .tiers .lines > div { margin-bottom: 10px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); gap: 24px 32px; align-items: start; }
.side-by-side { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.9fr); gap: 24px 40px; align-items: start; }
.side-by-side > * { min-width: 0; }
figure { margin: 0; min-width: 0; }
.charts h3 { margin-top: 8px; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin-top: 8px; }
details { margin: 10px 0; } summary { cursor: pointer; color: var(--data); font-size: 0.92rem; padding: 4px 0; }
.scroll { overflow-x: auto; }
.knobs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr)); gap: 12px 20px; align-items: end; }
.knobs label { display: block; min-width: 0; } .knobs input, .knobs select { display: block; width: 100%; font: inherit; min-height: 32px; }
.knobs output { font-weight: 600; } button { font: inherit; padding: 4px 12px; color: var(--data); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
.ids { columns: 22rem auto; max-height: 320px; overflow-y: auto; padding: 0; list-style: none; font-size: 0.9rem; color: var(--muted); }
.ids li { break-inside: avoid; overflow-wrap: anywhere; }
.ids button, #x-errors button { padding: 2px 0; min-height: 28px; border: 0; background: none; text-align: left; text-decoration: underline; overflow-wrap: anywhere; }
#x-story .pairs { grid-template-columns: repeat(auto-fit, minmax(min(100%, 270px), 1fr)); }
#x-errors td { overflow-wrap: anywhere; min-width: 4.5rem; }
#x-story { background: var(--raised); border-radius: 8px; padding: 2px 18px 8px; margin-top: 12px; } #x-story dd { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
caption { text-align: left; color: var(--muted); padding: 6px 0; }
th, td { text-align: left; vertical-align: top; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } thead th { border-bottom: 2px solid var(--line); }
th.num, td.num { text-align: right; white-space: nowrap; }
th.num { white-space: normal; } td .verdict { font-size: 0.8rem; padding: 0 8px; }
@media (max-width: 900px) { .side-by-side { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 640px) {
  .verdict { white-space: normal; border-radius: 16px; }
  header.page { padding-top: 24px; }
  h1 { font-size: 1.5rem; } h2 { margin-top: 36px; }
  header.page nav { display: none; }
  th, td { padding-right: 10px; }
}
@media print {
  @page { margin: 16mm 14mm; }
  body { font-size: 10.5pt; }
  main, header.page, footer { max-width: none; padding: 0; }
  nav, #explorer { display: none; }
  details.part::details-content { content-visibility: visible; block-size: auto; } details.part > summary { list-style: none; }
  .tiers .card, figure, .overall, .lines > div, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .tiers { grid-template-columns: 1fr 1fr; }
  .charts, .side-by-side { grid-template-columns: 1fr; }
  .overall { margin-top: 10px; padding: 10px 14px; }
  .overall .sentence { font-size: 1.1rem; }
  .headline { grid-template-columns: repeat(4, 1fr); margin: 6px 0; }
  .headline dd { font-size: 1.1rem; }
  figure svg { max-height: 90mm; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; } th, td { padding-right: 6pt; overflow-wrap: anywhere; }
  th.num, td.num { white-space: normal; }
}
`;
