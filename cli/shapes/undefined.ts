import type { CommandShape } from "../command-shape.js";
import { optional, preset } from "../options.js";
import { choice, count, id } from "../parsers.js";

export const reproduceShape = {
  name: ["reproduce"],
  describe: "Derive the claim of a bundle again, and compare it with what was signed byte for byte",
  positionals: { bundle: optional(id, "bundle; the latest when absent") },
  options: {
    from: preset(choice("records", "scores"), "records", "start at the scored records, or score the dataset again"),
    workers: preset(count, "2", "inference threads"),
  },
  examples: [
    ["sluice reproduce", "fit, certify and evaluate the latest bundle again"],
    ["sluice reproduce 3f9c01ab --from scores", "another one; also score the dataset again"],
  ],
} satisfies CommandShape;
