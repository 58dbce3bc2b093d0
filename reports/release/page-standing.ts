import { type Static, Type } from "typebox";
import { BundleIdSchema, closed, Sha256Schema, TimestampSchema } from "../../src/domain/primitives.js";

const Text = Type.String();
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/**
 * What stands next to the signed part of a release page: who has approved and who is missing when the page is made. It
 * changes over time, so nobody signs it.
 */
export const PageStandingSchema = Type.Object(
  {
    as_of: TimestampSchema,
    bundle_id: BundleIdSchema,
    /** Digest of the signed part, which an approval states. */
    page_sha256: Sha256Schema,
    /** false: the manifest is older than release pages, so its producer did not sign this one. */
    signed_by_producer: Type.Boolean(),
    producer: Text,
    produced_at: TimestampSchema,
    environment: Text,
    /** null without a trust policy, which says who counts. */
    approvals: orNull(
      Type.Object(
        {
          trust_version: Type.Integer(),
          /** null: nobody may approve for this environment. */
          required: orNull(Type.Integer()),
          missing: Type.Integer(),
          approved: Type.Boolean(),
          signed: Type.Array(Type.Object({ person: Text, until: TimestampSchema, days_left: Type.Integer() }, closed)),
          can_sign: Type.Array(Text),
          problems: Type.Array(Text),
        },
        closed,
      ),
    ),
    /** Every decision about the bundle, oldest first, whether it counts or not. */
    decisions: Type.Array(
      Type.Object(
        {
          person: Text,
          environment: Text,
          decision: Type.Enum(["approve", "reject"]),
          at: TimestampSchema,
          reason: Text,
          gate_override: orNull(Text),
          /** Why it does not count; null where it counts, or where nobody can tell. */
          not_counted: orNull(Text),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type PageStanding = Static<typeof PageStandingSchema>;

/** How far the approvals are, in one sentence. */
export function standingSentence({ approvals, environment }: PageStanding): string {
  if (approvals === null) return "There is no trust policy here, so nobody can tell who counts.";
  const { required, missing, approved, signed, can_sign: canSign } = approvals;
  if (required === null) return `Nobody may approve for ${environment}.`;
  const names = signed.map(({ person }) => person).join(" and ");
  const by = names === "" ? "Nobody has approved" : `${names} approved`;
  if (approved) return `${by}: it may serve in ${environment}.`;
  if (missing === 0) return `${by}, and yet it may not serve in ${environment}.`;
  const who = canSign.length === 0 ? "and nobody is left who can" : `who can: ${canSign.join(", ")}`;
  return `${by}. ${missing} of ${required} approvals for ${environment} ${missing === 1 ? "is" : "are"} missing; ${who}.`;
}
