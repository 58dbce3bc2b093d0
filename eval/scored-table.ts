import type { WorkflowId } from "../src/documents/primitives.js";
import {
  bool,
  dictionary,
  field,
  float32,
  float64,
  int32,
  list,
  columnFromValues,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  utf8,
} from "@uwdata/flechette";
import { type RiskTier, riskTiers } from "../src/documents/choices.js";
import {
  type ReasonCode,
  reasonCodes,
  type ScoredCandidate,
  type VerifierFeatures,
} from "../src/documents/decision.js";
import { type Population, populations } from "../src/documents/population.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { firstEligible } from "../src/router/policy/apply-calibration.js";
import { ownCandidates } from "../src/router/policy/follow-up.js";
import { type Fold, folds } from "../src/documents/choices.js";
import { SluiceError } from "../src/base/error.js";

/** A text of few values: each is written once. */
const name = () => dictionary(utf8());

const listOf = (type: ReturnType<typeof utf8 | typeof dictionary | typeof bool | typeof float64 | typeof list>) =>
  list(field("item", type, false));

/**
 * Columns of the table. Each value of a `candidate_*` column is a list with one item per candidate, in retrieval order.
 */
const columnTypes = {
  id: utf8(),
  workflow_id: name(),
  cluster: name(),
  fold: name(),
  slice_names: listOf(name()),
  slice_values: listOf(name()),
  expected_missing: listOf(name()),
  early_reason: name(),
  error_code: name(),
  gold_rank: int32(),
  candidate_workflow_id: listOf(name()),
  candidate_risk_tier: listOf(name()),
  candidate_eligible: listOf(bool()),
  candidate_retrieval_score: listOf(float64()),
  candidate_logit_mismatch: listOf(float64()),
  candidate_logit_needs_input: listOf(float64()),
  candidate_logit_executable: listOf(float64()),
  candidate_missing_inputs: listOf(listOf(name())),
  candidate_input_timeout: listOf(bool()),
  population: name(),
  family: utf8(),
  near_copy: utf8(),
  wrong_before: float64(),
  narrowed: bool(),
  negated: name(),
  several: float64(),
  joined: float64(),
  languages: listOf(name()),
  previous: name(),
  previous_joined: bool(),
  closing: float64(),
  new_wish: float64(),
} as const;
type ColumnName = keyof typeof columnTypes;
const columnNames = Object.keys(columnTypes) as readonly ColumnName[];

/**
 * Prefix of the columns with the verifier's features of the first eligible candidate, one per feature; null without
 * such a candidate.
 */
const featurePrefix = "feature_";

/**
 * Scored records as an uncompressed Arrow IPC file: one row per record, in the given order, numbers as float64.
 * The verifier's features follow as float32, one column each; if no record has features, there are no such columns.
 * Equal records give equal bytes. Slices are sorted by name.
 * @throws {SluiceError} DOCUMENT_INVALID  records with features of two verifiers
 */
export function scoredTableBytes(records: readonly ScoredRecord[]): Uint8Array {
  const rows = records.map(rowOf);
  const features = records.map(featuresOf);
  const names = features.find((found) => found !== undefined)?.names ?? [];
  if (features.some((found) => found !== undefined && found.names.join() !== names.join())) {
    throw new SluiceError("DOCUMENT_INVALID", "the records contain features of two verifiers, expected one");
  }
  return tableBytes(names, {
    column: (name) => (visit) => rows.forEach((row) => visit(row[name])),
    feature: (_, index) => (visit) => features.forEach((found) => visit(found?.values[index] ?? null)),
  });
}

/** Visits each value of a column in row order. */
type Values = (visit: (value: unknown) => void) => void;

interface ColumnSource {
  readonly column: (name: ColumnName) => Values;
  readonly feature: (name: string, index: number) => Values;
}

function tableBytes(featureNames: readonly string[], source: ColumnSource): Uint8Array {
  const columns = [
    ...columnNames.map((name) => [name, columnFromValues(source.column(name), columnTypes[name])] as const),
    ...featureNames.map(
      (name, i) => [featurePrefix + name, columnFromValues(source.feature(name, i), float32())] as const,
    ),
  ];
  const bytes = tableToIPC(tableFromColumns(columns.map(([name, column]) => [name, column])), { format: "file" });
  if (bytes === null) throw new SluiceError("INTERNAL", "the Arrow encoder returned no bytes");
  return bytes;
}

/**
 * Interleaves the rows of several tables: row 0 of each table, then row 1 of each, and so on. Earlier tables may have
 * one row more. The bytes equal those of `scoredTableBytes` for the same records, but no record objects are built.
 * @param tables  outputs of `scoredTableBytes`
 * @throws {SluiceError} DOCUMENT_INVALID  records with features of two verifiers
 */
