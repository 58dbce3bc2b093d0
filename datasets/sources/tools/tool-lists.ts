import type { ReadMaterial, SourceEffect, SourceInput, SourceWorkflow } from "../parsed-source.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";

/** A tool definition and the JSON Schema of its inputs. */
interface ToolDefinition {
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

/** The definition in an item of a tool list: the item itself, its `function` or its `toolSpec`. */
function definitionOf(item: unknown): ToolDefinition | null {
  if (!isJsonObject(item)) return null;
  for (const inner of [item["function"], item["toolSpec"], item]) {
    if (!isJsonObject(inner)) continue;
    const key = schemaKeys.find((name) => isJsonObject(inner[name]));
    if (key === undefined && inner === item && item["type"] !== "function") continue;
    const schema = key === undefined ? undefined : inner[key];
    return {
      definition: inner,
      schema: isJsonObject(schema) && isJsonObject(schema["json"]) ? schema["json"] : schema,
    };
  }
  return null;
}

/** Maximum depth of the search for a tool list, e.g. `result.tools`. */
const deepest = 3;

/** Finds the tools at any key: a list with at least one definition that has a JSON Schema; null if there is none. */
function toolsIn(value: unknown, depth = 0): readonly unknown[] | null {
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).flatMap((item) => {
      const declared = listAt(item, "functionDeclarations");
      return declared.length > 0
        ? declared
        : listAt(item, "function_declarations").length > 0
          ? listAt(item, "function_declarations")
          : [item];
    });
    return items.some((item) => definitionOf(item) !== null) ? items : null;
  }
  if (!isJsonObject(value) || depth >= deepest) return null;
  const found = Object.values(value).map((inner) => (typeof inner === "object" ? toolsIn(inner, depth + 1) : null));
  return found.find((tools) => tools !== null) ?? null;
}

/** Reads workflows from a tool list, without texts; null if there is none. */
export function readToolList(value: unknown): ReadMaterial | null {
  const tools = toolsIn(value);
  if (tools === null) return null;
  const skipped: string[] = [];
  const workflows = tools.flatMap((tool): readonly SourceWorkflow[] => {
    const found = definitionOf(tool);
    const name = found === null ? null : textAt(found.definition, "name");
    if (found === null || name === null) {
      skipped.push(textAt(tool, "name") ?? textAt(tool, "type") ?? Object.keys(tool ?? {})[0] ?? "unnamed");
      return [];
    }
    return [
      {
        label: name,
        description: textAt(found.definition, "description") ?? textAt(found.definition, "title"),
        inputs: inputsOfSchema(found.schema),
        effect: effectOf(found.definition["annotations"]),
        ...(isJsonObject(found.schema) ? { tool: { name, inputSchema: found.schema } } : {}),
      },
    ];
  });
  const result = isJsonObject(value) && isJsonObject(value["result"]) ? value["result"] : value;
  return {
    texts: [],
    leftOut: [],
    workflows,
    decisions: [
      ...(skipped.length === 0
        ? []
        : [`Skipped, because they define no inputs or have no name: ${skipped.join(", ")}.`]),
      ...(textAt(result, "nextCursor") === null
        ? []
        : ["The response has a next page (nextCursor), whose tools are missing."]),
      "A tool list has no example requests.",
    ],
  };
}

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
  if (list === undefined) return null;
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

const isDeclaration = (item: unknown): boolean => textAt(item, "name") !== null && textAt(item, "description") !== null;

function listsIn(
  value: unknown,
  path = "",
  depth = 0,
): readonly { readonly path: string; readonly items: readonly unknown[] }[] {
  if (Array.isArray(value)) return [{ path: path === "" ? "the list" : path, items: value as readonly unknown[] }];
  if (!isJsonObject(value) || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    listsIn(inner, path === "" ? key : `${path}.${key}`, depth + 1),
  );
}
