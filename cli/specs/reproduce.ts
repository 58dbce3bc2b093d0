import type { CommandSpec } from "../command-spec.js";
import { reproduceOptions } from "../../stages/options/release.js";

const { bundle, ...options } = reproduceOptions;

export const reproduceSpec = {
  name: ["reproduce"],
  describe: "Derive the claim of a bundle again, and compare it with the signed one byte for byte",
  positionals: { bundle },
  options,
  examples: [
    ["sluice reproduce", "fit, certify and evaluate the latest bundle again"],
    ["sluice reproduce released", "a folder from bundle export --with-records; needs no workspace"],
  ],
} satisfies CommandSpec;
