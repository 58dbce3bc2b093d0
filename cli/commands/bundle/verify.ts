import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { name, path } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { utcSeconds } from "../../timestamp.js";
import { readPacked } from "./read-packed.js";
import { readRevocations } from "./read-revocations.js";
import { readTrust } from "./read-trust.js";

/** Result of `bundle verify`; a bundle that does not hold is an error with exit code 4. */
export interface BundleVerification {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly environment: string;
  readonly approvals: readonly { readonly principal: string; readonly expires: string }[];
  /** First moment at which the same verification would fail. */
  readonly expires_at: string;
}

export const bundleVerify = defineCommand({
  name: ["bundle", "verify"],
  describe: "Verify a bundle offline: files, signatures, approvals, dates",
  positionals: {
    directory: optional(path, "bundle: a folder, an archive or an OCI layout; bundle/ of the workspace when absent"),
  },
  options: {
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment for which the bundle must be approved"),
  },
  examples: [
    ["sluice bundle verify /srv/bundle --trust /etc/sluice/trust.json", "as a server would"],
    ["sluice bundle verify bundle.tar --trust trust.json", "before it is unpacked"],
  ],
  run: async (context, args) => {
    const { verifyBundle, verifyBundleFiles } = await import("../../../src/artifacts/verify/verify-bundle.js");
    const directory = args.directory ?? context.workspace.bundle;
    const question = {
      trustPolicyBytes: await readTrust(context, args.trust),
      revocationBytes: await readRevocations(context, args),
      environment: args.environment,
      now: new Date(context.clock()),
    };
    const packed = await readPacked(directory);
    const verified =
      packed === null ? await verifyBundle({ directory, ...question }) : verifyBundleFiles(packed, directory, question);
    const result: BundleVerification = {
      directory,
      bundle_id: verified.bundleId,
      bundle_version: verified.manifest.bundleVersion,
      producer: verified.manifest.producer,
      environment: args.environment,
      approvals: verified.approvals.map(({ principal, expires }) => {
        return { principal, expires: utcSeconds(expires.getTime()) };
      }),
      expires_at: utcSeconds(verified.expiresAt.getTime()),
    };
    return commandResult({
      schema: "bundle-verify@1",
      result,
      lines: verificationLines(result),
      warnings: verified.warnings.map((problem) => `not counted: ${problem.message}`),
    });
  },
});

/** The result in words. */
export function verificationLines(bundle: BundleVerification): readonly string[] {
  return fields([
    ["bundle", bundle.bundle_id],
    ["version", bundle.bundle_version],
    ["producer", bundle.producer],
    ...bundle.approvals.map(({ principal, expires }): readonly [string, string] => [
      "approval",
      `${principal}, until ${expires}`,
    ]),
    ["verdict", `approved for ${bundle.environment} until ${bundle.expires_at}`],
  ]);
}
