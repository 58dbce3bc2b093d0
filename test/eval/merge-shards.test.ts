import { createSecretKey } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { mergeShards, type NamedShard } from "../../eval/merge-shards.js";
import { readShard, rowsOfShard, type ScoringInputs, shardBytes, shardFileName } from "../../eval/shard-file.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { SluiceError } from "../../src/base/error.js";
import { assert, test, throws } from "../support/test.js";
import { aShardKey, forgedShard, sealed } from "../support/shard-key.js";
import { aCandidate, aRecord } from "../support/score-cases.js";

const inputs: ScoringInputs = {
  catalog_sha256: sha256Hex("catalog"),
  dataset_sha256: sha256Hex("dataset"),
  split_sha256: sha256Hex("split"),
  policy_sha256: sha256Hex("policy"),
  retriever_sha256: sha256Hex("retriever"),
  verifier_sha256: sha256Hex("verifier"),
  serializer_sha256: sha256Hex("serializer"),
};

const records = Array.from({ length: 11 }, (_, i) => {
  const features = { names: ["first", "second"], values: [Math.fround(i / 7), i] };
  const candidates = i === 4 ? [] : [{ ...aCandidate({ probability: (i + 1) / 13 }), features }];
  return aRecord({ id: `row-${i}`, candidates, error_code: i === 4 ? "MODEL_RUN_FAILED" : null });
});

function shardOf(shard: number, shards: number, other: Partial<ScoringInputs & { scoring_version: string }> = {}) {
  const header = {
    ...inputs,
    scoring_version: "sluice 1",
    model_version: "model 1",
    top_k: 10,
    dataset_requests: records.length,
    shard,
    shards,
    ...other,
  };
  return { name: shardFileName(header), bytes: shardBytes(header, rowsOfShard(records, header), aShardKey) };
}

const all = (shards: number): readonly NamedShard[] => Array.from({ length: shards }, (_, i) => shardOf(i + 1, shards));

const problems = (files: readonly NamedShard[]): SluiceError =>
  throws(() => mergeShards(files, aShardKey), "SHARDS_INCOMPLETE");

test("records come back in the order of the dataset, whatever the order of the files", () => {
  for (const shards of [1, 2, 3, 11]) {
    const merged = mergeShards(all(shards).toReversed(), aShardKey);
    assert.equal(readScoredTable(merged.table, "merged"), records);
    assert.equal(Buffer.compare(merged.table, scoredTableBytes(records)), 0);
    assert.equal([merged.inputs, merged.shards, merged.top_k], [inputs, shards, 10]);
    assert.equal([merged.requests, merged.scoring_errors], [11, 1]);
  }
});

test("a shard's name carries the digest of its inputs, so that shards of two runs have two names", () => {
  assert.match(shardOf(3, 16).name, /^[0-9a-f]{16}-03-of-16\.shard$/);
  const names = [
    shardOf(1, 2),
    shardOf(1, 2, { scoring_version: "sluice 2" }),
    shardOf(1, 2, { split_sha256: sha256Hex("") }),
  ];
  assert.is(new Set(names.map(({ name }) => name)).size, 3);
});

test("everything that is wrong is named at once", () => {
  const [first, second, third] = all(4) as [NamedShard, NamedShard, NamedShard];
  const foreign = shardOf(4, 4, { scoring_version: "sluice 2", split_sha256: sha256Hex("other") });
  const cut = { name: "cut.shard", bytes: third.bytes.subarray(0, third.bytes.length - 9) };
  const found = problems([first, { ...first, name: "copy.shard" }, second, foreign, cut]);
  assert.is(
    found.message,
    `4 shards of one run expected; missing: 3, 4; shard 1 given 2 times: ${first.name}, copy.shard; ` +
      `of another run: ${foreign.name} (other split, version of Sluice); cut.shard: not authenticated by the key queue.key`,
  );
  assert.equal(found.details, {
    missing: [3, 4],
    repeated: [{ shard: 1, files: [first.name, "copy.shard"] }],
    foreign: [{ file: foreign.name, differs: ["split", "version of Sluice"] }],
    unreadable: [{ file: "cut.shard", reason: "cut.shard: not authenticated by the key queue.key" }],
  });
  assert.is(problems([]).message, "no shard file was given");
});

test("another number of shards is another run", () => {
  const files = [...all(3), shardOf(1, 2)];
  assert.equal(problems(files).message.includes("(other number of shards)"), true);
});

test("a shard whose records or header were changed is refused", () => {
  const { bytes } = shardOf(1, 2);
  throws(() => readShard(Buffer.from("no gzip"), "it", aShardKey), "SIGNATURE_INVALID");
  for (let at = 20; at < bytes.length; at += 97) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => readShard(changed, "it", aShardKey), /it: /);
  }
});

test("a shard whose records and head were changed together is refused by name, and so is one of another key", () => {
  const [first, second] = all(2) as [NamedShard, NamedShard];
  const forged = { name: second.name, bytes: forgedShard(second.bytes) };
  const refused = `2 shards of one run expected; missing: 2; ${second.name}: not authenticated by the key queue.key`;
  assert.is(problems([first, forged]).message, refused);
  const other = { name: "other.key", secret: createSecretKey(Buffer.alloc(32)) };
  assert.is(problems([first, { ...second, bytes: sealed(second.bytes.subarray(32), other) }]).message, refused);
  assert.is(problems([first, { ...second, bytes: second.bytes.subarray(32) }]).message, refused);
});

test("a shard that unpacks to more than any shard is refused before it takes the memory", () => {
  const bomb = sealed(gzipSync(Buffer.alloc(2 ** 29 + 1), { level: 1 }));
  throws(() => readShard(bomb, "bomb.shard", aShardKey), "TOO_LARGE");
});

test("a head that counts other failures than its records is refused", () => {
  const { bytes } = shardOf(1, 1);
  const content = gunzipSync(bytes.subarray(32)).toString("latin1");
  assert.match(content, '"scoring_errors":1');
  const forged = sealed(gzipSync(Buffer.from(content.replace('"scoring_errors":1', '"scoring_errors":5'), "latin1")));
  assert.match(
    throws(() => readShard(forged, "forged.shard", aShardKey), "DOCUMENT_INVALID").message,
    "1 of them failed",
  );
});
