import { type Static, Type } from "../../src/base/typebox.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { readEvaluation } from "../../src/documents/evaluation.js";
import { bundleIdOf } from "../../src/trust/statements.js";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { readEnvelope } from "../../src/trust/verify/open-envelope.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { type Click, ClickSchema, type DrawPlan, DrawPlanSchema } from "../../datasets/labelling/label-records.js";
import { AuditRecordSchema, type AuditRecord } from "../../datasets/audit/audit-document.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { checkSchema, matchesSchema } from "../../src/documents/check-schema.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { type HistoryKind, historyKinds } from "../../src/documents/choices.js";
import { type ModelRecord, ModelRecordSchema } from "./model-record.js";
import { type RoutingPolicy, RoutingPolicySchema } from "../../src/documents/policy.js";
import {
  type BundleId,
  BundleIdSchema,
  object,
  CountSchema,
  Sha256Schema,
  TimestampSchema,
} from "../../src/documents/primitives.js";
import { type ImportedRun, ImportedRunSchema, type Run, RunSchema } from "../../src/documents/scored-record.js";
import {
  ApprovalSchema,
  type Approval,
  EnvelopeSchema,
  FileEntrySchema,
  ManifestSchema,
  type Manifest,
  RevocationListSchema,
  type RevocationList,
  type TrustPolicy,
  trustPayloadType,
} from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { SplitSchema, type Split } from "../../src/documents/split.js";
import { readCalibrationDocument } from "../../src/router/policy/read-calibration.js";
import { requireValidPolicy } from "../../src/router/policy/require-valid-policy.js";
import { parseDocument, parseJson } from "../../src/router/parse-document.js";
import { readCheckpoint, type SignedCheckpoint } from "../history/checkpoint.js";
import { openStatement } from "./open-statement.js";

const files = Type.Array(FileEntrySchema);
const ExportSchema = object({ schema_version: Type.Literal(1), bundle_id: BundleIdSchema, files });
const ImportSchema = object({
  schema_version: Type.Literal(1),
  bundle_id: BundleIdSchema,
  environment: Type.String(),
  files,
});
const CollectionSchema = object({
  schema_version: Type.Literal(1),
  collected_at: TimestampSchema,
  blobs: Type.Array(object({ sha256: Sha256Schema, size: CountSchema })),
});

const QuarantineSchema = object({
  schema_version: Type.Literal(1),
  records: Type.Array(object({ kind: Type.Enum([...historyKinds]), sha256: Sha256Schema, problem: Type.String() }), {
    minItems: 1,
  }),
});

/** Maximum length of a note in characters. */
export const longestNote = 80;
/** One line, without control characters. */
export const NoteTextSchema = Type.String({
  pattern: `^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,${longestNote}}$`,
});
const RunNoteSchema = object({
  schema_version: Type.Literal(1),
  run_sha256: Sha256Schema,
  note: NoteTextSchema,
  noted_at: TimestampSchema,
});

const PlanSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    run_sha256: Sha256Schema,
    delta: Type.Number(),
    seed: CountSchema,
    samples: CountSchema,
    /** What each claim can achieve with the data of the run, in the form of `sluice calibrate plan --json`. */
    claims: Type.Array(
      Type.Object({
        claim: Type.String(),
        advised: Type.Union([Type.Null(), Type.Number()]),
        unknown: Type.Union([Type.Null(), Type.String()]),
        targets: Type.Array(Type.Object({ target: Type.Number(), probability: Type.Number() })),
      }),
    ),
  },
  { additionalProperties: true },
);

/** Record of a plan: the run that it is based on, and what each claim can achieve. */
export type PlanRecord = Static<typeof PlanSchema>;
export type ExportRecord = Static<typeof ExportSchema>;
export type ImportRecord = Static<typeof ImportSchema>;
/** Record of a collection: the deleted blobs, to which no entry referred. */
export type CollectionRecord = Static<typeof CollectionSchema>;

/** Record of damaged records, which readers pass over; see `history repair`. */
export type QuarantineRecord = Static<typeof QuarantineSchema>;

/** What a person calls a run; the latest note counts. */
export type RunNote = Static<typeof RunNoteSchema>;

/** A signed manifest. Its signature has not been verified. */
export interface ManifestRecord {
  /** SHA-256 of the signed bytes. */
  readonly bundleId: BundleId;
  readonly predicate: Manifest;
}

