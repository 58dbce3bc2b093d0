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

/** Content of a job: digests and numbers, never request texts. */
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

/** Redis key of a finished shard until the coordinator has fetched it. */
export const resultKey = (prefix: string, jobId: string): string => `${prefix}:result:${jobId}`;

/** Time after which results and failures expire in Redis if they are not fetched: one day, in seconds. */
export const resultSeconds = 86_400;

/** Id of a job, equal for the same shard of the same run, so that it is added only once. */
export const shardJobId = (planned: PlannedShard): string =>
  `${shardedRunId(planned)}-${planned.shard}-of-${planned.shards}`;
