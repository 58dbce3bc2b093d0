/** HTML template for the pages in this folder. */
export { escapeHtml, Html, html, trusted } from "../src/base/html.js";