export function interleavedTableBytes(tables: readonly Uint8Array[]): Uint8Array {
  const parsed = tables.map((bytes, index) => parseArrow(bytes, `table ${index + 1}`));
  const namesOf = parsed.map(({ schema }) =>
    schema.fields.flatMap(({ name }) => (isFeature(name) ? [name.slice(featurePrefix.length)] : [])),
  );
  const featureNames = namesOf.find((found) => found.length > 0) ?? [];
  if (namesOf.some((found) => found.length > 0 && found.join() !== featureNames.join())) {
    throw new SluiceError("DOCUMENT_INVALID", "the tables contain features of two verifiers, expected one");
  }
  const rows = parsed.reduce((sum, { numRows }) => sum + numRows, 0);
  const valuesOf = (name: string): Values => {
    // A table of records without features has no feature columns.
    const columns = parsed.map((table) =>
      table.schema.fields.some((f) => f.name === name) ? table.getChild(name) : null,
    );
    return (visit) => {
      for (let row = 0; row < rows; row += 1)
        visit(columns[row % columns.length]?.at(Math.floor(row / columns.length)) ?? null);
    };
  };
  return tableBytes(featureNames, { column: valuesOf, feature: (name) => valuesOf(featurePrefix + name) });
}

const featuresOf = ({ candidates }: ScoredRecord): VerifierFeatures | undefined =>
  candidates.find(({ features }) => features !== undefined)?.features;

/**
 * Reads the output of `scoredTableBytes`.
 * @param what  how messages refer to the bytes, e.g. a digest
 * @throws {SluiceError} DOCUMENT_INVALID  not an Arrow file
 * @throws {SluiceError} DOCUMENT_INVALID  unexpected columns or invalid values
 */
export function readScoredTable(bytes: Uint8Array, what: string): readonly ScoredRecord[] {
  const table = parseArrow(bytes, what);
  const names = table.schema.fields.map((column) => column.name);
  const featureNames = names.filter(isFeature).map((name) => name.slice(featurePrefix.length));
  const present = names.filter((name) => !isFeature(name));
  if (columnNames.join() !== present.join()) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: not a table of scored records: columns ${present.join(", ")}`);
  }
  const columns = new Map(columnNames.map((name) => [name, table.getChild(name)]));
  const featureColumns = featureNames.map((name) => table.getChild(featurePrefix + name));
  return Array.from({ length: table.numRows }, (_, index) => {
    const where = `${what}: row ${index}`;
    const record = recordOf((name) => columns.get(name)?.at(index) as unknown, where);
    const values = featureColumns.map((column) => column.at(index) as unknown);
    return withFeatures(record, featureNames, { values, where });
  });
}

const isFeature = (name: string): boolean => name.startsWith(featurePrefix);

/** Attaches the features of a row to the first eligible candidate. */
function withFeatures(
  record: ScoredRecord,
  names: readonly string[],
  { values, where }: { readonly values: readonly unknown[]; readonly where: string },
): ScoredRecord {
  if (values.every((value) => value === null)) return record;
  const first = firstEligible(ownCandidates(record))?.workflow_id;
  const features = { names, values: values.map((value) => numberOf(value, where)) };
  const candidates = record.candidates.map((each) => (each.workflow_id === first ? { ...each, features } : each));
  return { ...record, candidates };
}

type TableRow = Readonly<Record<ColumnName, unknown>>;

function rowOf(record: ScoredRecord): TableRow {
  const slices = Object.entries(record.slices).sort(([a], [b]) => (a < b ? -1 : 1));
  const each = <T>(pick: (candidate: ScoredCandidate) => T): T[] => record.candidates.map(pick);
  return {
    id: record.id,
    workflow_id: record.workflow_id,
    cluster: record.cluster,
    fold: record.fold,
    slice_names: slices.map(([name]) => name),
    slice_values: slices.map(([, value]) => value),
    expected_missing: record.expected_missing,
    early_reason: record.early_reason,
    error_code: record.error_code,
    gold_rank: record.gold_rank,
    candidate_workflow_id: each((c) => c.workflow_id),
    candidate_risk_tier: each((c) => c.risk_tier),
    candidate_eligible: each((c) => c.eligible),
    candidate_retrieval_score: each((c) => c.retrieval_score),
    candidate_logit_mismatch: each((c) => c.logits.mismatch),
    candidate_logit_needs_input: each((c) => c.logits.needs_input),
    candidate_logit_executable: each((c) => c.logits.executable),
    candidate_missing_inputs: each((c) => c.missing_inputs),
    candidate_input_timeout: each((c) => c.input_timeout),
    population: record.population,
    family: record.family ?? null,
    near_copy: record.near_copy ?? null,
    wrong_before: record.wrong_before ?? null,
    narrowed: record.narrowed ?? null,
    negated: record.negated ?? null,
    several: record.several ?? null,
    joined: record.joined ?? null,
    languages: record.languages ?? null,
    ...followUpCells(record),
  };
}

function followUpCells({
  followUp,
}: ScoredRecord): Pick<TableRow, "previous" | "previous_joined" | "closing" | "new_wish"> {
  if (followUp === undefined) return { previous: null, previous_joined: null, closing: null, new_wish: null };
  const { previous, joined: previous_joined, closing, new_wish } = followUp;
  return { previous, previous_joined, closing, new_wish };
}

function parseArrow(bytes: Uint8Array, what: string): ReturnType<typeof tableFromIPC> {
  try {
    return tableFromIPC(bytes);
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: not an Arrow IPC file`, { cause });
  }
}

