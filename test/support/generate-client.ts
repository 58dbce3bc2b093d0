import type { OpenApiDocument, Operation, JsonSchema } from "../../serve/openapi/document.js";

interface Keywords {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** The TypeScript type of a schema. */
function typeOf(schema: JsonSchema): string {
  const keywords = schema as Keywords;
  if (keywords.$ref !== undefined) return nameOf(keywords.$ref);
  if (keywords.anyOf !== undefined) return keywords.anyOf.map(typeOf).join(" | ");
  if (keywords.enum !== undefined) return keywords.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in keywords) return JSON.stringify(keywords.const);
  if (keywords.type === "array") return `readonly (${typeOf(keywords.items ?? {})})[]`;
  if (keywords.type === "integer") return "number";
  if (keywords.type === "object") return "Readonly<Record<string, unknown>>";
  return keywords.type ?? "unknown";
}

function interfaceOf(name: string, schema: JsonSchema): string {
  const { properties = {}, required = [] } = schema as Keywords;
  const lines = Object.entries(properties).map(([field, value]) => {
    const { description = "" } = value as Keywords;
    return `  /** ${description} */\n  readonly ${field}${required.includes(field) ? "" : "?"}: ${typeOf(value)};`;
  });
  return `export interface ${name} {\n${lines.join("\n")}\n}`;
}

function successType(operation: Operation): string {
  const [content] = Object.values(operation.responses["200"]?.content ?? {});
  return typeOf(content?.schema ?? {});
}

function methodOf(path: string, method: string, operation: Operation): string {
  const input = operation.requestBody?.content["application/json"]?.schema;
  const result = `Promise<Answer<${successType(operation)}>>`;
  const parameters = input === undefined ? "" : `body: ${typeOf(input)}`;
  const argument = input === undefined ? "null" : "body";
  return [
    `  /** ${operation.summary}. */`,
    `  ${operation.operationId}(${parameters}): ${result} {`,
    `    return this.#send("${method.toUpperCase()}", "${path}", ${argument});`,
    "  }",
  ].join("\n");
}

/** A client in one TypeScript file without imports: an interface for each schema, a method for each operation. */
export function generateClient(document: OpenApiDocument): string {
  const interfaces = Object.entries(document.components.schemas).map(([name, schema]) => interfaceOf(name, schema));
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => methodOf(path, method, operation)),
  );
  return [
    "// Generated from docs/openapi.json; a test rewrites it with UPDATE_GOLDEN=1.",
    ...interfaces,
    answerType,
    clientHead,
    methods.join("\n\n"),
    clientTail,
  ].join("\n\n");
}

const answerType = `/** An answer as the service means it, or its problem. A server that is not ready answers with its health. */
export type Answer<T> =
  | { readonly ok: true; readonly status: number; readonly body: T }
  | { readonly ok: false; readonly status: number; readonly problem: Problem };`;

const clientHead = `/** Calls one server. */
export class SluiceClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param base  for example https://router.example.com; @param headers  sent with every request */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = headers;
  }`;

const clientTail = `  async #send<T>(method: string, path: string, body: unknown): Promise<Answer<T>> {
    const sent =
      body === null
        ? { headers: this.#headers }
        : { headers: { ...this.#headers, "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(new URL(path, this.#base), { method, ...sent });
    const { ok, status, headers } = response;
    const isProblem = (headers.get("content-type") ?? "").startsWith("application/problem+json");
    if (isProblem) return { ok: false, status, problem: (await response.json()) as Problem };
    if (!ok && status !== 503) throw new Error(\`status \${status} without problem details\`);
    return { ok: true, status, body: (await response.json()) as T };
  }
}
`;
