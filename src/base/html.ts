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