/** Document type of each kind of record. */
export interface RecordDocuments {
  readonly catalog: Catalog;
  readonly dataset: readonly LabelledRequest[];
  readonly split: Split;
  readonly audit: AuditRecord;
  /** The file list of a model directory; the files are attachments. */
  readonly model: ModelRecord;
  readonly run: Run | ImportedRun;
  readonly evaluation: Evaluation;
  readonly plan: PlanRecord;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly manifest: ManifestRecord;
  /** A signed approval or rejection. Its signature has not been verified. */
  readonly approval: { readonly bundleId: string | undefined; readonly predicate: Approval };
  readonly revocation: RevocationList;
  readonly trust: TrustPolicy;
  readonly export: ExportRecord;
  readonly import: ImportRecord;
  /** HTML, Markdown or JSON, in the stored form. */
  readonly report: Buffer;
  readonly checkpoint: SignedCheckpoint;
  readonly collection: CollectionRecord;
  readonly quarantine: QuarantineRecord;
  readonly click: Click;
  readonly draw: DrawPlan;
  readonly note: RunNote;
}

/** Parses a record; `name` identifies it in messages. @throws {SluiceError} DOCUMENT_INVALID, … */
type RecordReader<K extends HistoryKind> = (bytes: Buffer, name: string) => RecordDocuments[K];

/**
 * Reader of each kind of record, from kind to schema to document. Every record of the history is read through this
 * table.
 */
export const recordReaders: { readonly [K in HistoryKind]: RecordReader<K> } = {
  catalog: parseCatalog,
  dataset: (bytes, name) => readJsonl(bytes, name),
  split: (bytes, name) => parseDocument(SplitSchema, bytes, name),
  audit: (bytes, name) => parseDocument(AuditRecordSchema, bytes, name),
  model: (bytes, name) => parseDocument(ModelRecordSchema, bytes, name),
  run: readRunDocument,
  evaluation: (bytes, name) => readEvaluation(parseJson(bytes, name), name),
  plan: (bytes, name) => parseDocument(PlanSchema, bytes, name),
  calibration: (bytes, name) => readCalibrationDocument(parseJson(bytes, name), name),
  policy: (bytes, name) => requireValidPolicy(parseDocument(RoutingPolicySchema, bytes, name), name),
  manifest: (bytes, name) => {
    const { payload, statement } = openStatement(bytes, name);
    return {
      bundleId: bundleIdOf(payload),
      predicate: checkSchema(ManifestSchema, statement.predicate, name),
    };
  },
  approval: (bytes, name) => {
    const { statement } = openStatement(bytes, name);
    const predicate = checkSchema(ApprovalSchema, statement.predicate, name);
    return { bundleId: statement.subject[0]?.digest["sha256"], predicate };
  },
  revocation: (bytes, name) => checkSchema(RevocationListSchema, openStatement(bytes, name).statement.predicate, name),
  trust: (bytes, name) => {
    const isUpdate = matchesSchema(EnvelopeSchema, parseJson(bytes, name));
    return parseTrustPolicy(isUpdate ? readEnvelope(bytes, name, trustPayloadType).payload : bytes).policy;
  },
  export: (bytes, name) => parseDocument(ExportSchema, bytes, name),
  import: (bytes, name) => parseDocument(ImportSchema, bytes, name),
  report: (bytes) => bytes,
  checkpoint: readCheckpoint,
  collection: (bytes, name) => parseDocument(CollectionSchema, bytes, name),
  quarantine: (bytes, name) => parseDocument(QuarantineSchema, bytes, name),
  click: (bytes, name) => parseDocument(ClickSchema, bytes, name),
  draw: (bytes, name) => parseDocument(DrawPlanSchema, bytes, name),
  note: (bytes, name) => parseDocument(RunNoteSchema, bytes, name),
};

/** Why the reader of a kind refuses these bytes; null if it accepts them. */
export function damageOf(kind: HistoryKind, bytes: Buffer): string | null {
  try {
    recordReaders[kind](bytes, `${kind} ${sha256Hex(bytes).slice(0, 12)}`);
    return null;
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** Reads a run scored by Sluice, or one imported from another system's predictions. */
function readRunDocument(bytes: Buffer, name: string): Run | ImportedRun {
  const document = parseJson(bytes, name);
  if (matchesSchema(ImportedRunSchema, document)) return document;
  return checkSchema(RunSchema, document, name);
}
