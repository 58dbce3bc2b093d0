import { toSnake } from "../../../src/documents/camel.js";
import type { ConsultedList } from "../../../release/release-standing.js";
import type { WorkOf } from "../../command.js";
import type { bundleVerifySpec } from "../../specs/bundle.js";
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
      ["required", `${release.required}; missing: 0; can still sign: ${release.canSign.join(", ") || "nobody else"}`],
      ["revocations", consultedText(release.revocationList)],
      ["start", "passed every check of a server start: documents, models, golden decisions"],
      ["verdict", `approved for ${environment} until ${release.expiresAt}`],
    ],
    warnings: release.notCounted.map(({ message }) => `not counted: ${message}`),
  };
};

/** The revocation list that judged, in words. */
function consultedText(list: ConsultedList | null): string {
  return list === null ? "none was consulted" : `list ${list.sequence} of ${list.issued_at}`;
}
