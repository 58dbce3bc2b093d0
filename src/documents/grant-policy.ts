import { Type } from "../base/typebox.js";
import { object, type ReadonlyStatic, WorkflowIdSchema } from "./primitives.js";

/** File that maps the caller's claims to workflow ids. A caller gets the ids of every matching rule. */
export const GrantPolicySchema = object({
  schema_version: Type.Literal(1),
  rules: Type.Array(
    object({
      /** Name of a claim: a header, in lower case. */
      claim: Type.String({ minLength: 1, maxLength: 200 }),
      /** Matches a claim with this value, or a list that contains it. */
      value: Type.String({ minLength: 1, maxLength: 1000 }),
      /** Separator of a text claim that contains a list; without it, the text is a single value. */
      list: Type.Optional(Type.Enum(["space", "comma"])),
      workflow_ids: Type.Union([
        Type.Literal("all"),
        Type.Array(WorkflowIdSchema, { maxItems: 50_000, uniqueItems: true }),
      ]),
      /** Whether callers that match this rule may name an event. */
      events: Type.Optional(Type.Boolean()),
    }),
    { minItems: 1, maxItems: 10_000 },
  ),
});
export type GrantPolicy = ReadonlyStatic<typeof GrantPolicySchema>;
