import type { CommandSpec } from "../command-spec.js";
import { exportOptions, importBundleOptions, verifyOptions } from "../../stages/options/release.js";

export const bundleExportSpec = {
  name: ["bundle", "export"],
  describe: "Export an approved bundle to a folder, atomically",
  positionals: {},
  options: exportOptions,
  examples: [
    ["sluice bundle export", "the latest bundle, into the workspace"],
    ["sluice bundle export --bundle 3f9c01ab --out /srv/bundle --replace", "to the folder of a server"],
  ],
} satisfies CommandSpec;

const { archive, ...unpacking } = importBundleOptions;

export const bundleImportSpec = {
  name: ["bundle", "import"],
  describe: "Verify an archive, then unpack it atomically into a folder",
  positionals: { archive },
  options: unpacking,
  examples: [
    ["sluice bundle import bundle.tar --out /srv/bundle --trust /etc/sluice/trust.json", "on the machine of a server"],
    ["sluice bundle import bundle.tar --out trial --environment staging", "for another environment"],
  ],
} satisfies CommandSpec;

const { directory, ...judging } = verifyOptions;

export const bundleVerifySpec = {
  name: ["bundle", "verify"],
  describe: "Verify a bundle offline, with the checks of a server",
  positionals: { directory },
  options: judging,
  examples: [
    ["sluice bundle verify /srv/bundle --trust /etc/sluice/trust.json", "as a server does"],
    ["sluice bundle verify bundle.tar --trust trust.json", "before unpacking it"],
  ],
} satisfies CommandSpec;
