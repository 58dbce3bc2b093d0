import type { ReproductionSource } from "../../../src/domain/choices.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { utcSeconds } from "../../../workbench/records/timestamp.js";
import { consultedText } from "../manifest/summary-lines.js";
import { consulted, type ConsultedList } from "../../../workbench/release/release-standing.js";
import { readPacked } from "../../../workbench/release/bundle-files/read-packed.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import type { WorkOf } from "../../command.js";
import type { bundleVerifyShape } from "../../shapes/bundle.js";
import { verifyStart } from "../../../workbench/release/verify-start.js";

/** Result of `bundle verify`; a bundle that does not hold is an error with exit code 4. */
export interface BundleVerification {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly environment: string;
  readonly approvals: readonly {
    readonly principal: string;
    readonly expires: string;
    /** From what this person derived the claim again, equal; null: nothing is stated. */
    readonly derived_from: ReproductionSource | null;
  }[];
  /** People who must approve, and approvers who still could. */
  readonly required: number;
  readonly can_sign: readonly string[];
  /** Decisions that do not count, and why. */
  readonly not_counted: readonly { readonly file: string; readonly code: string; readonly message: string }[];
  /** The revocation list that was consulted; null: none was. */
  readonly revocation_list: ConsultedList | null;
  /** First moment at which the same verification would fail. */
  readonly expires_at: string;
}

export const bundleVerify: WorkOf<typeof bundleVerifyShape> = async (context, args) => {
  const directory = args.directory ?? context.workspace.bundle;
  const question = {
    trustPolicyBytes: await readTrust(context, args.trust),
    revocationBytes: await readRevocations(context, args),
    environment: args.environment,
    now: new Date(context.clock()),
  };
  const verified = await verifyStart({ directory, files: await readPacked(directory), ...question });
  const { standing } = verified;
  const result: BundleVerification = {
    directory,
    bundle_id: verified.bundleId,
    bundle_version: verified.manifest.bundleVersion,
    producer: verified.manifest.producer,
    environment: args.environment,
    approvals: verified.approvals.map(({ principal, expires }) => {
      const derivedFrom = standing.derived.find((approval) => approval.principal === principal)?.derivedFrom ?? null;
      return { principal, expires: utcSeconds(expires.getTime()), derived_from: derivedFrom };
    }),
    required: standing.required ?? 0,
    can_sign: standing.canSign,
    not_counted: standing.judged.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    revocation_list: consulted(verified.question.revocations),
    expires_at: utcSeconds(verified.expiresAt.getTime()),
  };
  return commandResult({
    schema: "bundle-verify@2",
    result,
    lines: verificationLines(result),
    warnings: result.not_counted.map(({ message }) => `not counted: ${message}`),
  });
};

/** The result in words. */
export function verificationLines(bundle: BundleVerification): readonly string[] {
  return fields([
    ["bundle", bundle.bundle_id],
    ["version", bundle.bundle_version],
    ["producer", bundle.producer],
    ...bundle.approvals.map(({ principal, expires, derived_from: from }): readonly [string, string] => [
      "approval",
      `${principal}, until ${expires}${from === null ? "" : `, reproduced the claim from the ${from}`}`,
    ]),
    ["required", `${bundle.required}; missing: 0; can still sign: ${bundle.can_sign.join(", ") || "nobody else"}`],
    ["revocations", consultedText(bundle.revocation_list)],
    ["start", "passed every check of a server start: documents, models, golden decisions"],
    ["verdict", `approved for ${bundle.environment} until ${bundle.expires_at}`],
  ]);
}
