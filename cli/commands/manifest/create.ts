import { defineCommand } from "../../command.js";
import { optional, required } from "../../options.js";
import { count, id, name, path, text } from "../../parsers.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import type { SignedManifest } from "../../../workbench/use-cases/sign-manifest.js";
import { fields } from "../../table.js";
import { signingOptions, withSigning } from "../key/signing-key.js";

export const manifestCreate = defineCommand({
  name: ["manifest", "create"],
  describe: "Pin every identity of a bundle, and sign it as its producer",
  positionals: {},
  options: {
    producer: required(name, "who signs; a producer of the trust policy"),
    ...signingOptions,
    calibration: optional(id, "calibration; the latest when absent"),
    "rollback-floor": optional(count, "smallest release that may still run after this one; the one before when absent"),
    trust: optional(
      path,
      "trust policy that must let the producer sign; trust.json of the workspace when there is one",
    ),
    "bundle-version": optional(text, "version of the bundle; made from the calibration when absent"),
  },
  examples: [
    ["sluice manifest create --producer ann --key ann", "the latest calibration"],
    ["sluice manifest create --producer ann --key ann --calibration 3f9c01ab --bundle-version 2026.2", "another one"],
  ],
  run: (context, args) =>
    withSigning(context, args, async (signing) => {
      const { signManifest } = await import("../../../workbench/use-cases/sign-manifest.js");
      const { producer, calibration, bundleVersion, rollbackFloor } = args;
      const signed = await signManifest(context, {
        producer,
        signer: signing.open,
        calibration,
        bundleVersion,
        trustFile: args.trust,
        rollbackFloor,
        atMs: signing.atMs,
      });
      const bundle = shortId(signed.bundleId);
      return commandResult({
        schema: "manifest-create@1",
        result: {
          bundle_id: signed.bundleId,
          manifest: signed.manifestId,
          bundle_version: signed.bundleVersion,
          producer,
          golden_cases: signed.goldenCases,
          release: signed.release,
          supersedes: signed.supersedes,
        },
        lines: createdLines(signed),
        warnings: [...(signed.certified ? [] : noTier), ...(signed.producerChecked ? [] : noTrust)],
        next: [
          context.nextLine("manifest", "show", "--bundle", bundle),
          context.nextLine("approve", "--bundle", bundle, "--approver", "NAME", "--key", "FILE"),
          context.nextLine("bundle", "export", "--bundle", bundle),
        ],
      });
    }),
});

const noTier = ["no tier is certified: this bundle declines every request that no exact event rule answers"];
const noTrust = ["there is no trust policy: whether this person may sign as producer was not checked"];

/** The result in words. */
export function createdLines(signed: SignedManifest): readonly string[] {
  return fields([
    ["bundle", signed.bundleId],
    ["version", signed.bundleVersion],
    ["release", `${signed.release}, after ${signed.supersedes === null ? "none" : shortId(signed.supersedes)}`],
    ["manifest", shortId(signed.manifestId)],
    ["golden", `${signed.goldenCases} decisions that a server must reproduce`],
  ]);
}
