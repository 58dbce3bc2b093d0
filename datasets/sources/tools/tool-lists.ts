import type { ReadMaterial, SourceKind, SourceWorkflow } from "../material.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";
import { inputsOfSchema } from "./json-schema-inputs.js";

type ToolListKind = Extract<SourceKind, "openai-tools" | "anthropic-tools" | "mcp-tools">;

/** The definition inside a list item, with the JSON Schema of its inputs. */
interface ToolDefinition {
  readonly kind: ToolListKind;
  readonly definition: JsonObject;
  readonly schema: unknown;
}

/** The tools of a value: a list, the body of a model request (`tools`), or the answer of `tools/list`. */
function toolsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  const inResult = listAt(value["result"], "tools");
  return inResult.length > 0 ? inResult : listAt(value, "tools");
}

function definitionOf(tool: unknown): ToolDefinition | null {
  if (!isJsonObject(tool)) return null;
  const nested = tool["function"];
  if (tool["type"] === "function") {
    const definition = isJsonObject(nested) ? nested : tool;
    return { kind: "openai-tools", definition, schema: definition["parameters"] };
  }
  if (isJsonObject(tool["input_schema"]))
    return { kind: "anthropic-tools", definition: tool, schema: tool["input_schema"] };
  if (isJsonObject(tool["inputSchema"])) return { kind: "mcp-tools", definition: tool, schema: tool["inputSchema"] };
  return null;
}

/** The kind of a tool list; null for anything else, or for a list that mixes kinds. */
export function toolListKind(value: unknown): ToolListKind | null {
  const kinds = new Set(toolsOf(value).map((tool) => definitionOf(tool)?.kind ?? null));
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined ? kind : null;
}

/**
 * Workflows from a tool list; it brings no texts. Whether a tool writes comes from MCP's `readOnlyHint` and
 * `destructiveHint`, which are the server's hints, for a person to confirm.
 * @see OpenAI function tools, Anthropic tool use, Model Context Protocol `tools/list`
 */
export function readToolList(value: unknown): ReadMaterial {
  const workflows = toolsOf(value).flatMap((tool): readonly SourceWorkflow[] => {
    const found = definitionOf(tool);
    const name = found === null ? null : textAt(found.definition, "name");
    if (found === null || name === null) return [];
    return [
      {
        label: name,
        description: textAt(found.definition, "description") ?? textAt(found.definition, "title"),
        inputs: inputsOfSchema(found.schema),
        writes: writesOf(found.definition["annotations"]),
      },
    ];
  });
  const unnamed = toolsOf(value).length - workflows.length;
  return {
    texts: [],
    leftOut: [],
    workflows,
    decisions: [
      ...(unnamed === 0 ? [] : [`Tools without a name were skipped: ${unnamed}.`]),
      "A tool list has no example requests.",
    ],
  };
}

function writesOf(annotations: unknown): boolean | null {
  if (!isJsonObject(annotations) || typeof annotations["readOnlyHint"] !== "boolean") return null;
  return !annotations["readOnlyHint"];
}
