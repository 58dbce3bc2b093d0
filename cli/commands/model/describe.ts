import { camelName } from "../../options.js";
import type { Gate } from "../../result.js";
import { type DescribedModel, describeModel } from "../../../workbench/onboarding/describe-model.js";
import { describedDocument, describedLines } from "./describe-lines.js";
import type { WorkOf } from "../../command.js";
import { modelDescribeShape } from "../../shapes/model.js";
import { missingText } from "../../../workbench/models/sourced.js";
import { writeDescription } from "../../../workbench/onboarding/write-description.js";

export const modelDescribe: WorkOf<typeof modelDescribeShape> = async (context, args) => {
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
  return {
    result: { folder, written, ...describedDocument(described) },
    lines: describedLines(folder, described),
    gates: described.proposal.missing.map(missingGate),
    warnings: assumptions(described),
    next: nextLines(context.nextLine, described, args),
  };
};

const missingGate = (open: DescribedModel["proposal"]["missing"][number]): Gate => ({
  name: open.field,
  verdict: "fail",
  message: missingText(open),
});

function assumptions({ proposal }: DescribedModel): readonly string[] {
  const assumed = proposal.fields.filter(({ source }) => source.startsWith("assumed"));
  if (assumed.length === 0) return [];
  return [`assumed, because the export does not specify it: ${assumed.map(({ field }) => field).join(", ")}`];
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
  return Object.keys(modelDescribeShape.options).flatMap((name) => {
    const value = args[camelName(name)];
    if (value === undefined || typeof value === "boolean") return [];
    return [`--${name}`, typeof value === "object" ? value.join() : `${value}`];
  });
}