/** The value of a column in one row; undefined where the table lacks the column. */
type Cell = (name: ColumnName) => unknown;

const orNull = <T>(value: unknown, read: (present: unknown) => T): T | null => (value === null ? null : read(value));

function recordOf(cell: Cell, where: string): ScoredRecord {
  const values = listIn(cell("slice_values"));
  const [family, nearCopy] = [cell("family"), cell("near_copy")];
  const wrongBefore = cell("wrong_before");
  const negated = cell("negated");
  const several = cell("several");
  const joined = cell("joined");
  const languages = cell("languages");
  return {
    id: textOf(cell("id"), where),
    workflow_id: orNull(cell("workflow_id"), (value) => workflowIdIn(value, where)),
    cluster: textOf(cell("cluster"), where),
    ...(typeof family === "string" ? { family } : {}),
    ...(typeof nearCopy === "string" ? { near_copy: nearCopy } : {}),
    fold: oneOf<Fold>(cell("fold"), folds, where),
    population: oneOf<Population>(cell("population"), populations, where),
    slices: Object.fromEntries(
      Array.from(listIn(cell("slice_names")), (name, i) => [textOf(name, where), textOf(values[i], where)]),
    ),
    ...(wrongBefore === null ? {} : { wrong_before: numberOf(wrongBefore, where) }),
    ...(cell("narrowed") === true ? { narrowed: true } : {}),
    expected_missing: orNull(cell("expected_missing"), (value) => textsOf(value, where)),
    candidates: candidatesOf(cell, where),
    ...(several === null ? {} : { several: numberOf(several, where) }),
    ...(languages === null ? {} : { languages: textsOf(languages, where) }),
    ...(negated === null ? {} : { negated: workflowIdIn(negated, where) }),
    ...(joined === null ? {} : { joined: numberOf(joined, where) }),
    ...followUpOf(cell, where),
    early_reason: orNull(cell("early_reason"), (value) => oneOf<ReasonCode>(value, reasonNames, where)),
    error_code: orNull(cell("error_code"), (value) => textOf(value, where)),
    gold_rank: orNull(cell("gold_rank"), (value) => numberOf(value, where)),
  };
}

function followUpOf(cell: Cell, where: string): Pick<ScoredRecord, "followUp"> {
  if (cell("closing") === null) return {};
  return {
    followUp: {
      previous: orNull(cell("previous"), (value) => workflowIdIn(value, where)),
      joined: cell("previous_joined") === true,
      closing: numberOf(cell("closing"), where),
      new_wish: numberOf(cell("new_wish"), where),
    },
  };
}

const reasonNames = Object.keys(reasonCodes) as readonly ReasonCode[];

function candidatesOf(cell: Cell, where: string): readonly ScoredCandidate[] {
  const tiers = listIn(cell("candidate_risk_tier"));
  const eligible = listIn(cell("candidate_eligible"));
  const retrieval = listIn(cell("candidate_retrieval_score"));
  const mismatch = listIn(cell("candidate_logit_mismatch"));
  const needsInput = listIn(cell("candidate_logit_needs_input"));
  const executable = listIn(cell("candidate_logit_executable"));
  const missing = listIn(cell("candidate_missing_inputs"));
  const timeouts = listIn(cell("candidate_input_timeout"));
  return Array.from(listIn(cell("candidate_workflow_id")), (id, i) => ({
    workflow_id: workflowIdIn(id, where),
    risk_tier: oneOf<RiskTier>(tiers[i], riskTiers, where),
    eligible: eligible[i] === true,
    retrieval_score: numberOf(retrieval[i], where),
    logits: {
      mismatch: numberOf(mismatch[i], where),
      needs_input: numberOf(needsInput[i], where),
      executable: numberOf(executable[i], where),
    },
    missing_inputs: textsOf(missing[i], where),
    input_timeout: timeouts[i] === true,
  }));
}

/** Arrow returns lists of numbers as typed arrays and other lists as arrays. */
const listIn = (value: unknown): ArrayLike<unknown> =>
  value instanceof Float64Array || Array.isArray(value) ? value : [];

const noTexts: readonly string[] = [];

function textsOf(value: unknown, where: string): readonly string[] {
  const texts = listIn(value);
  return texts.length === 0 ? noTexts : Array.from(texts, (item) => textOf(item, where));
}

function textOf(value: unknown, where: string): string {
  if (typeof value !== "string") throw new SluiceError("DOCUMENT_INVALID", `${where}: a text is missing`);
  return value;
}

const workflowIdIn = (value: unknown, where: string): WorkflowId => textOf(value, where) as WorkflowId;

function numberOf(value: unknown, where: string): number {
  if (typeof value !== "number") throw new SluiceError("DOCUMENT_INVALID", `${where}: a number is missing`);
  return value;
}

function oneOf<T extends string>(value: unknown, known: readonly T[], where: string): T {
  const found = known.find((item) => item === value);
  if (found === undefined) throw new SluiceError("DOCUMENT_INVALID", `${where}: expected one of ${known.join(", ")}`);
  return found;
}
