import { Type } from "typebox";
import { readScoredTable } from "../../eval/scored-table.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { bundleIdOf } from "../../src/artifacts/statements.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { AuditRecordSchema } from "../../src/domain/audit.js";
import { toCamel } from "../../src/domain/camel.js";
import { checkSchema, matchesSchema } from "../../src/domain/check-schema.js";
import type { HistoryKind } from "../../src/domain/history-kind.js";
import { ModelRecordSchema } from "../../src/domain/model-record.js";
import { type RoutingPolicyWire, RoutingPolicySchema } from "../../src/domain/policy.js";
import { closed, CountSchema, Sha256Schema, TimestampSchema } from "../../src/domain/primitives.js";
import { type ImportedRun, ImportedRunSchema, type Run, RunSchema } from "../../src/domain/scored-record.js";
import {
  ApprovalPredicateSchema,
  FileEntrySchema,
  ManifestPredicateSchema,
  RevocationsPredicateSchema,
} from "../../src/domain/signed.js";
import { SplitSchema } from "../../src/domain/split.js";
import { readCalibration } from "../../src/policy/read-calibration.js";
import { requireValidPolicy } from "../../src/policy/require-valid-policy.js";
import { parseDocument, parseJson } from "../../src/routing/parse-document.js";
import { readCheckpoint } from "../history/checkpoint.js";
import { openStatement } from "../release/open-statement.js";
