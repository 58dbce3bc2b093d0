import { optional, preset } from "../../src/base/options.js";
import { defaultWorkers } from "../../stages/choices.js";
import type { CommandSpec } from "../command-spec.js";
import { choice, count, reference } from "../../stages/options/kinds.js";
import { reproductionSources } from "../../src/documents/choices.js";

export const reproduceSpec = {
  name: ["reproduce"],
  describe: "Derive the claim of a bundle again, and compare it with the signed one byte for byte",
  positionals: {
    bundle: optional(reference, "bundle: its id, or a folder or archive with its records; by default the latest"),
  },
  options: {
    from: preset(
      choice(...reproductionSources),
      "records",
      "starting point: the scored records, or scoring the dataset again",
    ),
    workers: preset(count, String(defaultWorkers), "inference threads"),
  },
  examples: [
    ["sluice reproduce", "fit, certify and evaluate the latest bundle again"],
    ["sluice reproduce released", "a folder from bundle export --with-records; needs no workspace"],
  ],
} satisfies CommandSpec;
