import type { TrustStore } from "../../../src/artifacts/trust-policy.js";
import { defineCommand } from "../../command.js";
import type { CommandContext } from "../../context.js";
import { optional, required } from "../../options.js";
import { count, id, name, path, text } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import type { CreatedManifest } from "../../stages/create-manifest.js";
import type { ReleaseNumbers } from "../../stages/release-numbers.js";
import { fields } from "../../table.js";
import { readIfThere } from "../bundle/read-revocations.js";
import { readTrust } from "../bundle/read-trust.js";
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
    withSigning(context, args, (signing) =>
      withHistory(context, "write", async (stage) => {
        const { createManifest } = await import("../../stages/create-manifest.js");
        const { readCalibration } = await import("../../stages/read-records.js");
        const calibration = readCalibration(stage.history, args.calibration);
        const { releaseNumbers } = await import("../../stages/release-numbers.js");
        const numbers = releaseNumbers(stage.history);
        const trust = await trustIfThere(context, args.trust);
        const bundleVersion = args.bundleVersion ?? `bundle-${shortId(calibration.sha256)}`;
        const created = await createManifest(stage, {
          calibrationId: calibration.sha256,
          bundleVersion,
          producer: args.producer,
          signer: await signing.open(),
          trust,
          createdAtMs: signing.atMs,
          ...numbers,
          rollbackFloor: args.rollbackFloor ?? numbers.rollbackFloor,
        });
        const bundle = shortId(created.bundleId);
        return commandResult({
          schema: "manifest-create@1",
          result: {
            bundle_id: created.bundleId,
            manifest: created.manifestId,
            bundle_version: bundleVersion,
            producer: args.producer,
            golden_cases: created.goldenCases,
            release: numbers.release,
            supersedes: numbers.supersedes,
          },
          lines: createdLines(created, bundleVersion, numbers),
          warnings: [
            ...(Object.values(calibration.document.tiers).some((tier) => tier.confidence !== null) ? [] : noTier),
            ...(trust === null ? noTrust : []),
          ],
          next: [
            context.nextLine("manifest", "show", "--bundle", bundle),
            context.nextLine("approve", "--bundle", bundle, "--approver", "NAME", "--key", "FILE"),
            context.nextLine("bundle", "export", "--bundle", bundle),
          ],
        });
      }),
    ),
});

const noTier = ["no tier is certified: this bundle declines every request that no exact event rule answers"];
const noTrust = ["there is no trust policy: whether this person may sign as producer was not checked"];

/** The trust policy that was named, else that of the workspace where there is one. */
async function trustIfThere(context: CommandContext, file: string | undefined): Promise<TrustStore | null> {
  const bytes = file === undefined ? await readIfThere(context.workspace.trust) : await readTrust(context, file);
  if (bytes === null) return null;
  const { parseTrustPolicy } = await import("../../../src/artifacts/trust-policy.js");
  return parseTrustPolicy(bytes);
}

/** The result in words. */
export function createdLines(
  created: CreatedManifest,
  bundleVersion: string,
  numbers: Pick<ReleaseNumbers, "release" | "supersedes">,
): readonly string[] {
  return fields([
    ["bundle", created.bundleId],
    ["version", bundleVersion],
    ["release", `${numbers.release}, after ${numbers.supersedes === null ? "none" : shortId(numbers.supersedes)}`],
    ["manifest", shortId(created.manifestId)],
    ["golden", `${created.goldenCases} decisions that a server must reproduce`],
  ]);
}
