/** The worlds that certificates are tried in, and, stated before any of them is run, which claim speaks about which. */
import type { TestedRequests } from "../../../calibrate/certify-claims.js";
import { type RiskTier, riskTiers } from "../../../src/documents/choices.js";
import { type SeededRandom, seededRandom } from "../../../src/base/numbers/seeded-random.js";
import {
  type Component,
  drawRequest,
  frailty,
  type Rates,
  ratesOf,
  type Scores,
  scoresOf,
  type WorkflowModel,
} from "./workflow-model.js";

/** What is claimed: see docs/concepts/calibration.md. */
export const claimed = ["new-workflows", "new-workflows and a tier", "fixed-catalog"] as const;
export type Claimed = (typeof claimed)[number];

/** What thresholds do. */
export interface Truth {
  /** Routed and wrongly routed shares of all requests. */
  readonly routes: (threshold: number, tiers: readonly RiskTier[]) => Rates;
}

export interface CliIo {
  readonly name: string;
  readonly covers: Readonly<Record<Claimed, boolean>>;
  /**
   * Requests of so many new workflows with what the same workflows do in service.
   * @param each  requests of each workflow. Default: as many as the world has
   */
  readonly draw: (random: SeededRandom, workflows: number, each?: number) => TestedRequests & { readonly same: Truth };
  /** New workflows in service. */
  readonly truth: Truth;
  /** Largest routed share of all requests that one threshold can have within a target. */
  readonly bestCoverage: (target: number) => number;
}

interface Shape {
  readonly name: string;
  readonly workflow: (random: SeededRandom, tier: RiskTier) => readonly Component[];
  readonly requests?: (random: SeededRandom) => number;
  readonly tierShares?: readonly number[];
  /** Share of the tested requests, and of those in service, that are out of scope. Default 0. */
  readonly outOfScope?: { readonly tested: number; readonly service: number };
  /** Whether the claims about new workflows speak about it. Default true. */
  readonly coversNew?: boolean;
}

const good = (score: number): number => 0.6 * (1 - score) ** 1.2;
const usual = scoresOf(3, 1.2, good);
const one = (scores: Scores, factor = 1, shift = 0): readonly Component[] => [{ share: 1, scores, shift, factor }];
const about30 = (random: SeededRandom): number => Math.round(30 * (0.5 + random.uniform()));

const beta = (random: SeededRandom, a: number, b: number): number => {
  const [x, y] = [a * frailty(random, a), b * frailty(random, b)];
  return x / (x + y);
};

const always = (chance: number) => () => chance;
/** A workflow that another one looks like: wrong whatever its score says. */
const twin = one(scoresOf(4, 1.1, always(0.9)));
const nearlyRight = one(scoresOf(4, 1.1, (score) => 0.05 * (1 - score)));
const halfGood = one(scoresOf(4, 1.1, (score) => 0.3 * (1 - score) ** 1.2));
const slightlyBetter = one(scoresOf(4, 1.1, (score) => 0.24 * (1 - score) ** 1.2));
const twins = (share: number) => (random: SeededRandom) => (random.uniform() < share ? twin : nearlyRight);
const [wrongScores, rightScores] = [scoresOf(2.2, 2, always(1)), scoresOf(4, 1.1, always(0))];
const flat = scoresOf(3, 1.2, always(0.11));
const foreign = scoresOf(2, 3, always(1));
const gammaFrailty = (random: SeededRandom) => one(usual, frailty(random, 1));

const groupSize = 4;
const shapes: readonly Shape[] = [
  {
    name: "beta-binomial",
    workflow: (random) => {
      const p = beta(random, 0.8, 2.4);
      return [
        { share: p, scores: wrongScores, shift: 0, factor: 1 },
        { share: 1 - p, scores: rightScores, shift: 0, factor: 1 },
      ];
    },
  },
  { name: "gamma frailty", workflow: gammaFrailty, requests: () => 30 },
  { name: "heavy tail", workflow: (random) => one(usual, Math.exp(1.5 * random.normal() - 1.125)) },
  {
    name: "unequal tiers",
    workflow: (random) => one(usual, frailty(random, 0.7)),
    tierShares: [0.6, 0.25, 0.1, 0.05],
  },
  {
    name: "few big workflows",
    workflow: (random) => one(usual, frailty(random, 0.7)),
    requests: (random) => (random.uniform() < 0.1 ? 300 : 12),
  },
  { name: "twins, 12 %", workflow: twins(0.12) },
  { name: "twins, 6 %", workflow: twins(0.06) },
  {
    name: "twins in one tier",
    workflow: (random, tier) => (tier === "critical" && random.uniform() < 0.12 ? twin : halfGood),
  },
  {
    name: "few twins in one tier",
    workflow: (random, tier) => (tier === "critical" && random.uniform() < 0.06 ? twin : halfGood),
  },
  {
    name: "more twins in one tier",
    workflow: (random, tier) => (tier === "critical" && random.uniform() < 0.06 ? twin : slightlyBetter),
  },
  {
    name: "scores rise with risk",
    workflow: (random) => {
      const factor = frailty(random, 1);
      return one(usual, factor, 0.8 * (factor - 1));
    },
    coversNew: false,
  },
  {
    name: "flat risk",
    workflow: (random) => one(flat, frailty(random, 0.5)),
  },
  { name: "out-of-scope groups", workflow: gammaFrailty, outOfScope: { tested: 0.22, service: 0.22 } },
  { name: "shifted mix", workflow: gammaFrailty, outOfScope: { tested: 0.1, service: 0.3 } },
];

