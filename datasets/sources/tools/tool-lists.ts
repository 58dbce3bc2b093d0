import { groupBy } from "../../../src/base/group-by.js";
import type { ReadMaterial, SourceEffect, SourceInput, SourceWorkflow } from "../parsed-source.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";
import { turnsOf } from "../tables/grid.js";

interface ToolDefinition {
  readonly name: string | null;
  readonly definition: JsonObject;
  readonly schema: unknown;
}

const schemaKeys = [
  "parameters",
  "input_schema",
  "inputSchema",
  "args_schema",
  "parametersJsonSchema",
  "parameter_definitions",
];
/** Keys inside of which a schema or a definition is wrapped. */
const schemaWrappers = ["json", "jsonSchema", "schema"];
const wrappers = ["function", "toolSpec", "metadata"];

/**
 * The definition in an item of a tool list: the item itself, or what it wraps.
 * @param key  name of the item in a map of tools
 */
function definitionOf(item: unknown, key: string | null = null): ToolDefinition | null {
  if (!isJsonObject(item)) return null;
  for (const inner of [...wrappers.map((name) => item[name]), item]) {
    if (!isJsonObject(inner)) continue;
    const schemaKey = schemaKeys.find((name) => isJsonObject(inner[name]));
    const isSchemaless = item["type"] === "function" || typeof inner["fn_schema_str"] === "string";
    if (schemaKey === undefined && !isSchemaless) continue;
    const schema = unwrapped(schemaKey === undefined ? undefined : inner[schemaKey]);
    return { name: textAt(inner, "name") ?? key, definition: inner, schema };
  }
  return null;
}

const schemaless = (definition: JsonObject): ToolDefinition => ({
  name: textAt(definition, "name"),
  definition,
  schema: undefined,
});

function unwrapped(schema: unknown): unknown {
  const wrapper = schemaWrappers.find((name) => isJsonObject(schema) && isJsonObject(schema[name]));
  return isJsonObject(schema) && wrapper !== undefined ? schema[wrapper] : schema;
}

/** Maximum depth of the search for a tool list, e.g. `result.tools`. */
const deepest = 5;

/** Tools of one list, and what they belong to: the nearest name above the list. */
interface FoundTools {
  readonly owner: string | null;
  readonly tools: readonly ToolDefinition[];
  /** Items that are no definitions, by name or kind. */
  readonly skipped: readonly string[];
}

/** All lists and maps with at least one definition that has a JSON Schema. */
function toolsIn(value: unknown, owner: string | null, depth = 0): readonly FoundTools[] {
  if (typeof value !== "object" || value === null || depth > deepest) return [];
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).flatMap((item) => {
      const declared = [...listAt(item, "functionDeclarations"), ...listAt(item, "function_declarations")];
      return declared.length > 0 ? declared : [item];
    });
    const found = items.map((item) => definitionOf(item));
    if (found.every((tool) => tool === null)) {
      // A record of a conversation names the tools that its assistant had.
      const servers = items.filter(
        (item) => !isJsonObject(item) || Object.values(item).every((inner) => turnsOf(inner) === null),
      );
      return servers.flatMap((item) => toolsIn(item, textAt(item, "name") ?? owner, depth + 1));
    }
    // Among tools with inputs, a name and a description are a tool without inputs.
    const all = items.map((item, index) => found[index] ?? (isDeclaration(item) ? schemaless(item) : null));
    const skipped = items.filter((_, index) => (all[index]?.name ?? null) === null).map(kindOfItem);
    return [{ owner, tools: all.filter((tool) => tool !== null), skipped }];
  }
  const entries = Object.entries(value as JsonObject);
  const named = entries.map(([key, inner]) =>
    textAt(inner, "description") === null ? null : definitionOf(inner, key),
  );
  const tools = named.filter((tool) => tool !== null);
  if (tools.length > 0 && tools.length === entries.length) return [{ owner, tools, skipped: [] }];
  const own = textAt(value, "name") ?? owner;
  return entries.flatMap(([key, inner]) => {
    const isServer = isJsonObject(inner) && textAt(inner, "name") === null && "tools" in inner;
    return toolsIn(inner, isServer ? key : own, depth + 1);
  });
}

const kindOfItem = (item: unknown): string =>
  textAt(item, "name") ?? textAt(item, "type") ?? Object.keys(item ?? {})[0] ?? "unnamed";

