import type { CommandShape } from "../command-shape.js";
import { flag, optional, preset, required } from "../options.js";
import { id, name, path } from "../parsers.js";

/** Whose decisions about a bundle count. */
const judgeOptions = {
  trust: optional(path, "trust policy; trust.json of the workspace when absent"),
  revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
  environment: preset(name, "production", "environment for which the bundle must be approved"),
} as const;

export const bundleExportShape = {
  name: ["bundle", "export"],
  describe: "Write an approved bundle into a folder, whole or not at all",
  positionals: {},
  options: {
    bundle: optional(id, "bundle; the latest when absent"),
    out: optional(path, "folder to write; bundle/ of the workspace when absent"),
    tar: optional(path, "archive to write beside the folder; equal bundles give equal bytes"),
    oci: optional(path, "folder for an OCI image layout of the same files, for a registry"),
    replace: flag("exchange a folder that exists"),
    "with-records": flag("also write the scored records, without texts, so that anybody can derive the claim"),
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle export", "the latest bundle, into the workspace"],
    ["sluice bundle export --bundle 3f9c01ab --out /srv/bundle --replace", "where a server reads it"],
  ],
} satisfies CommandShape;

export const bundleImportShape = {
  name: ["bundle", "import"],
  describe: "Unpack an archive or an OCI layout into a folder when it verifies, whole or not at all",
  positionals: { archive: required(path, "what bundle export --tar or --oci wrote") },
  options: {
    out: required(path, "folder to create"),
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle import bundle.tar --out /srv/bundle --trust /etc/sluice/trust.json", "on the machine of a server"],
    ["sluice bundle import bundle.tar --out trial --environment staging", "for another environment"],
  ],
} satisfies CommandShape;

export const bundleVerifyShape = {
  name: ["bundle", "verify"],
  describe: "Verify a bundle offline: everything that a server checks before it serves it",
  positionals: {
    directory: optional(path, "bundle: a folder, an archive or an OCI layout; bundle/ of the workspace when absent"),
  },
  options: {
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle verify /srv/bundle --trust /etc/sluice/trust.json", "as a server would"],
    ["sluice bundle verify bundle.tar --trust trust.json", "before it is unpacked"],
  ],
} satisfies CommandShape;
