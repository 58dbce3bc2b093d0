/** Markup that may be inserted verbatim. Only `html` and `trusted` make it. */
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

/** Text that is safe between tags and inside a quoted attribute. */
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
 * Template tag: every inserted string and number is escaped, `Html` is inserted verbatim, null is left out, and lists
 * are joined. Insert only between tags or inside attributes in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Insert[]): Html {
  return new Html(parts.map((part, index) => part + insert(values[index] ?? null)).join(""));
}

/** Markup from a source that escapes on its own: the style sheet and the rendered charts. */
export function trusted(markup: string): Html {
  return new Html(markup);
}
