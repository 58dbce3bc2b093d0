/** Markup that is inserted verbatim. Only `html` and `trusted` create it. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Insert = string | number | Html | null | readonly (string | Html)[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function insert(value: Insert): string {
  if (value === null) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(insert).join("");
}

/**
 * Template tag: inserted strings and numbers are escaped, `Html` is inserted verbatim, null is omitted, and lists are
 * joined. Insert only between tags or inside attributes in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Insert[]): Html {
  return new Html(parts.map((part, index) => part + insert(values[index] ?? null)).join(""));
}

/** Marks markup as safe: the style sheet and the rendered charts, which do their own escaping. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

/**
 * Base style of every page: colours, type and width. Colours are variables: light by default and in print, dark if the
 * browser prefers it. Text has a contrast of at least 4.5 in both.
 */
export const pageBaseStyle = `:root {
  color-scheme: light dark;
  --paper: #ffffff; --raised: #f6f8fa; --ink: #1c2530; --muted: #566171; --line: #d5dce4; --grid: #e3e8ee;
  --data: #0072b2; --band: #bcdcf2; --target: #b34700;
  --pass: #00674f; --fail: #a8321a; --unsure: #7a5200; --abstain: #4a5563;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12171d; --raised: #1b222a; --ink: #e8edf2; --muted: #a3afbd; --line: #37424e; --grid: #2b343e;
    --data: #6cbcf0; --band: #23485f; --target: #ffa25e;
    --pass: #4fd1ab; --fail: #ff9d85; --unsure: #f0c14b; --abstain: #b9c4d0;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main, header.page, footer { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
header.page { padding-top: 40px; }
footer { padding-bottom: 48px; color: var(--muted); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 48px 0 12px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 24px 0 8px; }
p { margin: 0 0 10px; max-width: 72ch; }
`;
