import { flag, optional, preset, repeated, type ValuesOf, type ValueKind } from "../../../src/base/options.js";
import { givenOnly } from "../../../stages/choices.js";
import type { MappedField } from "../../../datasets/importers/column-mapping.js";
import type { ReadSourceOptions } from "../../../stages/import/read-source.js";
import { count, list, path, seed, text } from "../../parsers.js";

const cellValue: ValueKind<string> = { placeholder: "VALUE", parse: (raw) => raw };

const column = (what: string) => optional(text, `tables: column of ${what}`);

export const importOptions = {
  "text-column": column("the request texts; by default text"),
  "workflow-column": column("the workflows; by default workflow_id"),
  "id-column": column("the row ids; by default rows are numbered"),
  "group-column": column("groups of requests that belong together"),
  "allowed-column": column("the workflows that the caller may use"),
  "missing-column": column("the inputs missing from the request"),
  "context-column": column("the context, a JSON object"),
  "event-column": column("the event type"),
  "slice-columns": optional(list, "tables: columns that become slices"),
  "role-column": column("the published roles train, validation and test; see dataset split --by role"),
  "out-of-scope-value": repeated(cellValue, "workflow value that means out of scope; auto recognises the usual ones"),
  "draft-catalog": flag("tables: draft a catalog from the labels, with examples from the texts"),
  owner: optional(text, "owner of workflows for which the source names none; production requires one"),
  grants: optional(
    path,
    "grant policy of the server; each request gets the workflows of one rule, so that claims are about its callers",
  ),
  language: optional(text, "auto: language of the phrases; by default English if the source has it"),
  "max-bad-rows": preset(count, "0", "number of invalid rows to accept; they are skipped and listed"),
  "drop-repeated": flag("skip near-duplicates of earlier requests"),
  "examples-per-workflow": preset(count, "10", "drafted catalogs: maximum number of examples per workflow"),
  "max-rows-per-workflow": optional(count, "maximum rows per workflow, drawn at random"),
  "max-out-of-scope": optional(count, "maximum out-of-scope rows, drawn at random"),
  seed: preset(seed, "0", "seed of the random draws"),
  "ids-file": optional(path, "CSV that maps labels to workflow ids; read if it exists, otherwise written"),
} as const;

/** Options that a source of any kind may have; the others make it a table. */
const ofAnySource = new Set(["text", "workflow", "outOfScopeValues"]);

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
    mapped: draftCatalog || [...Object.keys(columns), ...Object.keys(further)].some((field) => !ofAnySource.has(field)),
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
