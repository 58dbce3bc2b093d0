import { counted } from "../../../src/documents/number-text.js";
import type { ReadMaterial, SourceInput, SourceWorkflow } from "../parsed-source.js";
import { isJsonObject, type JsonObject, listAt, textAt } from "../parse-json.js";
import { inputsOfSchema } from "./tool-lists.js";

const methods = ["get", "head", "post", "put", "patch", "delete"] as const;
const readingMethods = new Set<string>(["get", "head"]);

/** Whether a value is an OpenAPI (3.x) or Swagger (2.0) document. */
export const isOpenApi = (value: unknown): boolean =>
  isJsonObject(value) &&
  (textAt(value, "openapi") ?? textAt(value, "swagger")) !== null &&
  isJsonObject(value["paths"]);

/**
 * Reads workflows from an OpenAPI document: one per operation, named by its `operationId`, otherwise by method and
 * path. Required parameters and required fields of a JSON body become required inputs. GET and HEAD read, DELETE
 * destroys and other methods write, for a person to confirm. Local references (`#/…`) are followed.
 */
export function readOpenApi(document: unknown): ReadMaterial {
  const root = isJsonObject(document) ? document : {};
  const api: Api = { root, expanded: new Map(), own: new Map(), targets: new Map(), cut: new Set() };
  const paths = isJsonObject(root["paths"]) ? root["paths"] : {};
  const operations = Object.entries(paths).flatMap(([path, item]) => operationsOf(api, path, resolved(api, item)));
  const deprecated = operations.filter(({ isDeprecated }) => isDeprecated).map(({ workflow }) => workflow.label);
  const workflows = operations.filter(({ isDeprecated }) => !isDeprecated).map(({ workflow }) => workflow);
  return {
    texts: [],
    leftOut: [],
    workflows,
    decisions: [
      "GET and HEAD operations read, DELETE destroys, and all others write.",
      ...(deprecated.length === 0 ? [] : [`Deprecated operations were skipped: ${deprecated.join(", ")}.`]),
      ...(api.cut.size === 0
        ? []
        : [
            `${counted(api.cut.size, "schema is", "schemas are")} composed of more than ${mostParts} others; the inputs of the rest were left out.`,
          ]),
      "An OpenAPI document has no example requests.",
    ],
  };
}

/** A document, with what is known of its schemas. */
interface Api {
  readonly root: JsonObject;
  /** Inputs by schema, so that a schema shared by many operations is expanded once. */
  readonly expanded: Map<JsonObject, readonly SourceInput[]>;
  readonly own: Map<JsonObject, readonly SourceInput[]>;
  /** What local references point to, by pointer. */
  readonly targets: Map<string, unknown>;
  /** Schemas composed of too many others. */
  readonly cut: Set<JsonObject>;
}

interface Operation {
  readonly workflow: SourceWorkflow;
  readonly isDeprecated: boolean;
}

function operationsOf(api: Api, path: string, item: unknown): readonly Operation[] {
  if (!isJsonObject(item)) return [];
  const shared = listAt(item, "parameters");
  return methods.flatMap((method) => {
    const operation = item[method];
    if (!isJsonObject(operation)) return [];
    const summary = textAt(operation, "summary");
    const description = textAt(operation, "description");
    const inputs = [
      ...[...shared, ...listAt(operation, "parameters")].flatMap((parameter) => inputOf(api, parameter)),
      ...bodyInputs(api, operation["requestBody"]),
    ];
    const id = textAt(operation, "operationId");
    const own = [...new Map(inputs.map((input) => [input.name, input])).values()];
    const workflow: SourceWorkflow = {
      label: id ?? `${method} ${path}`,
      description: description ?? summary,
      // Parameters of the operation override those of its path.
      inputs: own,
      effect: readingMethods.has(method) ? "reads" : method === "delete" ? "destroys" : "writes",
      ...(id === null ? {} : { tool: { name: id, inputSchema: schemaOf(own) } }),
    };
    return [{ workflow, isDeprecated: operation["deprecated"] === true }];
  });
}

const schemaOf = (inputs: readonly SourceInput[]): object => ({
  type: "object",
  properties: Object.fromEntries(
    inputs.map(({ name, description }) => [name, description === "" ? {} : { description }]),
  ),
  required: inputs.filter(({ required }) => required).map(({ name }) => name),
});

