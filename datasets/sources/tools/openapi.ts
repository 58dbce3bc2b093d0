import type { ReadMaterial, SourceInput, SourceWorkflow } from "../material.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";
import { inputsOfSchema } from "./json-schema-inputs.js";

const methods = ["get", "head", "post", "put", "patch", "delete"] as const;
const readingMethods = new Set<string>(["get", "head"]);

/** Whether a value is an OpenAPI document (3.x) or a Swagger one (2.0). */
export const isOpenApi = (value: unknown): boolean =>
  isJsonObject(value) &&
  (textAt(value, "openapi") ?? textAt(value, "swagger")) !== null &&
  isJsonObject(value["paths"]);

/**
 * Workflows from an OpenAPI document: one for each operation, named by its `operationId`, else by method and path.
 * Required parameters and required fields of a JSON body are required inputs. GET and HEAD read, other methods write;
 * a person confirms that. Local references (`#/…`) are followed.
 */
export function readOpenApi(document: unknown): ReadMaterial {
  const root = isJsonObject(document) ? document : {};
  const paths = isJsonObject(root["paths"]) ? root["paths"] : {};
  const workflows = Object.entries(paths).flatMap(([path, item]) => operationsOf(root, path, item));
  return {
    texts: [],
    leftOut: [],
    workflows,
    decisions: ["GET and HEAD operations read, all others write.", "An OpenAPI document has no example requests."],
  };
}

function operationsOf(root: JsonObject, path: string, item: unknown): readonly SourceWorkflow[] {
  if (!isJsonObject(item)) return [];
  const shared = listAt(item, "parameters");
  return methods.flatMap((method) => {
    const operation = item[method];
    if (!isJsonObject(operation) || operation["deprecated"] === true) return [];
    const summary = textAt(operation, "summary");
    const description = textAt(operation, "description");
    return [
      {
        label: textAt(operation, "operationId") ?? `${method} ${path}`,
        description: description ?? summary,
        inputs: [
          ...[...shared, ...listAt(operation, "parameters")].flatMap((parameter) => inputOf(root, parameter)),
          ...bodyInputs(root, operation["requestBody"]),
        ],
        writes: !readingMethods.has(method),
      },
    ];
  });
}

/** Path and query parameters; headers and cookies are transport, and Swagger's body parameter is a body. */
function inputOf(root: JsonObject, reference: unknown): readonly SourceInput[] {
  const parameter = resolved(root, reference);
  const name = textAt(parameter, "name");
  const place = textAt(parameter, "in");
  if (place === "body" && isJsonObject(parameter)) return inputsOfSchema(resolved(root, parameter["schema"]));
  if (name === null || (place !== "path" && place !== "query" && place !== "formData")) return [];
  const required = isJsonObject(parameter) && parameter["required"] === true;
  return [{ name, description: textAt(parameter, "description") ?? "", required }];
}

function bodyInputs(root: JsonObject, reference: unknown): readonly SourceInput[] {
  const body = resolved(root, reference);
  const content = isJsonObject(body) ? body["content"] : undefined;
  const json = isJsonObject(content) ? content["application/json"] : undefined;
  const inputs = inputsOfSchema(resolved(root, isJsonObject(json) ? json["schema"] : undefined));
  const bodyRequired = isJsonObject(body) && body["required"] === true;
  return bodyRequired ? inputs : inputs.map((input) => ({ ...input, required: false }));
}

/** References that are followed from one to the next before they count as a circle. */
const longestChain = 10;

/** The value itself, or what a local reference points to; undefined when it points nowhere. */
function resolved(root: JsonObject, value: unknown): unknown {
  let current = value;
  for (let step = 0; step < longestChain; step += 1) {
    const reference = textAt(current, "$ref");
    if (reference === null) return current;
    current = reference.startsWith("#/") ? pointedTo(root, reference.slice(2)) : undefined;
  }
  return undefined;
}

function pointedTo(root: JsonObject, pointer: string): unknown {
  let current: unknown = root;
  for (const part of pointer.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    current = isJsonObject(current) && Object.hasOwn(current, part) ? current[part] : undefined;
  }
  return current;
}
