import { join } from "node:path";
import { leftOutParts } from "../../datasets/left-out.js";
import { isTestedIn, scoresLeftOut } from "../../datasets/left-out-splits.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { openResumeLog } from "../../eval/resume-log.js";
import { scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalBytes, canonicalJson } from "../../src/digest/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import { toCamel } from "../../src/domain/camel.js";
import { defaultPolicy, type RoutingPolicyWire } from "../../src/domain/policy.js";
import type { RunWire, ScoredRecord } from "../../src/domain/scored-record.js";
import { familyOfRows, removedWorkflows } from "../../src/domain/split.js";
import { SluiceError } from "../../src/errors/error.js";
import { serializerIdentity } from "../../src/serializer/identity.js";
import type { Reference } from "../records/reference.js";
import { modelOf } from "../records/model-of.js";
import { earlierScores } from "./earlier-scores.js";
import { readCatalog, readDataset, readSplit } from "../records/read-records.js";
import { keepRecord, type Stage } from "../records/stage.js";
import { scoreLeftOut, scoreRows, type ScoreRowsOptions } from "./score-rows.js";

export interface ScoreRunOptions {
  readonly splitId?: string;
  /** A model of the history or a model directory; by default the latest of its role. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  /** By default the default policy. */
  readonly policy?: RoutingPolicyWire | undefined;
  /** Inference threads. */
  readonly workers: number;
  /** Share of requests whose scoring may fail. */
  readonly maxErrorShare: number;
}

export interface ScoredRun {
  readonly runId: Sha256;
  readonly run: RunWire;
  readonly records: readonly ScoredRecord[];
  /** The earlier run whose scores these are; null when the requests were scored. */
  readonly scoresOf: string | null;
  readonly milliseconds: number;
}

/**
 * Scores every request of the split's dataset once, with the serving code, and saves the run. Requests that an
 * earlier run scored with the same models, catalog and policy under another split are not scored again. An
 * interrupted run resumes where it stopped; the same inputs give the same bytes.
 * @throws {SluiceError} INTERRUPTED, EXAMPLE_ERRORS, and those of loading
 */
export async function scoreRun(stage: Stage, options: ScoreRunOptions): Promise<ScoredRun> {
  const { history, context } = stage;
  const started = context.clock();
  const split = readSplit(history, options.splitId);
  const catalog = readCatalog(history, split.document.catalog_sha256);
  const dataset = readDataset(history, split.document.dataset_sha256);
  const retriever = await modelOf(stage, "retriever", options.retriever);
  const verifier = await modelOf(stage, "verifier", options.verifier);
  const { policy: policyWire = defaultPolicy } = options;
  const policyRecord = keepRecord(stage, "policy", canonicalBytes(policyWire));

  const inputs = {
    catalog_sha256: catalog.sha256,
    dataset_sha256: dataset.sha256,
    split_sha256: split.sha256,
    policy_sha256: policyRecord.sha256,
    retriever_sha256: retriever.sha256,
    verifier_sha256: verifier.sha256,
    serializer_sha256: serializerIdentity().goldenSha256,
  };
  const policy = toCamel(policyWire);
  const resume = openResumeLog(join(context.workspace.directory, "unfinished"), sha256Hex(canonicalJson(inputs)));
  const earlier = earlierScores(history, inputs, { split: split.document, rows: dataset.document });
  const score = (asked: ScoreRowsOptions) =>
    scoresLeftOut(split.document)
      ? scoreLeftOut(asked, leftOutParts(dataset.document, catalog.document, { isTested: isTestedIn(split.document) }))
      : scoreRows(asked);
  const { records, modelVersion } =
    earlier ??
    (await score({
      catalog: catalog.document,
      policy,
      context,
      progress: context.progress,
      models: { retrieverFiles: retriever.files, verifierFiles: verifier.files },
      workers: options.workers,
      rows: dataset.document,
      foldOf: foldOf(split.document),
      familyOf: familyOfRows(split.document),
      removedWorkflows: removedWorkflows(split.document),
      resume,
    }));

  const errors = records.filter((record) => record.errorCode !== null).length;
  refuseErrors(errors, records.length, options.maxErrorShare);
  const table = scoredTableBytes(records);
  const run: RunWire = {
    schema_version: 1,
    kind: "scored",
    ...inputs,
    model_version: modelVersion,
    records_sha256: sha256Hex(table),
    requests: records.length,
    example_errors: errors,
    top_k: policy.topK,
  };
  const { sha256 } = keepRecord(stage, "run", canonicalBytes(run), [table]);
  resume.remove();
  return { runId: sha256, run, records, scoresOf: earlier?.runId ?? null, milliseconds: context.clock() - started };
}

function refuseErrors(errors: number, requests: number, maxShare: number): void {
  if (errors <= requests * maxShare) return;
  throw new SluiceError("EXAMPLE_ERRORS", `${errors} of ${requests} requests failed, at most ${maxShare} may`, {
    hint: "Scored requests are saved. Run the command again, or allow more failures: sluice eval run --max-errors SHARE",
  });
}
