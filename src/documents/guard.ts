import { Type } from "../base/typebox.js";
import type { ReasonCode } from "./decision.js";
import { object, type ReadonlyStatic } from "./primitives.js";

const common = {
  guard_id: Type.String({ pattern: "^[a-z][a-z0-9-]{2,79}$" }),
  /** Language of the words, as a BCP 47 tag. */
  language: Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" }),
} as const;

/** Lower-case words, as the guards split a text into words. */
const WordListSchema = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
  minItems: 1,
  maxItems: 200,
  uniqueItems: true,
});

/** Abstains from open-ended requests: those that match one of the patterns, ignoring case. */
const OpenEndedGuardSchema = object({
  kind: Type.Literal("open_ended"),
  ...common,
  /** Linear-time patterns (RE2 syntax). */
  patterns: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 64 }),
});

/** Abstains from requests for two actions: a verb, later a conjunction, later another verb. */
const MultiActionGuardSchema = object({
  kind: Type.Literal("multi_action"),
  ...common,
  conjunctions: WordListSchema,
  verbs: WordListSchema,
});

/** Vetoes texts that no single workflow can serve. The words come from the policy. */
export const TextGuardSchema = Type.Union([OpenEndedGuardSchema, MultiActionGuardSchema]);
export type TextGuard = ReadonlyStatic<typeof TextGuardSchema>;

export const guardReasons = {
  open_ended: "OPEN_ENDED_REASONING",
  multi_action: "MULTI_ACTION_UNSUPPORTED",
} as const satisfies Record<TextGuard["kind"], ReasonCode>;
