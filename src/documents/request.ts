import { Type } from "../base/typebox.js";
import { LanguageSchema, object, nullable, type ReadonlyStatic } from "./primitives.js";

const requestIdPattern = "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,159}$";
const idList = Type.Array(Type.String({ pattern: "^[a-z][a-z0-9_.-]{2,127}$" }), {
  maxItems: 50_000,
  uniqueItems: true,
});

export const PreviousRequestSchema = object({
  /** Workflow that served the previous request; null if none did. An id that the caller may not use counts as null. */
  workflow_id: nullable(Type.String({ minLength: 1, maxLength: 160 })),
});
export type PreviousRequest = ReadonlyStatic<typeof PreviousRequestSchema>;

/** Body of `POST /v1/route`. Strings are trimmed before this check, so a blank text is refused. */
export const RouteRequestSchema = object({
  text: Type.String({ minLength: 1, maxLength: 8000, pattern: "[^\\s\\ufeff]" }),
  request_id: Type.Optional(nullable(Type.String({ pattern: requestIdPattern }))),
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  catalog_version: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 160, pattern: "[^\\s\\ufeff]" }))),
  allowed_workflow_ids: Type.Optional(nullable(idList)),
  blocked_workflow_ids: Type.Optional(idList),
  event_type: Type.Optional(nullable(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_.:-]{0,159}$" }))),
  previous: Type.Optional(nullable(PreviousRequestSchema)),
  language: Type.Optional(nullable(LanguageSchema)),
  debug: Type.Optional(Type.Boolean()),
});
export type RouteRequestBody = ReadonlyStatic<typeof RouteRequestSchema>;

/** A request with defaults filled in. */
export interface RouteRequest {
  readonly request_id: string;
  readonly text: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly catalog_version: string | null;
  /** null if the caller sent no list. An empty list allows nothing. */
  readonly allowed_workflow_ids: readonly string[] | null;
  readonly blocked_workflow_ids: readonly string[];
  readonly event_type: string | null;
  /** Absent if the caller does not say that another request of the same conversation came before. */
  readonly previous?: PreviousRequest;
  /** Language of the text, as a BCP 47 tag; null if the text itself shall tell. */
  readonly language: string | null;
  readonly debug: boolean;
}

export const requestIdGrammar: RegExp = new RegExp(requestIdPattern, "u");
