import { flag, optional, preset, repeated, type ValuesOf, type ValueKind } from "../../../src/base/options.js";
import { givenOnly } from "../../../stages/choices.js";
import type { MappedField } from "../../../datasets/importers/column-mapping.js";
import type { ReadSourceOptions } from "../../../stages/import/read-source.js";
import { count, list, path, seed, text } from "../../../stages/options/kinds.js";

const cellValue: ValueKind<string> = { placeholder: "VALUE", type: "string", parse: (raw) => raw };

const column = (what: string) => optional(text, `tables: column of ${what}`);

export const importOptions = {
  textColumn: column("the request texts; by default text"),
  workflowColumn: column("the workflows; by default workflow_id"),
  idColumn: column("the row ids; by default rows are numbered"),
  groupColumn: column("groups of requests that belong together"),
  allowedColumn: column("the workflows that the caller may use"),
  missingColumn: column("the inputs missing from the request"),
  contextColumn: column("the context, a JSON object"),
  eventColumn: column("the event type"),
  sliceColumns: optional(list, "tables: columns that become slices"),
  roleColumn: column("the published roles train, validation and test; see dataset split --by role"),
  outOfScopeValue: repeated(cellValue, "workflow value that means out of scope; auto recognises the usual ones"),
  draftCatalog: flag("tables: draft a catalog from the labels, with examples from the texts"),
  owner: optional(text, "owner of workflows for which the source names none; production requires one"),
  grants: optional(
    path,
    "grant policy of the server; each request gets the workflows of one rule, so that claims are about its callers",
  ),
  language: optional(text, "auto: language of the phrases; by default English if the source has it"),
  maxBadRows: preset(count, "0", "number of invalid rows to accept; they are skipped and listed"),
  dropRepeated: flag("skip near-duplicates of earlier requests"),
  examplesPerWorkflow: preset(count, "10", "drafted catalogs: maximum number of examples per workflow"),
  maxRowsPerWorkflow: optional(count, "maximum rows per workflow, drawn at random"),
  maxOutOfScope: optional(count, "maximum out-of-scope rows, drawn at random"),
  seed: preset(seed, "0", "seed of the random draws"),
  idsFile: optional(path, "CSV that maps labels to workflow ids; read if it exists, otherwise written"),
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