/**
 * Path and query parameters as inputs. Headers and cookies are transport; Swagger's body parameter is read as a body.
 */
function inputOf(api: Api, reference: unknown): readonly SourceInput[] {
  const parameter = resolved(api, reference);
  const name = textAt(parameter, "name");
  const place = textAt(parameter, "in");
  if (place === "body" && isJsonObject(parameter)) return schemaInputs(api, parameter["schema"]);
  if (name === null || (place !== "path" && place !== "query" && place !== "formData")) return [];
  const required = isJsonObject(parameter) && parameter["required"] === true;
  return [{ name, description: textAt(parameter, "description") ?? "", required }];
}

function bodyInputs(api: Api, reference: unknown): readonly SourceInput[] {
  const body = resolved(api, reference);
  const content = isJsonObject(body) ? body["content"] : undefined;
  const json = isJsonObject(content) ? content["application/json"] : undefined;
  const inputs = schemaInputs(api, isJsonObject(json) ? json["schema"] : undefined);
  const bodyRequired = isJsonObject(body) && body["required"] === true;
  return bodyRequired ? inputs : inputs.map((input) => ({ ...input, required: false }));
}

/**
 * Fields of a body, including schemas composed with `allOf`. Each schema is used once, even if it is referenced
 * repeatedly.
 */
function schemaInputs(api: Api, reference: unknown): readonly SourceInput[] {
  const schema = resolved(api, reference);
  if (!isJsonObject(schema)) return [];
  const known = api.expanded.get(schema);
  if (known !== undefined) return known;
  const byName = new Map<string, SourceInput>();
  const required = new Set<unknown>();
  for (const part of partsOf(api, schema)) {
    for (const name of listAt(part, "required")) required.add(name);
    for (const input of ownInputs(api, part)) byName.set(input.name, input);
  }
  const inputs = [...byName.values()].map((input) => ({ ...input, required: required.has(input.name) }));
  api.expanded.set(schema, inputs);
  return inputs;
}

/** The inputs of a schema without those that it is composed of. */
function ownInputs({ own }: Api, schema: JsonObject): readonly SourceInput[] {
  const known = own.get(schema);
  if (known !== undefined) return known;
  const inputs = inputsOfSchema(schema);
  own.set(schema, inputs);
  return inputs;
}

/** Maximum number of schemas that one is composed of; further ones add no inputs, and the drafted project says so. */
const mostParts = 100;

/**
 * The schemas that a schema is composed of, each once, followed by the schema itself, so that its own fields take
 * precedence.
 */
function partsOf(api: Api, schema: JsonObject): readonly JsonObject[] {
  const seen = new Set<JsonObject>();
  const parts: JsonObject[] = [];
  // An explicit stack, because a document may be nested deeper than the call stack allows.
  const open: { readonly part: JsonObject; readonly done: boolean }[] = [{ part: schema, done: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, done } = next;
    if (done) parts.push(part);
    if (done || seen.has(part)) continue;
    if (seen.size >= mostParts) {
      api.cut.add(schema);
      continue;
    }
    seen.add(part);
    open.push({ part, done: true });
    for (const reference of listAt(part, "allOf").toReversed()) {
      const inner = resolved(api, reference);
      if (isJsonObject(inner)) open.push({ part: inner, done: false });
    }
  }
  return parts;
}

/** Maximum number of chained references; more count as circular. */
const longestChain = 10;

/** The value itself, or the target of a local reference; undefined if it does not resolve. */
function resolved(api: Api, value: unknown): unknown {
  let current = value;
  for (let step = 0; step < longestChain; step += 1) {
    const reference = textAt(current, "$ref");
    if (reference === null) return current;
    current = reference.startsWith("#/") ? pointedTo(api, reference.slice(2)) : undefined;
  }
  return undefined;
}

function pointedTo({ root, targets }: Api, pointer: string): unknown {
  if (targets.has(pointer)) return targets.get(pointer);
  let current: unknown = root;
  for (const part of pointer.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    current = isJsonObject(current) && Object.hasOwn(current, part) ? current[part] : undefined;
  }
  targets.set(pointer, current);
  return current;
}