/** Reads workflows from tool lists, without texts; null if there is none. */
export function readToolList(value: unknown): ReadMaterial | null {
  const found = isAutomation(value) ? [] : toolsIn(value, null);
  const tools = found.flatMap(({ owner, tools: own }) =>
    own.flatMap((tool) => (tool.name === null ? [] : [{ ...tool, owner }])),
  );
  if (tools.length === 0) return null;
  const repeated = new Set(
    [...groupBy(tools, ({ name }) => name ?? "")].filter(([, own]) => own.length > 1).map(([name]) => name),
  );
  const workflows = tools.map(({ name, owner, definition, schema }): SourceWorkflow => {
    const own = name ?? "";
    return {
      label: repeated.has(own) && owner !== null ? `${owner}/${own}` : own,
      description: textAt(definition, "description") ?? textAt(definition, "title"),
      inputs: inputsOfSchema(schema),
      effect: effectOf(definition["annotations"]),
      ...(isJsonObject(schema) ? { tool: { name: own, inputSchema: schema } } : {}),
    };
  });
  const kept = [...new Map(workflows.map((workflow) => [workflow.label, workflow])).values()];
  const skipped = found.flatMap((list) => list.skipped);
  const result = isJsonObject(value) && isJsonObject(value["result"]) ? value["result"] : value;
  return {
    texts: [],
    leftOut: [],
    workflows: kept,
    decisions: [
      ...(skipped.length === 0
        ? []
        : [`Skipped, because they have no name, or neither inputs nor a description: ${skipped.join(", ")}.`]),
      ...(repeated.size === 0
        ? []
        : [`Tools of several servers have one name and are named with the server: ${[...repeated].join(", ")}.`]),
      ...(kept.length === workflows.length
        ? []
        : [`${workflows.length - kept.length} more tools have the name of another one and were dropped.`]),
      ...(textAt(result, "nextCursor") === null
        ? []
        : ["The response has a next page (nextCursor), whose tools are missing."]),
      "A tool list has no example requests.",
    ],
  };
}

/** Whether a document is an automation: steps that are wired to one another, which nobody calls by name. */
export const isAutomation = (value: unknown): boolean => {
  const steps = Array.isArray(value)
    ? (value as readonly unknown[])
    : [...listAt(value, "nodes"), ...listAt(value, "flow")];
  if (Array.isArray(value)) return steps.length > 0 && steps.every((step) => isJsonObject(step) && "wires" in step);
  const isWired = isJsonObject(value) && ["connections", "edges", "links", "wires"].some((key) => key in value);
  return (
    (steps.length > 0 && (isWired || listAt(value, "flow").length > 0)) ||
    (isJsonObject(value) && "jobs" in value && ("on" in value || "stages" in value))
  );
};

/** Effect according to MCP's hints, which the server states about itself and a person has to confirm. */
function effectOf(annotations: unknown): SourceEffect | null {
  if (!isJsonObject(annotations)) return null;
  if (annotations["readOnlyHint"] === true) return "reads";
  if (annotations["destructiveHint"] === true) return "destroys";
  return annotations["readOnlyHint"] === false || annotations["destructiveHint"] === false ? "writes" : null;
}

/** The properties of a JSON Schema object as inputs, in schema order. */
export function inputsOfSchema(schema: unknown): readonly SourceInput[] {
  const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(listAt(schema, "required"));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    description: textAt(property, "description") ?? "",
    required: required.has(name),
  }));
}

/** Reads workflows from the longest list of names with descriptions at any key; null if there is none. */
export function readDeclarations(value: unknown): ReadMaterial | null {
  const lists = listsIn(value).filter(({ items }) => items.length > 1 && items.every(isDeclaration));
  const [list] = lists.toSorted((a, b) => b.items.length - a.items.length);
  if (list === undefined || isAutomation(value)) return null;
  return {
    texts: [],
    leftOut: [],
    workflows: list.items.map((item) => ({
      label: textAt(item, "name") ?? "",
      description: textAt(item, "description"),
      inputs: [],
      effect: null,
    })),
    decisions: [`Names and descriptions come from ${list.path}; it has no example requests.`],
  };
}

const isDeclaration = (item: unknown): item is JsonObject =>
  textAt(item, "name") !== null && textAt(item, "description") !== null;

function listsIn(
  value: unknown,
  path = "",
  depth = 0,
): readonly { readonly path: string; readonly items: readonly unknown[] }[] {
  if (Array.isArray(value)) return [{ path: path === "" ? "the list" : path, items: value as readonly unknown[] }];
  if (!isJsonObject(value) || depth > 3) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    listsIn(inner, path === "" ? key : `${path}.${key}`, depth + 1),
  );
}
