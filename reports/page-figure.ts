import type { TopLevelSpec } from "vega-lite";
import { type Html, html, trusted } from "../src/base/html.js";
import { dataTable, folded } from "./page-parts.js";
import { renderChart } from "./render-chart.js";
import type { ChartView } from "./report-model.js";

/** A chart of a page, with its id on that page and its vega-lite spec, which is null without data. */
export interface PageChart {
  readonly id: string;
  readonly view: ChartView<unknown>;
  readonly spec: TopLevelSpec | null;
}

/** Creates the chart of a view. @param id  unique on the page, a valid HTML id and file name */
export function pageChart<Data>(id: string, view: ChartView<Data>, toSpec: (data: Data) => TopLevelSpec): PageChart {
  return { id, view, spec: view.data === null ? null : toSpec(view.data) };
}

/** A chart with its title, caption, and numbers as a table. */
async function figure({ id, view, spec }: PageChart): Promise<Html> {
  const svg = spec === null ? null : await renderChart(spec, { id: `${id}-svg`, alt: view.alt });
  const picture = svg === null ? html`<p>No data: there is nothing to draw.</p>` : trusted(svg);
  const note = svg === null ? null : html`<figcaption>${view.caption}</figcaption>`;
  return html`<figure id="${id}"><h3>${view.title}</h3>
${picture}
${note}
${folded("Show as a table", dataTable(view.table))}
</figure>
`;
}

/** Renders several charts in order. */
export async function figures(charts: readonly PageChart[]): Promise<readonly Html[]> {
  const drawn: Html[] = [];
  for (const chart of charts) drawn.push(await figure(chart));
  return drawn;
}
