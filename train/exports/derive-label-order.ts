import type { VerifierColumn } from "../../src/documents/choices.js";
import { knownColumn, isLabelOrder, labelSets } from "../../src/router/verification/label-mapping.js";
import { exportFiles, type ModelExport } from "./model-export.js";
import { type Derived, refused } from "./derived.js";

const flag = "--label-order A,B,C";

/**
 * Derives the meaning of the output columns of a verifier.
 * @param columns  size of the output's last dimension; undefined if the graph leaves it open
 * @param wanted   order from the command line
 */
export function deriveLabelOrder(
  model: ModelExport,
  columns: number | undefined,
  wanted: readonly string[] | undefined,
): Derived<readonly VerifierColumn[]> {
  const names = exportedLabels(model);
  const count = columnCount(model, columns, names);
  if (names !== undefined && names.length !== count) {
    const missing = `${exportFiles.config} names ${names.length} labels, the output has ${count}`;
    return { missing, flag: `id2label with ${count} labels in ${exportFiles.config}` };
  }
  if (count === 1) return oneColumn(columns, wanted);
  const exported = names?.map((name) => knownColumn(name) ?? name) ?? [];
  if (isLabelOrder(exported)) return orderFromExport(exported, wanted);
  if (wanted !== undefined) return orderFromFlag(wanted, count, names);
  return { missing: `${exportFiles.config} ${labelsInWords(model, names)}`, flag };
}

function columnCount(
  { config }: ModelExport,
  columns: number | undefined,
  names: readonly string[] | undefined,
): number | undefined {
  return columns ?? names?.length ?? config?.num_labels ?? undefined;
}

function orderFromExport(
  exported: readonly VerifierColumn[],
  wanted: readonly string[] | undefined,
): Derived<readonly VerifierColumn[]> {
  if (wanted === undefined || wanted.join() === exported.join()) {
    return { value: exported, source: `${exportFiles.config} (id2label)` };
  }
  return refused(
    `--label-order ${wanted.join()}, but ${exportFiles.config} says ${exported.join()}`,
    `--label-order ${exported.join()}`,
  );
}

function labelsInWords({ config }: ModelExport, names: readonly string[] | undefined): string {
  if (names !== undefined) return `calls the labels ${names.join(", ")}, which does not show what they mean`;
  if (config?.id2label) return "numbers its labels in two ways, or with gaps";
  return "does not name the labels";
}

function oneColumn(
  columns: number | undefined,
  wanted: readonly string[] | undefined,
): Derived<readonly VerifierColumn[]> {
  if (wanted !== undefined && wanted.join() !== "relevance") {
    return refused(`--label-order ${wanted.join()}, but the output has one column`, "--label-order relevance");
  }
  const source = columns === 1 ? "the output has one column" : `${exportFiles.config} (num_labels 1)`;
  return { value: ["relevance"], source };
}

function orderFromFlag(
  wanted: readonly string[],
  count: number | undefined,
  names: readonly string[] | undefined,
): Derived<readonly VerifierColumn[]> {
  const called = names === undefined ? "" : `, which ${exportFiles.config} calls ${names.join(", ")}`;
  const sets = labelSets.filter((set) => count === undefined || set.split(", ").length === count);
  const expected =
    sets.length === 0 ? "an output of 1, 2 or 3 columns" : `one of these in any order: ${sets.join("; ")}`;
  if (count !== undefined && wanted.length !== count) {
    return refused(`--label-order names ${wanted.length} columns, the output has ${count}${called}`, expected);
  }
  if (isLabelOrder(wanted)) return { value: wanted, source: "--label-order" };
  return refused(`--label-order ${wanted.join()} for the ${wanted.length} columns of the output${called}`, expected);
}

/** Names in `id2label` by number; undefined if the numbers are not 0, 1, 2, ... or `label2id` disagrees. */
function exportedLabels({ config }: ModelExport): readonly string[] | undefined {
  const names = config?.id2label ?? undefined;
  if (names === undefined) return undefined;
  const inOrder = Object.keys(names).map((_, index) => names[index]);
  const ids = config?.label2id ?? {};
  const agrees = inOrder.every((name, index) => name !== undefined && Number(ids[name] ?? index) === index);
  return agrees ? inOrder.filter((name) => name !== undefined) : undefined;
}
