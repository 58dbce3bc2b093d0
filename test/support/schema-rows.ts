/** A part of a JSON Schema, as far as a reference page shows it. */
interface SchemaPart {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaPart;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
}

const grouped = (value: number | undefined): string => (value ?? 0).toLocaleString("en");

function limitsOf(part: SchemaPart): string {
  if (part.const !== undefined) return `\`${JSON.stringify(part.const)}\``;
  if (part.enum !== undefined) return part.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (part.pattern !== undefined) return `text of the form \`${part.pattern}\``;
  if (part.type === "string") return `text, ${grouped(part.minLength)} to ${grouped(part.maxLength)} characters`;
  if (part.type !== "array") return "any fields";
  const items =
    part.items?.type === "object" ? "entries, see below" : `texts of 1 to ${grouped(part.items?.maxLength)} characters`;
  return `list of ${grouped(part.minItems)} to ${grouped(part.maxItems)} ${items}`;
}

function presenceOf(part: SchemaPart, required: boolean): string {
  if (required) return "required";
  if (part.default === undefined) return "optional";
  const written = JSON.stringify(part.default);
  return `default ${written === '""' ? "empty" : `\`${typeof part.default === "string" ? part.default : written}\``}`;
}

/** One line of a Markdown list for each field of an object schema: field, values, presence, meaning. */
export function schemaRows(schema: unknown): readonly string[] {
  const { properties = {}, required = [] } = schema as SchemaPart;
  return Object.entries(properties).map(
    ([name, part]) =>
      `- \`${name}\` (${limitsOf(part)}; ${presenceOf(part, required.includes(name))}): ${part.description ?? ""}`,
  );
}
