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
  const { folder } = args;
  const described = await describeModel(context, args);
  return {
    result: { folder, written: described.written, differs: described.differs, ...describedDocument(described) },
    lines: describedLines(folder, described),
    gates: described.proposal.missing.map(missingGate),
    warnings: warningsOf(described),
    next: nextOf(context.next, described, args),
  };
};

const missingGate = (open: DescribedModel["proposal"]["missing"][number]): Gate => ({
  name: open.field,
  verdict: "fail",
  message: missingText(open),
});

function warningsOf({ proposal, differs }: DescribedModel): readonly string[] {
  const assumed = proposal.fields.filter(({ source }) => source.startsWith("assumed")).map(({ field }) => field);
  return [
    ...(assumed.length === 0 ? [] : [`assumed, because the export does not specify it: ${assumed.join(", ")}`]),
    ...(differs.length === 0 ? [] : [`router_model.json of the folder says otherwise: ${differs.join(", ")}`]),
  ];
}

function nextOf(
  next: CommandContext["next"],
  { settled }: DescribedModel,
  args: GivenValues & { readonly folder: string; readonly write: boolean },
): readonly Invocation[] {
  if (settled === null) return [];
  const { folder, write } = args;
  if (!write) return [next("model", "describe", folder, ...givenWords(args), "--write")];
  const flagName = settled.document.role === "retriever" ? "--retriever" : "--verifier";
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

/** The description and its sources, for `--json`. */
function describedDocument({ entries, choice, facts, proposal, settled }: DescribedModel) {
  const ports = (list: DescribedModel["facts"]["inputs"]) =>
    list.map(({ name, elementType, shape }) => ({ name, element_type: elementType, shape }));
  return {
    files: entries,
    graph: choice.graph.value,
    graph_source: choice.graph.source,
    other_graphs: choice.others,
    inputs: ports(facts.inputs),
    outputs: ports(facts.outputs),
    fields: proposal.fields,
    missing: proposal.missing,
    document: settled?.document ?? null,
    dir_hash1: settled?.dirHash1 ?? null,
  };
}

/** The description and its sources as output lines. */
function describedLines(folder: string, described: DescribedModel): readonly string[] {
  const { entries, choice, facts, proposal, settled } = described;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return [
    ...fields([
      ["folder", `${folder}: ${counted(entries.length, "file")}, ${formatMegabytes(bytes)}`],
      ["graph", choice.graph.value],
      ["other graphs", choice.others.join(", ") || "none"],
      ["inputs", facts.inputs.map(portText).join(", ")],
      ["outputs", facts.outputs.map(portText).join(", ")],
    ]),
    "",
    ...table(
      proposal.fields.map(({ field, value, source }) => [field, JSON.stringify(value), source]),
      ["field", "value", "source"],
    ),
    ...missingLines(proposal.missing),
    ...(settled === null ? [] : ["", ...fields([["dir_hash1", `${settled.dirHash1} with this description`]])]),
  ];
}

function missingLines(missing: DescribedModel["proposal"]["missing"]): readonly string[] {
  if (missing.length === 0) return [];
  return [
    "",
    ...missing.map(
      (open) => `${open.field} ${open.refused === true ? "does not fit" : "is undecided"}: ${missingText(open)}`,
    ),
  ];
}
