/** Follows what plans of next steps ask for, in catalogs whose further requests can be drawn. */
import { certifyClaims, signedTarget, type TestedRequests } from "../../../calibrate/certify-claims.js";
import type { FitOptions } from "../../../src/documents/calibration.js";
import { procedureOf } from "../../../calibrate/procedure.js";
import { planNextStep } from "../../../calibrate/plan/next-step.js";
import { type SeededRandom, seededRandom } from "../../../src/base/numbers/seeded-random.js";
import type { CliIo } from "../guarantee/worlds.js";

/** A catalog of a world: workflows, and labelled requests of each. */
export interface CatalogSize {
  readonly workflows: number;
  readonly each: number;
}

export interface FollowedSteps {
  /** Plans that ask for a number of requests. */
  readonly asked: number;
  /** Sum of the probabilities that these plans state. */
  readonly stated: number;
  /** Those that certify the next target with so many more. */
  readonly continued: number;
  /** Those in which as many other requests certify it. */
  readonly fresh: number;
  /** Plans that say that more requests alone are not enough. */
  readonly notEnough: number;
  /** Those whose next target is certified with eleven times the requests all the same. */
  readonly enoughAfterAll: number;
}

/** Multiples of the labelled requests that a catalog has: the present ones, ten times as many, and others. */
const multiples = 23;

/** A piece of each workflow, and of the groups out of scope, in multiples of the labelled requests. */
function piece({ rows, requests }: TestedRequests, from: number, to: number): TestedRequests {
  const at = (size: number, multiple: number): number => Math.round((multiple * size) / multiples);
  const groups = new Map([...requests.outOfScope.keys()].map((name, i) => [name, i]));
  const chosen = (name: string): boolean => {
    const i = groups.get(name) ?? 0;
    return i >= at(groups.size, from) && i < at(groups.size, to);
  };
  const seen = new Map<string, number>();
  const taken = rows.filter(({ cluster, outOfScope }) => {
    if (outOfScope) return chosen(cluster);
    const i = seen.get(cluster) ?? 0;
    seen.set(cluster, i + 1);
    const size = requests.inScope.get(cluster) ?? 0;
    return i >= at(size, from) && i < at(size, to);
  });
  return {
    rows: taken,
    requests: {
      inScope: new Map([...requests.inScope].map(([name, size]) => [name, at(size, to) - at(size, from)])),
      outOfScope: new Map([...requests.outOfScope].filter(([name]) => chosen(name))),
    },
  };
}

const fitOf = (planned: number, attempt: number) =>
  procedureOf({ claim: "fixed-catalog", target_risk: planned, delta: 0.05, attempt, left_out: true });

/** The strictest target that a fit certifies; null: none. */
function overallTarget(fit: FitOptions, tested: TestedRequests): number | null {
  const claim = certifyClaims(fit, tested).find(({ scope }) => scope === "overall");
  return claim === undefined || claim.tested.certified.length === 0 ? null : signedTarget(claim);
}

/** Whether the calibration that follows the plan certifies its target. */
function certifies(planned: number, target: number, tested: TestedRequests): boolean {
  const signed = overallTarget(fitOf(planned, 2), tested);
  return signed !== null && signed <= target;
}

/** Plans the next step of so many catalogs, and does what the plan says. */
export async function followNextSteps(
  world: CliIo,
  { workflows, each }: CatalogSize,
  options: { readonly planned: number; readonly draws: number; readonly seed: number; readonly samples: number },
): Promise<FollowedSteps> {
  const { planned } = options;
  const random: SeededRandom = seededRandom(options.seed);
  let [asked, stated, continued, fresh, notEnough, enoughAfterAll] = [0, 0, 0, 0, 0, 0];
  for (let draw = 1; draw <= options.draws; draw += 1) {
    const all = world.draw(random, workflows, multiples * each);
    const present = piece(all, 0, 1);
    const fit = fitOf(planned, 1);
    const step = await planNextStep({
      fit,
      tested: present,
      samples: options.samples,
      seed: draw,
      afterSample: () => Promise.resolve(),
    });
    if (step === null) continue;
    if (step.requests === null) {
      notEnough += 1;
      if (certifies(planned, step.target_risk, piece(all, 0, 11))) enoughAfterAll += 1;
      continue;
    }
    const factor = 1 + step.requests / present.rows.length;
    asked += 1;
    stated += step.probability;
    if (certifies(planned, step.target_risk, piece(all, 0, factor))) continued += 1;
    if (certifies(planned, step.target_risk, piece(all, 11, 11 + factor))) fresh += 1;
  }
  return { asked, stated, continued, fresh, notEnough, enoughAfterAll };
}
