import type { MappedField } from "../../../datasets/tables/column-mapping.js";
import type { ReadSourceOptions } from "../../../workbench/data/read-source.js";
import { flag, givenOnly, optional, preset, repeated, type ValuesOf } from "../../options.js";
import { choice, count, list, path, seed, text, type ValueKind } from "../../parsers.js";

/** A value of a column; it may be empty. */
const cellValue: ValueKind<string> = { placeholder: "VALUE", parse: (raw) => raw };

const column = (what: string) => optional(text, `tables: column of ${what}`);

/** Options of `dataset import` that say how a source is read. */
export const importOptions = {
  "text-column": column("the request texts; text when absent"),
  "workflow-column": column("the workflows; workflow_id when absent"),
  "id-column": column("the row ids; the place of the row when there is none"),
  "group-column": column("groups of requests that belong together"),
  "allowed-column": column("the workflows that the caller may use"),
  "missing-column": column("the inputs that the request lacks"),
  "context-column": column("the context, an object"),
  "event-column": column("the event type"),
  "slice-columns": optional(list, "tables: columns that become slices"),
  "role-column": column("the published roles: train, validation or test; see dataset split --by role"),
  "out-of-scope-value": repeated(
    cellValue,
    "value of the workflow that means out of scope; auto and rasa know the usual ones",
  ),
  delimiter: preset(choice("comma", "semicolon", "tab"), "comma", "csv: what separates cells"),
  "draft-catalog": flag("tables: make a catalog from the labels, with examples drawn from the texts"),
  language: preset(text, "en", "auto, dialogflow: language of the phrases"),
  "max-bad-rows": preset(count, "0", "rows that may be bad; they are left out and listed"),
  "drop-repeated": flag("leave out requests that nearly repeat an earlier one"),
  "examples-per-workflow": preset(count, "10", "made catalogs: most texts that become examples of each workflow"),
  "max-rows-per-workflow": optional(count, "keep a seeded sample of each workflow"),
  "max-out-of-scope": optional(count, "keep a seeded sample of the out-of-scope texts"),
  seed: preset(seed, "0", "seed of the samples"),
  "ids-file": optional(path, "CSV that says which label is which workflow id; read when it exists, else written"),
} as const;

const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const;

/** What the importers take, from the options of the command. */
export function sourceOptions(args: ValuesOf<typeof importOptions>): ReadSourceOptions {
  const { sliceColumns, roleColumn, outOfScopeValue, draftCatalog } = args;
  const columns = givenOnly({
    text: args.textColumn,
    workflow: args.workflowColumn,
    id: args.idColumn,
    group: args.groupColumn,
    allowed: args.allowedColumn,
    missing: args.missingColumn,
    context: args.contextColumn,
    event: args.eventColumn,
  }) satisfies Readonly<Partial<Record<MappedField, string>>>;
  const outOfScopeValues = outOfScopeValue.length === 0 ? undefined : outOfScopeValue;
  const further = givenOnly({ outOfScopeValues, sliceColumns, roleColumn });
  return {
    mapped: draftCatalog || Object.keys({ ...columns, ...further }).length > 0,
    delimiter: delimiters[args.delimiter],
    language: args.language,
    table: givenOnly({
      mapping: { columns, ...further },
      draftCatalog,
      maxBadRows: args.maxBadRows,
      examplesPerWorkflow: args.examplesPerWorkflow,
      seed: args.seed,
      maxRowsPerWorkflow: args.maxRowsPerWorkflow,
      maxOutOfScopeRows: args.maxOutOfScope,
    }),
  };
}
