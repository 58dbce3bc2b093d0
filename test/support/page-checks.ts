/** Expressions that tests run in a page of a report. */

/** The smallest text of any chart, in pixels of the screen. */
export const smallestChartText = `Math.min(...[...document.querySelectorAll("figure svg text")].map((text) => {
  const svg = text.ownerSVGElement;
  return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}))`;

/** In a page that has axe-core: rules broken seriously, with the first element. */
export const seriousFindings = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200)))`;

/** Tables that are wider than the place that holds them, by their name. */
export const cutTables =
  "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.ariaLabel)";
