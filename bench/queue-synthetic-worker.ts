/**
 * Worker of `queue-throughput.js --models synthetic`: answers with simulated records of realistic size, so that queue
 * and coordinator are measured without models. Arguments: URL, key file, records of the run, candidates of a record.
 */
import { type ShardPart, shardBytes, sizeOfShard } from "../eval/shard-file.js";
import { defaultPolicy } from "../src/documents/policy.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { connect, connectionOf, queueName, queuePackages } from "../stages/score/queue/redis.js";
import { readShardKey } from "../stages/score/shard-key.js";
import { openQueueAddress } from "../store/project/queue-settings.js";
import { readShardJob, resultKey, shardJobId } from "../stages/score/queue/run-inputs.js";

const [url = "", keyFile = "", records = "0", candidates = "8"] = process.argv.slice(2);
const names = Array.from({ length: 12 }, (_, i) => `feature_${i}`);
const numbers = seededRandom(1);
const random = (): number => numbers.uniform();

function simulated(row: number): ScoredRecord {
  const gold = `domain_${row % 10}.workflow_${row % 112}` as WorkflowId;
  return {
    id: `row-${row}`,
    workflow_id: gold,
    cluster: `workflow:${gold}`,
    fold: "eval",
    population: "seen",
    slices: { domain: `domain_${row % 10}`, voice: "terse", inputs: "complete" },
    expected_missing: [],
    candidates: Array.from({ length: Number(candidates) }, (_, i) => ({
      workflow_id: i === 0 ? gold : (`domain_${i}.workflow_${(row + i) % 112}` as WorkflowId),
      risk_tier: "low",
      eligible: true,
      retrieval_score: random(),
      logits: { mismatch: random(), needs_input: random(), executable: random() },
      missing_inputs: [],
      input_timeout: false,
      ...(i === 0 ? { features: { names, values: names.map(random) } } : {}),
    })),
    early_reason: null,
    error_code: null,
    gold_rank: 1,
  };
}

function rowsOf(part: ShardPart): readonly ScoredRecord[] {
  const size = sizeOfShard(Number(records), part);
  return Array.from({ length: size }, (_, i) => simulated(part.shard - 1 + i * part.shards));
}

const packages = await queuePackages();
const address = await openQueueAddress({ url });
const key = await readShardKey({ queueKey: keyFile });
const redis = await connect(packages, address);
const worker = new packages.Worker(
  queueName,
  async (job) => {
    const { schema_version: _, timeout_seconds: __, ...planned } = readShardJob(job.data);
    const header = {
      ...planned,
      model_version: "synthetic",
      top_k: defaultPolicy.top_k,
      dataset_requests: Number(records),
    };
    await redis.set(resultKey(address.prefix, shardJobId(planned)), shardBytes(header, rowsOf(planned), key));
    process.stdout.write(`${planned.shard}\n`);
    return "";
  },
  { connection: { ...connectionOf(address), maxRetriesPerRequest: null }, prefix: address.prefix },
);
worker.on("error", () => undefined);
process.once("SIGINT", () => void worker.close().then(() => redis.disconnect()));
