import { flagName } from "../../../src/base/options.js";
import { type DescribedModel, describeModel, missingText, portText } from "../../../stages/models.js";
import type { Gate } from "../../result.js";
import type { WorkOf } from "../../command.js";
import type { CommandContext } from "../../context.js";
import type { Invocation } from "../../../src/base/invocation.js";
import { modelDescribeSpec } from "../../specs/model.js";
import { counted, formatMegabytes } from "../../../src/documents/number-text.js";
import { fields, table } from "../../table.js";

export const modelDescribe: WorkOf<typeof modelDescribeSpec> = async (context, args) => {
  const described = await describeModel(context, args);
  return {
    result: described,
    lines: describedLines(described),
    gates: described.missing.map(missingGate),
    warnings: warningsOf(described),
    next: nextOf(context.next, described, args),
  };
};

const missingGate = (open: DescribedModel["missing"][number]): Gate => ({
  name: open.field,
  verdict: "fail",
  message: missingText(open),
});

function warningsOf({ fields: found, differs }: DescribedModel): readonly string[] {
  const assumed = found.filter(({ source }) => source.startsWith("assumed")).map(({ field }) => field);
  return [
    ...(assumed.length === 0 ? [] : [`assumed, because the export does not specify it: ${assumed.join(", ")}`]),
    ...(differs.length === 0 ? [] : [`router_model.json of the folder says otherwise: ${differs.join(", ")}`]),
  ];
}

function nextOf(
  next: CommandContext["next"],
  { document }: DescribedModel,
  args: GivenValues & { readonly folder: string; readonly write: boolean },
): readonly Invocation[] {
  if (document === null) return [];
  const { folder, write } = args;
  if (!write) return [next("model", "describe", folder, ...givenWords(args), "--write")];
  const flagName = document.role === "retriever" ? "--retriever" : "--verifier";
  return [next("eval", "run", flagName, folder)];
}

type GivenValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Converts the values back to command-line arguments. */
function givenWords(args: GivenValues): readonly string[] {
  return Object.keys(modelDescribeSpec.options).flatMap((name) => {
    const value = args[name];
    if (value === undefined || typeof value === "boolean") return [];
    return [`--${flagName(name)}`, typeof value === "object" ? value.join() : `${value}`];
  });
}

/** The description and its sources as output lines. */
function describedLines(described: DescribedModel): readonly string[] {
  const { files, missing, dir_hash1: digest } = described;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...fields([
      ["folder", `${described.folder}: ${counted(files.length, "file")}, ${formatMegabytes(bytes)}`],
      ["graph", described.graph],
      ["other graphs", described.other_graphs.join(", ") || "none"],
      ["inputs", described.inputs.map(portText).join(", ")],
      ["outputs", described.outputs.map(portText).join(", ")],
    ]),
    "",
    ...table(
      described.fields.map(({ field, value, source }) => [field, JSON.stringify(value), source]),
      ["field", "value", "source"],
    ),
    ...missingLines(missing),
    ...(digest === null ? [] : ["", ...fields([["dir_hash1", `${digest} with this description`]])]),
  ];
}

function missingLines(missing: DescribedModel["missing"]): readonly string[] {
  if (missing.length === 0) return [];
  return [
    "",
    ...missing.map(
      (open) => `${open.field} ${open.refused === true ? "does not fit" : "is undecided"}: ${missingText(open)}`,
    ),
  ];
}
