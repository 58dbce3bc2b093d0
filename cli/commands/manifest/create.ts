import { shortId } from "../../../src/base/text.js";
import { signManifest } from "../../../stages/sign.js";
import { withSigning } from "../key/signing-key.js";
import type { WorkOf } from "../../command.js";
import type { manifestCreateSpec } from "../../specs/manifest.js";

export const manifestCreate: WorkOf<typeof manifestCreateSpec> = (context, args, signing) =>
  withSigning(context, signing, async ({ open: signer, atMs }) => {
    const signed = await signManifest(context, { ...args, signer, atMs });
    const bundle = shortId(signed.bundle_id);
    return {
      result: signed,
      fields: [
        ["bundle", signed.bundle_id],
        ["version", signed.bundle_version],
        [
          "release",
          `${signed.release}, ${signed.supersedes === null ? "the first" : `after ${shortId(signed.supersedes)}`}`,
        ],
        ["manifest", shortId(signed.manifest)],
        ["golden", `${signed.golden_cases} decisions that a server must reproduce`],
      ],
      warnings: [...(signed.certified ? [] : noTier), ...(signed.producer_checked ? [] : noTrust)],
      next: [
        context.next("manifest", "show", "--bundle", bundle),
        context.next("approve", "--bundle", bundle, "--approver", "NAME", "--key", "FILE"),
        context.next("bundle", "export", "--bundle", bundle),
      ],
    };
  });

const noTier = ["no tier is certified: this bundle declines every request except those with an exact event rule"];

const noTrust = ["no trust policy, so it was not checked whether this person may sign as producer"];
