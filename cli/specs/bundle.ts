import { flag, optional, preset, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { id, name, path } from "../../stages/options/kinds.js";

/** Options that determine whose decisions about a bundle count. */
const judgeOptions = {
  trust: optional(path, "trust policy; by default trust.json of the workspace"),
  revocations: optional(path, "revocation list; by default revocations.json next to the trust policy"),
  environment: preset(name, "production", "environment that the bundle must be approved for"),
} as const;

export const bundleExportSpec = {
  name: ["bundle", "export"],
  describe: "Export an approved bundle to a folder, atomically",
  positionals: {},
  options: {
    bundle: optional(id, "bundle; by default the latest"),
    out: optional(path, "output folder; by default bundle/ of the workspace"),
    tar: optional(path, "also write an archive; equal bundles give identical bytes"),
    replace: flag("replace an existing folder"),
    withRecords: flag("include the scored records, without texts, so that anybody can reproduce the claim"),
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle export", "the latest bundle, into the workspace"],
    ["sluice bundle export --bundle 3f9c01ab --out /srv/bundle --replace", "to the folder of a server"],
  ],
} satisfies CommandSpec;

export const bundleImportSpec = {
  name: ["bundle", "import"],
  describe: "Verify an archive, then unpack it atomically into a folder",
  positionals: { archive: required(path, "output of bundle export --tar") },
  options: {
    out: required(path, "folder to create"),
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle import bundle.tar --out /srv/bundle --trust /etc/sluice/trust.json", "on the machine of a server"],
    ["sluice bundle import bundle.tar --out trial --environment staging", "for another environment"],
  ],
} satisfies CommandSpec;

export const bundleVerifySpec = {
  name: ["bundle", "verify"],
  describe: "Verify a bundle offline, with the checks of a server",
  positionals: {
    directory: optional(path, "bundle: a folder or an archive; by default bundle/ of the workspace"),
  },
  options: {
    ...judgeOptions,
  },
  examples: [
    ["sluice bundle verify /srv/bundle --trust /etc/sluice/trust.json", "as a server does"],
    ["sluice bundle verify bundle.tar --trust trust.json", "before unpacking it"],
  ],
} satisfies CommandSpec;
