/** The worlds that certificates are tried in, and, stated before any of them is run, which claim speaks about which. */
import type { TestedRequests } from "../../../calibrate/certify-claims.js";
import { type RiskTier, riskTiers } from "../../../src/documents/choices.js";
import type { SeededRandom } from "../../../src/base/numbers/seeded-random.js";
import { betaQuantile } from "../../../src/base/numbers/distributions.js";
import {
  type Component,
  drawRequest,
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

/** Workflows of one kind, which have the same error chances. */
interface Kind {
  /** Share among the workflows of a world; the shares sum to 1. */
  readonly share: number;
  readonly components: readonly Component[];
  /** Requests of each workflow; by default 15 to 45. */
  readonly requests?: number;
}

interface Shape {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Kinds of the workflows of tier critical, if they differ. */
  readonly critical?: readonly Kind[];
  readonly tierShares?: readonly number[];
  /** Share of the tested requests, and of those in service, that are out of scope, and the size of its groups. */
  readonly outOfScope?: { readonly tested: number; readonly service: number; readonly groupSize?: number };
  /** Whether the claims about new workflows speak about it. Default true. */
  readonly coversNew?: boolean;
}

const good = (score: number): number => 0.6 * (1 - score) ** 1.2;
const usual = scoresOf(3, 1.2, good);
const one = (scores: Scores, factor = 1, shift = 0): readonly Component[] => [{ share: 1, scores, shift, factor }];
const meanRequests = 30;

/** Points and shares that stand for a density on an interval. */
function points(from: number, to: number, count: number, density: (x: number) => number) {
  const at = Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 0.5)) / count);
  const all = at.reduce((sum, x) => sum + density(x), 0);
  return at.map((x) => ({ x, share: density(x) / all }));
}

const normal = (count: number) => points(-5, 5, count, (x) => Math.exp((-x * x) / 2));

/** Risk factors of mean 1 with a gamma distribution; integrated over its power, which removes the pole at 0. */
const gamma = (shape: number) =>
  points(0, 40 ** shape, 400, (t) => Math.exp(-(t ** (1 / shape)))).map(({ x, share }) => ({
    factor: x ** (1 / shape) / shape,
    share,
  }));

const always = (chance: number) => () => chance;
/** A workflow that another one looks like: wrong whatever its score says. */
const twin = one(scoresOf(4, 1.1, always(0.9)));
const nearlyRight = one(scoresOf(4, 1.1, (score) => 0.05 * (1 - score)));
const halfGood = one(scoresOf(4, 1.1, (score) => 0.3 * (1 - score) ** 1.2));
const slightlyBetter = one(scoresOf(4, 1.1, (score) => 0.24 * (1 - score) ** 1.2));
const only = (components: readonly Component[]): readonly Kind[] => [{ share: 1, components }];
const twins = (share: number, others: readonly Component[] = nearlyRight): readonly Kind[] => [
  { share, components: twin },
  { share: 1 - share, components: others },
];
const [wrongScores, rightScores] = [scoresOf(2.2, 2, always(1)), scoresOf(4, 1.1, always(0))];
const flat = scoresOf(3, 1.2, always(0.11));
const foreign = scoresOf(2, 3, always(1));
const frail = (shape: number, scores = usual): readonly Kind[] =>
  gamma(shape).map(({ factor, share }) => ({ share, components: one(scores, factor) }));
const sized = (kinds: readonly Kind[], share: number, requests: number): readonly Kind[] =>
  kinds.map((kind) => ({ ...kind, share: share * kind.share, requests }));
const groups = (share: number, groupSize: number) => ({ tested: share, service: share, groupSize });

const shapes: readonly Shape[] = [
  {
    name: "beta-binomial",
    kinds: Array.from({ length: 400 }, (_, i) => betaQuantile((i + 0.5) / 400, 0.8, 2.4)).map((p) => ({
      share: 1 / 400,
      components: [
        { share: p, scores: wrongScores, shift: 0, factor: 1 },
        { share: 1 - p, scores: rightScores, shift: 0, factor: 1 },
      ],
    })),
  },
  { name: "gamma frailty", kinds: frail(1).map((kind) => ({ ...kind, requests: meanRequests })) },
  {
    name: "heavy tail",
    kinds: normal(400).map(({ x, share }) => ({ share, components: one(usual, Math.exp(1.5 * x - 1.125)) })),
  },
  { name: "unequal tiers", kinds: frail(0.7), tierShares: [0.6, 0.25, 0.1, 0.05] },
  { name: "few big workflows", kinds: [...sized(frail(0.7), 0.1, 300), ...sized(frail(0.7), 0.9, 12)] },
  {
    name: "big workflows riskier",
    kinds: gamma(0.7).map(({ factor, share }) => ({
      share,
      components: one(usual, factor),
      requests: Math.round(Math.min(150, 8 + 22 * factor)),
    })),
  },
  { name: "twins, 12%", kinds: twins(0.12) },
  { name: "twins, 6%", kinds: twins(0.06) },
  { name: "twins in one tier", kinds: only(halfGood), critical: twins(0.12, halfGood) },
  { name: "few twins in one tier", kinds: only(halfGood), critical: twins(0.06, halfGood) },
  { name: "more twins in one tier", kinds: only(slightlyBetter), critical: twins(0.06, slightlyBetter) },
  { name: "twins, single requests out of scope", kinds: twins(0.06), outOfScope: groups(0.22, 1) },
  {
    name: "scores rise with risk",
    kinds: gamma(1).map(({ factor, share }) => ({ share, components: one(usual, factor, 0.8 * (factor - 1)) })),
    coversNew: false,
  },
  { name: "flat risk", kinds: frail(0.5, flat) },
  { name: "out-of-scope groups", kinds: frail(1), outOfScope: groups(0.22, 4) },
  { name: "large groups out of scope", kinds: frail(1), outOfScope: groups(0.1, 10) },
  { name: "shifted mix", kinds: frail(1), outOfScope: { tested: 0.1, service: 0.3 } },
];

