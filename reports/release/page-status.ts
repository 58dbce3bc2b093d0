import type { StatedReproduction } from "../../src/documents/signed.js";
import { counted } from "../../src/documents/number-text.js";
import { neededOf, statedReason } from "../../src/base/text.js";
import { type Static, Type } from "../../src/base/typebox.js";
import { reproductionSources } from "../../src/documents/choices.js";
import { BundleIdSchema, object, Sha256Schema, TimestampSchema } from "../../src/documents/primitives.js";

const Text = Type.String();
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const SignedSchema = object({
  person: Text,
  until: TimestampSchema,
  days_left: Type.Integer(),
  /** Source from which this person reproduced the claim; omitted if no reproduction is stated. */
  derived_from: Type.Optional(Type.Enum([...reproductionSources])),
});

/** The unsigned part of a release page: the given and missing approvals at the time of writing. */
export const PageStatusSchema = object({
  as_of: TimestampSchema,
  bundle_id: BundleIdSchema,
  /** Digest of the signed part, which an approval states. */
  page_sha256: Sha256Schema,
  producer: Text,
  produced_at: TimestampSchema,
  environment: Text,
  /** null without a trust policy, which determines whose approvals count. */
  approvals: orNull(
    object({
      trust_version: Type.Integer(),
      /** Number of required approvals; null: the environment has no approvers. */
      required: orNull(Type.Integer()),
      missing: Type.Integer(),
      approved: Type.Boolean(),
      signed: Type.Array(SignedSchema),
      /** Number of missing required reproductions; omitted if none is missing. */
      missing_reproductions: Type.Optional(Type.Integer()),
      can_sign: Type.Array(Text),
      /** People with a decision that cannot be checked, because their public key is missing; omitted if none. */
      unchecked: Type.Optional(Type.Array(Text)),
      problems: Type.Array(Text),
    }),
  ),
  /** Every decision about the bundle, oldest first, including those that do not count. */
  decisions: Type.Array(
    object({
      person: Text,
      environment: Text,
      decision: Type.Enum(["approve", "reject"]),
      at: TimestampSchema,
      reason: Text,
      gate_override: orNull(Text),
      /** Why the decision does not count; null if it counts or if this is unknown. */
      not_counted: orNull(Text),
      /** What this person reproduced and on which platform; omitted if nothing is stated. */
      derived: Type.Optional(Text),
    }),
  ),
});
export type PageStatus = Static<typeof PageStatusSchema>;

export function statusSentence({ approvals, environment, decisions }: PageStatus): string {
  if (approvals === null) return "Without a trust policy, it is unknown whose approvals count.";
  const { required, missing, missing_reproductions: underived = 0, approved, can_sign: canSign } = approvals;
  if (required === null) return `Nobody may approve for ${environment}.`;
  const by = approvedText(approvals);
  if (approved) return `${by}. The bundle may serve in ${environment}.`;
  const rejected = decisions.filter(({ decision, not_counted: idle }) => decision === "reject" && idle === null);
  if (rejected.length > 0) {
    const each = rejected.map(({ person, reason }) => `${person} rejected the bundle (${statedReason(reason)})`);
    return `${each.join("; ")}. It must not serve in ${environment}.`;
  }
  const who = openText(canSign, Math.max(missing, underived));
  const lacking = [
    ...(missing === 0
      ? []
      : [`${missing} of ${counted(required, "approval")} for ${environment} ${isMissing(missing)}`]),
    ...(underived === 0 ? [] : [`${counted(underived, "reproduction")} of the claim ${isMissing(underived)}`]),
  ];
  if (lacking.length === 0) return `${by}, but the bundle must not serve in ${environment}.`;
  return `${by}. ${lacking.join(", and ")}; ${who}.`;
}

/** Who can still approve, if `needed` must. */
function openText(names: readonly string[], needed: number): string {
  if (names.length === 0) return "nobody else can approve";
  if (needed < 2) return `${names.join(" or ")} can approve`;
  return names.length < needed ? `only ${names.join(" and ")} can approve` : `${neededOf(names, needed)} must approve`;
}

/** Who approved, and whose decisions cannot be checked, without the last full stop. */
function approvedText({ signed, unchecked = [] }: NonNullable<PageStatus["approvals"]>): string {
  const names = signed.map(({ person }) => person).join(" and ");
  const known = names === "" ? [] : [`${names} approved${derivedText(signed)}`];
  const doubtful = unchecked.length === 0 ? [] : [sentenceCase(uncheckedText(unchecked))];
  return [...known, ...doubtful].join(". ") || "Nobody has approved";
}

/** Names the public keys without which the decisions of these people cannot be checked. */
export function uncheckedText(people: readonly string[]): string {
  const keys = people.map((person) => `${person}.pub.pem`);
  return `a decision by ${people.join(" and ")} cannot be checked: ${keys.join(" and ")} ${isMissing(people.length)}`;
}

const sentenceCase = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const isMissing = (count: number): string => `${count === 1 ? "is" : "are"} missing`;

/** States who reproduced the claim and from what, e.g. `; cy reproduced the claim from the scores`. */
function derivedText(signed: readonly Static<typeof SignedSchema>[]): string {
  return signed
    .flatMap(({ person, derived_from: from }) =>
      from === undefined ? [] : [`; ${person} reproduced the claim from the ${from}`],
    )
    .join("");
}

export function reproductionText({ from, platform: on }: StatedReproduction): string {
  const machine = `${on.platform} ${on.arch}, Node ${on.node}, ONNX Runtime ${on.onnxruntime}, sluice ${on.tool}`;
  return `reproduced the claim from the ${from} on ${machine}`;
}
