import { type Static, Type } from "../../../src/base/typebox.js";
import {
  type ScoringInputs,
  scoringInputsOf,
  shardedRunId,
  type ShardHeader,
  type ShardPart,
} from "../../../eval/shard-file.js";
import { checkSchema } from "../../../src/documents/check-schema.js";
import { closed, CountSchema } from "../../../src/documents/primitives.js";
import { scoringInputFields } from "../../../src/documents/scored-record.js";

/** What a job carries: digests and numbers, never a text. */
const ShardJobSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    ...scoringInputFields,
    scoring_version: Type.String(),
    shard: Type.Integer({ minimum: 1 }),
    shards: Type.Integer({ minimum: 1 }),
    timeout_seconds: CountSchema,
  },
  closed,
);
export type ShardJob = Static<typeof ShardJobSchema>;

type PlannedShard = ScoringInputs & ShardPart & Pick<ShardHeader, "scoring_version">;

export const shardJob = (planned: PlannedShard, timeoutSeconds: number): ShardJob => ({
  schema_version: 1,
  ...scoringInputsOf(planned),
  scoring_version: planned.scoring_version,
  shard: planned.shard,
  shards: planned.shards,
  timeout_seconds: timeoutSeconds,
});

/** @throws {SluiceError} SCHEMA_INVALID */
export const readShardJob = (data: unknown): ShardJob => checkSchema(ShardJobSchema, data, "job of the queue");

/** Key of the file of a finished shard, until the coordinator has it. */
export const resultKey = (prefix: string, jobId: string): string => `${prefix}:result:${jobId}`;

/** Results and failures that no coordinator fetches leave Redis after a day. */
export const resultSeconds = 86_400;

/** The same shard of the same run is one job, whoever adds it and however often. */
export const shardJobId = (planned: PlannedShard): string =>
  `${shardedRunId(planned)}-${planned.shard}-of-${planned.shards}`;
