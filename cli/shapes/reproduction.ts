import type { CommandShape } from "../command-shape.js";
import { optional, preset } from "../options.js";
import { choice, count, reference } from "../parsers.js";
import { reproductionSources } from "../../src/domain/choices.js";

export const reproduceShape = {
  name: ["reproduce"],
  describe: "Derive the claim of a bundle again, and compare it with what was signed byte for byte",
  positionals: {
    bundle: optional(
      reference,
      "bundle: its id, or a folder or archive that carries its records; the latest when absent",
    ),
  },
  options: {
    from: preset(choice(...reproductionSources), "records", "start at the scored records, or score the dataset again"),
    workers: preset(count, "2", "inference threads"),
  },
  examples: [
    ["sluice reproduce", "fit, certify and evaluate the latest bundle again"],
    ["sluice reproduce released", "a folder that bundle export --with-records wrote; needs no workspace"],
  ],
} satisfies CommandShape;
