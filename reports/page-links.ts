import { type Html, html } from "./html.js";

/** A link to a page of the same release in the same folder. */
export interface PageLink {
  readonly label: string;
  /** File name, without a folder. */
  readonly file: string;
}

/** Links to neighbouring pages; null if there are none. */
export function linkBar(links: readonly PageLink[]): Html | null {
  if (links.length === 0) return null;
  return html`<nav aria-label="Other pages of this release"><ul>${links.map(
    ({ label, file }) => html`<li><a href="${encodeURIComponent(file)}">${label}</a></li>`,
  )}</ul></nav>`;
}