function picked(random: SeededRandom, kinds: readonly Kind[]): Kind {
  let left = random.uniform();
  return kinds.find(({ share }) => (left -= share) < 0) ?? (kinds.at(-1) as Kind);
}

/** Score shifts of out-of-scope groups. */
const shifts: readonly Kind[] = normal(100).map(({ x, share }) => ({ share, components: one(foreign, 1, x) }));

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
    const kind = picked(random, kindsOf(shape, tier));
    const requests = each ?? kind.requests ?? Math.round(meanRequests * (0.5 + random.uniform()));
    return { tier, outOfScope: false, requests, components: kind.components };
  });
  const requests = inside.reduce((sum, model) => sum + model.requests, 0);
  const groupSize = shape.outOfScope?.groupSize ?? 4;
  const count = Math.round(((outOfScope / (1 - outOfScope)) * requests) / groupSize);
  const outside = Array.from({ length: count }, (): WorkflowModel => {
    const tier = tierOf(random, shape.tierShares);
    return { tier, outOfScope: true, requests: groupSize, components: picked(random, shifts).components };
  });
  return [...inside, ...outside];
}

const kindsOf = ({ kinds, critical }: Shape, tier: RiskTier): readonly Kind[] =>
  tier === "critical" ? (critical ?? kinds) : kinds;

/** Every kind of workflow, weighted by its share of the requests. */
function everyWorkflow(shape: Shape): readonly WorkflowModel[] {
  return riskTiers.flatMap((tier, i) =>
    kindsOf(shape, tier).map(({ share, components, requests = meanRequests }) => ({
      tier,
      outOfScope: false,
      requests: (shape.tierShares?.[i] ?? 0.25) * share * requests,
      components,
    })),
  );
}

/** Every kind of out-of-scope group, so that they are a share of all requests. */
function everyGroup(shape: Shape, inside: readonly WorkflowModel[], outOfScope: number): readonly WorkflowModel[] {
  const requests = (outOfScope / (1 - outOfScope)) * inside.reduce((sum, model) => sum + model.requests, 0);
  return riskTiers.flatMap((tier, i) =>
    shifts.map(({ share, components }) => ({
      tier,
      outOfScope: true,
      requests: (shape.tierShares?.[i] ?? 0.25) * share * requests,
      components,
    })),
  );
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

function requestsOf(random: SeededRandom, models: readonly WorkflowModel[]): TestedRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  const rows = models.flatMap((model, index) => {
    const cluster = `${model.outOfScope ? "group" : "workflow"}:${index}`;
    (model.outOfScope ? outOfScope : inScope).set(cluster, model.requests);
    const family = model.outOfScope ? cluster : undefined;
    const shared = { tier: model.tier, outOfScope: model.outOfScope, cluster, family, nearCopy: family };
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
    if (population === null) {
      const inside = everyWorkflow(shape);
      population = remembered(truthOf([...inside, ...everyGroup(shape, inside, service)]));
    }
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
      const inside = models.filter((model) => !model.outOfScope);
      // New requests for the same workflows; those out of scope come in new groups.
      const same = truthOf([...inside, ...everyGroup(shape, inside, tested)]);
      return { ...requestsOf(random, models), same };
    },
    truth: { routes: (threshold, tiers) => truth().routes(threshold, tiers) },
    bestCoverage: (target) => {
      const rates = Array.from({ length: 100 }, (_, i) => truth().routes(i / 100, riskTiers));
      return rates.reduce((best, { routed, wrong }) => (wrong <= target * routed ? Math.max(best, routed) : best), 0);
    },
  };
}

export const syntheticWorlds: readonly CliIo[] = shapes.map(worldOf);
