import type { PageChart } from "./blocks.js";
import { renderChart } from "./render-chart.js";

export interface ChartFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Replaces the colour variables of a page by their light-mode values. */
const withoutVariables = (text: string): string => text.replace(/var\(--[a-z]+, (#[0-9a-f]{6})\)/g, "$1");

/** Converts a chart to an image of fixed size on white, for slides and documents. */
function standalone(svg: string): string {
  const [, width = "0", height = "0"] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(svg) ?? [];
  return withoutVariables(svg).replace(
    /style="max-width:[^"]*"/,
    `width="${width}" height="${height}" style="background:#ffffff"`,
  );
}

/** The vega-lite spec (`.vl.json`) and the image (`.svg`) of each chart with data. Equal charts give equal bytes. */
export async function chartFiles(charts: readonly PageChart[]): Promise<readonly ChartFile[]> {
  const files: ChartFile[] = [];
  for (const { id, view, spec } of charts) {
    if (spec === null) continue;
    const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", description: view.alt, ...spec };
    const readable = `${withoutVariables(JSON.stringify(whole, null, 2))}\n`;
    const svg = standalone(await renderChart(spec, { id, alt: view.alt }));
    files.push(
      { name: `${id}.vl.json`, bytes: Buffer.from(readable, "utf8") },
      { name: `${id}.svg`, bytes: Buffer.from(`${svg}\n`, "utf8") },
    );
  }
  return files;
}
