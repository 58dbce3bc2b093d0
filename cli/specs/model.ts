import type { CommandSpec } from "../command-spec.js";
import { describeModelOptions, fitModelOptions } from "../../stages/options/model.js";

const { folder, ...describing } = describeModelOptions;

export const modelDescribeSpec = {
  name: ["model", "describe"],
  describe: "Propose router_model.json for a Hugging Face export, and measure the model",
  positionals: { folder },
  options: describing,
  examples: [
    ["sluice model describe my-encoder", "shows the proposal, with the source of each value"],
    ["sluice model describe my-encoder --pooling mean --write", "sets a value and writes the file"],
  ],
} satisfies CommandSpec;

export const modelFitSpec = {
  name: ["model", "fit"],
  describe: "Fit a verifier for a retriever to labelled requests",
  positionals: {},
  options: fitModelOptions,
  examples: [
    ["sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out my-models", "your own requests"],
    ["sluice model fit --retriever my-encoder --split 3f9c01ab --out my-models", "your encoder and the FIT fold"],
  ],
} satisfies CommandSpec;
