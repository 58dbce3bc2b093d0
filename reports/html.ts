/** The template of pages, for the pages of this folder. */
export { escapeHtml, Html, html, trusted } from "../src/base/html.js";
