import { toSnake } from "../../../src/documents/camel.js";
import type { ConsultedList } from "../../../release/release-standing.js";
import type { WorkOf } from "../../command.js";
import type { bundleVerifySpec } from "../../specs/bundle.js";
import { counted } from "../../../src/documents/number-text.js";
import { verifyRelease } from "../../../stages/export/verify-release.js";

export const bundleVerify: WorkOf<typeof bundleVerifySpec> = async (context, args) => {
  const { directory: bundle, environment, trust: trustFile, revocations: revocationsFile } = args;
  const release = await verifyRelease(context, { bundle, environment, trustFile, revocationsFile });
  return {
    result: toSnake<unknown>(release),
    fields: [
      ["bundle", release.bundleId],
      ["version", release.bundleVersion],
      ["producer", release.producer],
      ...release.approvals.map(({ principal, expires, derivedFrom: from }) => {
        const derived = from === null ? "" : `, reproduced the claim from the ${from}`;
        return ["approval", `${principal}, until ${expires}${derived}`] as const;
      }),
      ["required", requiredText(release)],
      ["revocations", consultedText(release.revocationList)],
      ["start", "passed every check of a server start: documents, models, golden decisions"],
      ["verdict", `approved for ${environment} until ${release.expiresAt}`],
    ],
    warnings: release.notCounted.map(({ message }) => `not counted: ${message}`),
  };
};

function requiredText({
  required,
  canSign,
}: {
  readonly required: number;
  readonly canSign: readonly string[];
}): string {
  return `${counted(required, "approval")}${canSign.length === 0 ? "" : `; ${canSign.join(", ")} can sign too`}`;
}

/** The revocation list that judged, in words. */
function consultedText(list: ConsultedList | null): string {
  return list === null ? "no list was read" : `list ${list.sequence} of ${list.issued_at}`;
}
