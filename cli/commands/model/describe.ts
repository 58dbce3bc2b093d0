import { poolings } from "../../../src/inference/protocol.js";
import { defineCommand } from "../../command.js";
import { camelName, flag, optional, required } from "../../options.js";
import { choice, count, exactText, list, path, probability, text } from "../../parsers.js";
import { commandResult, type Gate } from "../../result.js";
import type { DescribedModel } from "../../../workbench/onboarding/describe-model.js";
import { describedDocument, describedLines } from "./describe-lines.js";

const options = {
  role: optional(choice("retriever", "verifier"), "what the model is for; from the export when absent"),
  graph: optional(path, "graph inside of the folder; model.onnx, then fp16, then int8 when absent"),
  "graph-output": optional(text, "output of the graph that is read"),
  pooling: optional(choice(...poolings), "how token vectors become one vector, where the export is silent"),
  normalise: optional(choice("true", "false"), "scale vectors to length 1, where the export is silent"),
  "query-prefix": optional(exactText, "put before every request, byte for byte"),
  "document-prefix": optional(exactText, "put before every contract, byte for byte"),
  "description-weight": optional(probability, "share of the description in a score; 0.3 when absent"),
  "label-order": optional(list, "columns of a verifier, where the export does not name them"),
  "max-tokens": optional(count, "tokens of one row; can only lower the limit of the export"),
  name: optional(text, "version of the model; from folder and graph when absent"),
  capability: optional(choice("development", "production"), "development when absent"),
  write: flag("write router_model.json into the folder"),
  force: flag("replace a router_model.json with other content"),
} as const;

export const modelDescribe = defineCommand({
  name: ["model", "describe"],
  describe: "Propose router_model.json for a Hugging Face export, and measure the model",
  positionals: { folder: required(path, "folder with tokenizer.json and an ONNX graph") },
  options,
  examples: [
    ["sluice model describe my-encoder", "shows the proposal; every value with its source"],
    ["sluice model describe my-encoder --pooling mean --write", "settles a value, and writes the file"],
  ],
  run: async (context, args) => {
    const { describeModel } = await import("../../../workbench/onboarding/describe-model.js");
    const { writeDescription } = await import("../../../workbench/onboarding/write-description.js");
    const { folder, write, force, graph, graphOutput, name, normalise, ...wishes } = args;
    const described = await describeModel(context, {
      folder,
      graph,
      wishes: {
        ...wishes,
        output: graphOutput,
        version: name,
        normalise: normalise === undefined ? undefined : normalise === "true",
      },
      now: () => performance.now(),
    });
    const { settled } = described;
    const written = settled !== null && write && (await writeDescription(folder, settled.bytes, force));
    return commandResult({
      schema: "model-describe@1",
      result: { folder, written, ...describedDocument(described) },
      lines: describedLines(folder, described),
      gates: described.proposal.missing.map(missingGate),
      warnings: assumptions(described),
      next: nextLines(context.nextLine, described, args),
    });
  },
});

const missingGate = ({ field, missing, flag: wanted }: DescribedModel["proposal"]["missing"][number]): Gate => ({
  name: field,
  verdict: "fail",
  message: `${missing}; give ${wanted}`,
});

function assumptions({ proposal }: DescribedModel): readonly string[] {
  const assumed = proposal.fields.filter(({ source }) => source.startsWith("assumed"));
  if (assumed.length === 0) return [];
  return [`assumed, not said by the export: ${assumed.map(({ field }) => field).join(", ")}`];
}

function nextLines(
  nextLine: (...words: readonly string[]) => string,
  { settled }: DescribedModel,
  args: GivenValues & { readonly folder: string; readonly write: boolean },
): readonly string[] {
  if (settled === null) return [];
  const { folder, write } = args;
  if (!write) return [nextLine("model", "describe", folder, ...givenWords(args), "--write")];
  const flagName = settled.document.role === "retriever" ? "--retriever" : "--verifier";
  return [nextLine("model", "check", folder), nextLine("eval", "run", flagName, folder)];
}

type GivenValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The values of this command line again, as its words. */
function givenWords(args: GivenValues): readonly string[] {
  return Object.keys(options).flatMap((name) => {
    const value = args[camelName(name)];
    if (value === undefined || typeof value === "boolean") return [];
    return [`--${name}`, typeof value === "object" ? value.join() : `${value}`];
  });
}
