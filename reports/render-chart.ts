import type { TopLevelSpec } from "vega-lite";
import { escapeHtml } from "../src/base/html.js";

export interface ChartOptions {
  /** Prefix of every id in the SVG; unique on the page, a valid HTML id. */
  readonly id: string;
  /** Text alternative: describes the chart in one or two sentences. */
  readonly alt: string;
}

/** Renumbers clip ids by first appearance, because vega numbers them per process. This makes the bytes reproducible. */
function renumberIds(svg: string, prefix: string): string {
  const names = new Map<string, string>();
  for (const [, id] of svg.matchAll(/\bid="([^"]+)"/g)) {
    if (id !== undefined) names.set(id, `${prefix}-${names.size + 1}`);
  }
  return svg
    .replace(/\bid="([^"]+)"/g, (_, id: string) => `id="${names.get(id) ?? id}"`)
    .replace(/url\(#([^)]+)\)/g, (_, id: string) => `url(#${names.get(id) ?? id})`);
}

/**
 * Marks the SVG as a single image with a text alternative; screen readers would otherwise read vega's roles mark by
 * mark.
 */
function asSingleImage(svg: string, alt: string): string {
  const viewBox = /viewBox="([^"]+)"/.exec(svg)?.[1] ?? "0 0 0 0";
  const width = viewBox.split(" ")[2] ?? "0";
  return svg
    .replace(/ (?:role|aria-[a-z]+|pointer-events)="[^"]*"/g, "")
    .replace(
      /^<svg[^>]*>/,
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" style="max-width:${width}px" ` +
        `role="img" aria-label="${escapeHtml(alt)}">`,
    );
}

/**
 * Renders a vega-lite spec with inlined data as SVG for embedding in an HTML page: it scales to the width of its
 * container, and its ids start with `options.id`. Equal specs and options give equal bytes.
 */
export async function renderChart(spec: TopLevelSpec, options: ChartOptions): Promise<string> {
  // Loaded on demand, because every command that imports a report would otherwise wait for these modules.
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  try {
    return asSingleImage(renumberIds(await view.toSVG(), options.id), options.alt);
  } finally {
    view.finalize();
  }
}