function tierOf(random: SeededRandom, shares: readonly number[] = [0.25, 0.25, 0.25, 0.25]): RiskTier {
  let left = random.uniform();
  return riskTiers.find((_, i) => (left -= shares[i] ?? 0) < 0) ?? "critical";
}

/** Workflows and, for a share of the requests, groups out of scope. */
function drawModels(
  random: SeededRandom,
  shape: Shape,
  workflows: number,
  outOfScope: number,
  each?: number,
): readonly WorkflowModel[] {
  const inside = Array.from({ length: workflows }, (): WorkflowModel => {
    const tier = tierOf(random, shape.tierShares);
    const requests = each ?? (shape.requests ?? about30)(random);
    return { tier, outOfScope: false, requests, components: shape.workflow(random, tier) };
  });
  const requests = inside.reduce((sum, model) => sum + model.requests, 0);
  const groups = Math.round(((outOfScope / (1 - outOfScope)) * requests) / groupSize);
  const outside = Array.from({ length: groups }, (): WorkflowModel => {
    const tier = tierOf(random, shape.tierShares);
    return { tier, outOfScope: true, requests: groupSize, components: one(foreign, 1, random.normal()) };
  });
  return [...inside, ...outside];
}

function truthOf(models: readonly WorkflowModel[]): Truth {
  const all = models.reduce((sum, model) => sum + model.requests, 0);
  return {
    routes: (threshold, tiers) => {
      let [routed, wrong] = [0, 0];
      for (const model of models) {
        if (!tiers.includes(model.tier)) continue;
        const rates = ratesOf(model, threshold);
        routed += (model.requests / all) * rates.routed;
        wrong += (model.requests / all) * rates.wrong;
      }
      return { routed, wrong };
    },
  };
}

/** Keeps what a truth says of a threshold, in thousandths, and of some tiers. */
function remembered({ routes }: Truth): Truth {
  const known = new Map<string, Rates>();
  return {
    routes: (threshold, tiers) => {
      const key = `${threshold} ${tiers.join()}`;
      const found = known.get(key) ?? routes(threshold, tiers);
      known.set(key, found);
      return found;
    },
  };
}

/** Workflows that stand for all of a world. */
const populationSize = 3000;

function requestsOf(random: SeededRandom, models: readonly WorkflowModel[]): TestedRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  const rows = models.flatMap((model, index) => {
    const cluster = `${model.outOfScope ? "group" : "workflow"}:${index}`;
    (model.outOfScope ? outOfScope : inScope).set(cluster, model.requests);
    const family = model.outOfScope ? cluster : undefined;
    const shared = { tier: model.tier, outOfScope: model.outOfScope, cluster, family };
    return Array.from({ length: model.requests }, () => ({ ...shared, ...drawRequest(random, model) }));
  });
  return { rows, requests: { inScope, outOfScope } };
}

function worldOf(shape: Shape): CliIo {
  const { tested, service } = shape.outOfScope ?? { tested: 0, service: 0 };
  const sameMix = tested === service;
  const coversNew = sameMix && shape.coversNew !== false;
  let population: Truth | null = null;
  const truth = (): Truth => {
    population ??= remembered(truthOf(drawModels(seededRandom(7), shape, populationSize, service)));
    return population;
  };
  return {
    name: shape.name,
    covers: {
      "new-workflows": coversNew,
      "new-workflows and a tier": coversNew,
      "fixed-catalog": sameMix,
    },
    draw: (random, workflows, each) => {
      const models = drawModels(random, shape, workflows, tested, each);
      return { ...requestsOf(random, models), same: truthOf(models) };
    },
    truth: { routes: (threshold, tiers) => truth().routes(threshold, tiers) },
    bestCoverage: (target) => {
      const rates = Array.from({ length: 100 }, (_, i) => truth().routes(i / 100, riskTiers));
      return rates.reduce((best, { routed, wrong }) => (wrong <= target * routed ? Math.max(best, routed) : best), 0);
    },
  };
}

export const syntheticWorlds: readonly CliIo[] = shapes.map(worldOf);
