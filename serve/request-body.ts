import type { TSchema } from "../src/base/typebox.js";
import { matchesSchema } from "../src/documents/check-schema.js";
import {
  type RouteRequest,
  requestIdGrammar,
  RouteRequestSchema,
  type RouteRequestBody,
} from "../src/documents/request.js";
import { type FieldFault, InvalidBody } from "./error-reply.js";

type Field = keyof RouteRequestBody;

/** Describes the rules of RouteRequestSchema for messages; only the schema is enforced. */
const rules: Readonly<Record<Field, string>> = {
  text: "must be a text of 1 to 8000 characters that is not blank",
  request_id: "must be null or an id of 1 to 160 letters, digits and . _ : / -, beginning with a letter or digit",
  context: "must be an object",
  catalog_version: "must be null or a version of 1 to 160 characters",
  allowed_workflow_ids: "must be null or a list of at most 50000 different workflow ids",
  blocked_workflow_ids: "must be a list of at most 50000 different workflow ids",
  event_type: "must be null or an event type of 1 to 160 letters, digits and _ . : -, beginning with a letter",
  previous:
    "must be null or an object with only the field workflow_id, which is null or an id of at most 160 characters",
  language: 'must be null or a language tag such as "en" or "pt-BR"',
  debug: "must be true or false",
};
const fields = Object.keys(rules) as readonly Field[];
/** The unknown name is not repeated, because it may contain text of the caller. */
const unknownFault: FieldFault = { path: "", rule: `must have only the fields ${fields.join(", ")}` };
const idLists: readonly Field[] = ["allowed_workflow_ids", "blocked_workflow_ids"];
/** Maximum nesting depth of `context`, including the top level. */
const maxContextDepth = 32;
const tooDeep = `must have at most ${maxContextDepth} levels of objects and lists`;
const refusedName = "must not contain a field named like a prototype";

/**
 * RouteRequestSchema without its rule against duplicate ids, which a set checks ten times as fast: lists of thousands
 * of ids are common, and every request is checked.
 */
const shape: TSchema = JSON.parse(
  JSON.stringify(RouteRequestSchema, (key, value: unknown) => (key === "uniqueItems" ? undefined : value)),
) as TSchema;
const fieldShapes = new Map(
  Object.entries((shape as unknown as { readonly properties: Record<Field, TSchema> }).properties),
);

function isRequest(wire: Record<string, unknown>): wire is Record<string, unknown> & RouteRequestBody {
  return matchesSchema(shape, wire) && idLists.every((field) => isDistinct(wire[field]));
}

function isDistinct(value: unknown): boolean {
  return !Array.isArray(value) || new Set(value).size === value.length;
}

const isPadded = (item: unknown): boolean => typeof item === "string" && item.trim() !== item;

/** Trims the strings of the body, except those inside `context`, which are passed on unchanged. */
function trimmed(body: object): Record<string, unknown> {
  const trim = (value: unknown): unknown => {
    if (typeof value === "string") return value.trim();
    if (!Array.isArray(value) || !value.some(isPadded)) return value;
    return value.map((item: unknown) => (typeof item === "string" ? item.trim() : item));
  };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, trim(value)]));
}

/** The body's request id if it is valid, even when other fields are invalid; otherwise null. */
export function bodyRequestId(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("request_id" in body)) return null;
  const id = typeof body.request_id === "string" ? body.request_id.trim() : "";
  return requestIdGrammar.test(id) ? id : null;
}

/**
 * Reads a route request from a parsed JSON body.
 * @param requestId  id to use if the body contains none
 * @throws {InvalidBody} with the fault of each field, never its value
 */
export function readRouteRequest(body: unknown, requestId: string): RouteRequest {
  const wire = checkedBody(body);
  const { previous = null } = wire;
  return {
    request_id: wire.request_id ?? requestId,
    text: wire.text,
    context: wire.context ?? {},
    catalog_version: wire.catalog_version ?? null,
    allowed_workflow_ids: wire.allowed_workflow_ids ?? null,
    blocked_workflow_ids: wire.blocked_workflow_ids ?? [],
    event_type: wire.event_type ?? null,
    ...(previous === null ? {} : { previous }),
    language: wire.language ?? null,
    debug: wire.debug ?? false,
  };
}

function checkedBody(body: unknown): RouteRequestBody {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new InvalidBody([{ path: "", rule: "must be an object" }]);
  }
  const wire = trimmed(body);
  if (!isRequest(wire)) throw new InvalidBody(faultsOf(wire));
  const fault = contextFault(wire.context);
  if (fault !== null) throw new InvalidBody([fault]);
  return wire;
}

/**
 * Checks of `context` that a schema cannot express: nesting depth, and names that would change prototypes when the
 * values are copied. Breadth-first, so that deep values use no stack and are rejected as soon as they are too deep.
 */
function contextFault(context: unknown): FieldFault | null {
  let level = [context].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxContextDepth) return { path: "/context", rule: tooDeep };
    for (const value of level) {
      const name = poisonedName(value);
      // Names at deeper levels are chosen by the caller, so they are not repeated.
      if (name !== null) return { path: depth === 1 ? `/context/${name}` : "/context", rule: refusedName };
    }
    level = level.flatMap((value) => Object.values(value)).filter(isContainer);
  }
  return null;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function poisonedName(value: object): string | null {
  if (Object.hasOwn(value, "__proto__")) return "__proto__";
  const constructed = Object.hasOwn(value, "constructor") ? (value as Record<string, unknown>)["constructor"] : null;
  return isContainer(constructed) && Object.hasOwn(constructed, "prototype") ? "constructor" : null;
}

function faultsOf(wire: Readonly<Record<string, unknown>>): readonly FieldFault[] {
  const isKnown = Object.keys(wire).every((name) => Object.hasOwn(rules, name));
  return [...fields.flatMap((field) => fieldFaults(field, wire)), ...(isKnown ? [] : [unknownFault])];
}

function fieldFaults(field: Field, wire: Readonly<Record<string, unknown>>): readonly FieldFault[] {
  if (!Object.hasOwn(wire, field)) return field === "text" ? [{ path: "/text", rule: "is required" }] : [];
  const value = wire[field];
  if (matchesSchema(fieldShapes.get(field) ?? shape, value) && (!idLists.includes(field) || isDistinct(value)))
    return [];
  return [{ path: `/${field}`, rule: rules[field] }];
}
