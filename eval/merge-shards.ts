import { command, say, SluiceError, toSluiceError } from "../src/base/error.js";
import { interleavedTableBytes } from "./scored-table.js";
import {
  differingInputs,
  readShard,
  type ScoringInputs,
  scoringInputsOf,
  type ShardFile,
  type ShardHeader,
  shardedRunId,
  type ShardKey,
} from "./shard-file.js";

export interface NamedShard {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The records of all shards as one table, in dataset order. */
export interface MergedShards
  extends Pick<ShardHeader, "scoring_version" | "model_version" | "top_k" | "requests" | "scoring_errors"> {
  readonly inputs: ScoringInputs;
  readonly shards: number;
  /** The records in the format of `scoredTableBytes`. */
  readonly table: Uint8Array;
}

/** Why shards cannot be merged into one run; all lists are empty if they can. */
export interface ShardProblems {
  readonly missing: readonly number[];
  readonly repeated: readonly { readonly shard: number; readonly files: readonly string[] }[];
  readonly foreign: readonly { readonly file: string; readonly differs: readonly string[] }[];
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

interface ReadFile extends ShardFile {
  readonly name: string;
}

/**
 * Merges the shards of one run.
 * @param key  the key that the shards were written with
 * @throws {SluiceError} SHARDS_INCOMPLETE  the message names every missing or duplicate shard, and every file that
 *   cannot be read or does not belong to the most common run
 */
export function mergeShards(files: readonly NamedShard[], key: ShardKey): MergedShards {
  const { shards, unreadable } = readAll(files, key);
  const [first] = mostCommon(shards);
  const own = first === undefined ? [] : shards.filter((shard) => runOf(shard) === runOf(first));
  const total = first?.header.shards ?? 0;
  const byNumber = groupByNumber(own);
  const problems: ShardProblems = {
    missing: Array.from({ length: total }, (_, i) => i + 1).filter((shard) => !byNumber.has(shard)),
    repeated: [...byNumber].flatMap(([shard, all]) =>
      all.length > 1 ? [{ shard, files: all.map(({ name }) => name) }] : [],
    ),
    foreign:
      first === undefined
        ? []
        : shards.flatMap((shard) =>
            runOf(shard) === runOf(first) ? [] : [{ file: shard.name, differs: differences(shard, first) }],
          ),
    unreadable,
  };
  refuseProblems(problems, first);
  if (first === undefined) throw new SluiceError("SHARDS_INCOMPLETE", "no shard file was given");
  const { scoring_version, model_version, top_k, dataset_requests } = first.header;
  const inOrder = [...byNumber].sort(([a], [b]) => a - b).flatMap(([, all]) => all);
  return {
    inputs: scoringInputsOf(first.header),
    scoring_version,
    model_version,
    top_k,
    requests: dataset_requests,
    scoring_errors: inOrder.reduce((sum, { header }) => sum + header.scoring_errors, 0),
    shards: total,
    table: interleavedTableBytes(inOrder.map(({ table }) => table)),
  };
}

function readAll(files: readonly NamedShard[], key: ShardKey) {
  const shards: ReadFile[] = [];
  const unreadable: { file: string; reason: string }[] = [];
  for (const { name, bytes } of files) {
    try {
      shards.push({ name, ...readShard(bytes, name, key) });
    } catch (error) {
      unreadable.push({ file: name, reason: toSluiceError(error).message });
    }
  }
  return { shards, unreadable };
}

/** Key that is equal for all shards of one run. */
const runOf = ({ header }: ShardFile): string =>
  [shardedRunId(header), header.shards, header.model_version, header.dataset_requests].join("|");

function differences(one: ShardFile, other: ShardFile): readonly string[] {
  const [a, b] = [one.header, other.header];
  return [
    ...differingInputs(a, b),
    ...(a.scoring_version === b.scoring_version ? [] : ["version of Sluice"]),
    ...(a.shards === b.shards ? [] : ["number of shards"]),
    ...(a.model_version === b.model_version ? [] : ["model version"]),
  ];
}

/** The shards of the most common run; of the first one on a tie. */
function mostCommon(shards: readonly ReadFile[]): readonly ReadFile[] {
  const groups = new Map<string, ReadFile[]>();
  for (const shard of shards) groups.set(runOf(shard), [...(groups.get(runOf(shard)) ?? []), shard]);
  return [...groups.values()].reduce<readonly ReadFile[]>((best, one) => (one.length > best.length ? one : best), []);
}

function groupByNumber(shards: readonly ReadFile[]): ReadonlyMap<number, readonly ReadFile[]> {
  const groups = new Map<number, ReadFile[]>();
  for (const shard of shards) groups.set(shard.header.shard, [...(groups.get(shard.header.shard) ?? []), shard]);
  return groups;
}

function refuseProblems(problems: ShardProblems, first: ReadFile | undefined): void {
  const { missing, repeated, foreign, unreadable } = problems;
  const found = [
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`]),
    ...repeated.map(({ shard, files }) => `shard ${shard} given ${files.length} times: ${files.join(", ")}`),
    ...foreign.map(({ file, differs }) => `of another run: ${file} (other ${differs.join(", ")})`),
    ...unreadable.map(({ reason }) => reason),
  ];
  if (found.length === 0) return;
  const expected = first === undefined ? "no shard" : `${first.header.shards} shards of one run expected`;
  throw new SluiceError("SHARDS_INCOMPLETE", `${expected}; ${found.join("; ")}`, {
    hint: say`Score missing shards with: ${command`sluice eval run --shard N/OF`}. Leave out the other files named here. A key is given with --queue-key FILE.`,
    details: { ...problems },
  });
}
