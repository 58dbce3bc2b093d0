/** How often certified shortlists miss more than they say, in worlds whose true rates are known. */
import { defaultProcedure } from "../../../calibrate/procedure.js";
import { certifyShortlist, learnEntry, type ListableRow } from "../../../calibrate/shortlist.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { type SeededRandom, seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { delta } from "./rules.js";
import type { Truth, CliIo } from "./worlds.js";

/** Where the first candidate is wrong: how often the right one is not a candidate at all. */
const absent = 0.1;
/** Otherwise its relative odds are the cube of a uniform number; this is the share of misses at a given `share`. */
const below = (share: number): number => absent + (1 - absent) * Math.cbrt(share);

type WorldRow = ReturnType<CliIo["draw"]>["rows"][number];

function listableRow(random: SeededRandom, { confidence, error, cluster, outOfScope }: WorldRow): ListableRow {
  const odds = error ? (random.uniform() < absent ? null : random.uniform() ** 3) : 1;
  return { cluster, inScope: !outOfScope, confidence, odds: [1], right: odds, firstWrong: error };
}

/** Share of the requests whose list lacks the right workflow, where all are in scope. */
function missOf(truth: Truth, entry: number, share: number): number {
  const { routed, wrong } = truth.routes(entry, riskTiers);
  return 1 - routed + wrong * below(share);
}

export interface ShortlistOutcome {
  readonly world: string;
  readonly workflows: number;
  readonly claim: "new-workflows" | "fixed-catalog";
  readonly repetitions: number;
  /** Repetitions in which more is missed than is signed. */
  readonly violations: number;
  /** Repetitions in which something, and in which 5%, is signed. */
  readonly signed: number;
  readonly planned: number;
}

/** Certifies shortlists on draws of a world without requests out of scope, and compares them with the truth. */
export function runShortlists(
  world: CliIo,
  claim: ShortlistOutcome["claim"],
  { workflows, repetitions, seed }: { readonly workflows: number; readonly repetitions: number; readonly seed: number },
): ShortlistOutcome {
  const random = seededRandom(seed);
  const draw = () => {
    const { rows, same } = world.draw(random, workflows);
    return { rows: rows.map((row) => listableRow(random, row)), same };
  };
  const certification = {
    claim,
    delta,
    attempt: null,
    start_icc: defaultProcedure.start_icc,
    left_out: false,
  };
  let [violations, signed, planned] = [0, 0, 0];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    // Thousandths: the truth is kept by threshold.
    const entry = Math.floor(1000 * learnEntry(draw().rows, delta)) / 1000;
    const { rows, same } = draw();
    const { share, target_miss, planned_miss } = certifyShortlist([{ rows, entry }], entry, certification);
    if (share === null) continue;
    signed += 1;
    if (target_miss === planned_miss) planned += 1;
    const truth = claim === "fixed-catalog" ? same : world.truth;
    if (missOf(truth, entry, share) > target_miss + 1e-6) violations += 1;
  }
  return { world: world.name, workflows, claim, repetitions, violations, signed, planned };
}
