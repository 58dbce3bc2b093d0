import type { ConsultedList } from "../../../release/release-status.js";
import type { WorkOf } from "../../command.js";
import type { bundleVerifySpec } from "../../specs/bundle.js";
import { counted } from "../../../src/documents/number-text.js";
import { type VerifiedRelease, verifyRelease } from "../../../stages/export.js";

export const bundleVerify: WorkOf<typeof bundleVerifySpec> = async (context, args) => {
  const release = await verifyRelease(context, args);
  return {
    result: release,
    fields: [
      ["bundle", release.bundle_id],
      ["version", release.bundle_version],
      ["producer", release.producer],
      ...release.approvals.map(({ principal, expires, derived_from: from }) => {
        const derived = from === null ? "" : `, reproduced the claim from the ${from}`;
        return ["approval", `${principal}, until ${expires}${derived}`] as const;
      }),
      ["required", requiredText(release)],
      ["revocations", consultedText(release.revocation_list)],
      ["start", "passed every check of a server start: documents, models, golden decisions"],
      ["verdict", `approved for ${args.environment}; ${endText(release)}`],
    ],
    warnings: release.not_counted.map(({ message }) => `not counted: ${message}`),
  };
};

function endText({ expires_at: at, expires_first: first }: VerifiedRelease): string {
  return `servers decline every request from ${at}, when the ${first} ${first === "approvals" ? "expire" : "expires"}, clock skew included`;
}

function requiredText({
  required,
  can_sign,
}: {
  readonly required: number;
  readonly can_sign: readonly string[];
}): string {
  return `${counted(required, "approval")}${can_sign.length === 0 ? "" : `; ${can_sign.join(", ")} can sign too`}`;
}

/** Describes the revocation list that was used. */
function consultedText(list: ConsultedList | null): string {
  return list === null ? "no list was read" : `list ${list.sequence} of ${list.issued_at}`;
}
