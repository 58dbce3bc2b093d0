import { counted, formatMegabytes } from "../../../src/domain/number-text.js";
import { portText } from "../../../workbench/models/check-graph.js";
import type { DescribedModel, SettledModel } from "../../../workbench/onboarding/describe-model.js";
import { missingText } from "../../../workbench/models/sourced.js";
import { fields, table } from "../../table.js";

/** The description and what it was made from, for `--json`. */
export function describedDocument({ entries, choice, facts, proposal, settled }: DescribedModel) {
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
    measured: settled === null ? null : measuredDocument(settled),
  };
}

function measuredDocument({ measured: { timings } }: SettledModel) {
  return {
    timings: timings.map(({ batch, runs, p50Ms, p95Ms }) => ({ batch, runs, p50_ms: p50Ms, p95_ms: p95Ms })),
  };
}

/** The same in words. */
export function describedLines(folder: string, described: DescribedModel): readonly string[] {
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
    ...(settled === null ? [] : settledLines(settled)),
  ];
}

function missingLines(missing: DescribedModel["proposal"]["missing"]): readonly string[] {
  if (missing.length === 0) return [];
  return [
    "",
    ...missing.map(
      (open) => `${open.field} ${open.refused === true ? "does not fit" : "is open"}: ${missingText(open)}`,
    ),
  ];
}

function settledLines({ measured, document, dirHash1 }: SettledModel): readonly string[] {
  const what = document.role === "retriever" ? "texts" : "pairs";
  return [
    "",
    ...table(
      measured.timings.map(({ batch, p50Ms, p95Ms }) => [`${batch}`, p50Ms.toFixed(2), p95Ms.toFixed(2)]),
      [what, "p50 ms", "p95 ms"],
    ),
    "",
    ...fields([["dir_hash1", `${dirHash1} with this description`]]),
  ];
}
