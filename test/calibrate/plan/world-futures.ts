/** Worlds of the guarantee, cut into what a plan may read and what comes after it. */
import type { TestedRequests } from "../../../calibrate/certify-claims.js";
import { planPopulation, requestsOf } from "../../../calibrate/plan/draw-sample.js";
import { riskTiers } from "../../../src/documents/choices.js";
import type { Folds } from "../../../src/documents/split.js";
import type { SeededRandom } from "../../../src/base/numbers/seeded-random.js";
import type { Truth, CliIo } from "../guarantee/worlds.js";
import type { Future } from "./follow-advice.js";

type Requests = Pick<TestedRequests, "rows" | "requests">;

function renamed({ rows, requests }: Requests, suffix: string): Requests {
  const rename = (sizes: ReadonlyMap<string, number>) =>
    new Map([...sizes].map(([name, size]) => [`${name}${suffix}`, size]));
  return {
    rows: rows.map((row) => ({ ...row, cluster: `${row.cluster}${suffix}` })),
    requests: { inScope: rename(requests.inScope), outOfScope: rename(requests.outOfScope) },
  };
}

function together(parts: readonly Requests[]): Requests {
  const sizes = (side: "inScope" | "outOfScope") => new Map(parts.flatMap(({ requests }) => [...requests[side]]));
  return {
    rows: parts.flatMap(({ rows }) => rows),
    requests: { inScope: sizes("inScope"), outOfScope: sizes("outOfScope") },
  };
}

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((a, b) => a + b, 0);

function foldOf({ requests: { inScope, outOfScope } }: Requests): Folds["tune"] {
  return {
    clusters: [...inScope.keys(), ...outOfScope.keys()],
    requests: sum(inScope) + sum(outOfScope),
    workflows: inScope.size,
    out_of_scope: sum(outOfScope),
  };
}

const empty: Folds["tune"] = { clusters: [], requests: 0, workflows: 0, out_of_scope: 0 };

/** What requests of new workflows are drawn from. */
interface Drawn {
  readonly draw: (random: SeededRandom, workflows: number) => Requests;
  readonly truth: Truth;
}

function isFalse(truth: Truth): Future["isFalse"] {
  return (threshold, target) => {
    const { routed, wrong } = truth.routes(threshold, riskTiers);
    // A millionth: truths are sums of many shares.
    return wrong > target * routed + 1e-6;
  };
}

/** New workflows: some are labelled, others certify, and further ones can be had. */
export function workflowFutures(world: Drawn, labelled: number, further: number): (random: SeededRandom) => Future {
  return (random) => {
    const tune = renamed(world.draw(random, labelled), " of tune");
    const certify = renamed(world.draw(random, further), " of certify");
    return {
      labelled: tune,
      folds: { fit: empty, tune: foldOf(tune), certify: foldOf(certify), eval: empty },
      certifyWith: ({ workflows }) => {
        const more = workflows === 0 ? [] : [renamed(world.draw(random, workflows), " more")];
        return together([tune, certify, ...more]);
      },
      isFalse: isFalse(world.truth),
    };
  };
}

/** The requests of one catalog in a random order, cut into pieces. */
function pieces(random: SeededRandom, all: Requests): (from: number, to: number) => Requests {
  const byCluster = new Map<string, number>([...all.requests.inScope, ...all.requests.outOfScope]);
  const routable = new Map<string, number>();
  for (const { cluster } of all.rows) routable.set(cluster, (routable.get(cluster) ?? 0) + 1);
  const unroutable = [...byCluster].flatMap(([cluster, size]) =>
    Array.from({ length: size - (routable.get(cluster) ?? 0) }, () => ({ row: null, cluster })),
  );
  const order = random.shuffle([...all.rows.map((row) => ({ row, cluster: row.cluster })), ...unroutable]);
  return (from, to) => {
    const part = order.slice(from, to);
    const sizes = (side: ReadonlyMap<string, number>): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const { cluster } of part) if (side.has(cluster)) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
      return counts;
    };
    return {
      rows: part.flatMap(({ row }) => row ?? []),
      requests: { inScope: sizes(all.requests.inScope), outOfScope: sizes(all.requests.outOfScope) },
    };
  };
}

/** One catalog: some of its requests are labelled, as many certify, and further ones can be had. */
export function catalogFutures(world: CliIo, workflows: number, labelled: number): (random: SeededRandom) => Future {
  return (random) => {
    const all = world.draw(random, workflows);
    const available = sum(all.requests.inScope) + sum(all.requests.outOfScope);
    const piece = pieces(random, all);
    const tune = piece(0, labelled);
    return {
      labelled: tune,
      folds: { fit: empty, tune: foldOf(tune), certify: foldOf(piece(labelled, 2 * labelled)), eval: empty },
      certifyWith: ({ requests }) => (2 * labelled + requests > available ? null : piece(0, 2 * labelled + requests)),
      isFalse: isFalse(all.same),
    };
  };
}

/** Labelled requests as all traffic there is: workflows and groups of futures are drawn from them, with replacement. */
export function resampledFutures(all: Requests, labelled: number, further: number): (random: SeededRandom) => Future {
  const population = planPopulation(all);
  const draw = (random: SeededRandom, workflows: number): Requests => {
    const groups = Math.round((workflows * population.outOfScope.length) / population.inScope.length);
    const rows: Requests["rows"][number][] = [];
    const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
    for (let i = 0; i < workflows + groups; i += 1) {
      const side = i < workflows ? population.inScope : population.outOfScope;
      const cluster = side[random.integer(0, side.length - 1)];
      if (cluster === undefined) continue;
      const name = `${cluster.name} ${i}`;
      (cluster.outOfScope ? outOfScope : inScope).set(name, cluster.requests);
      rows.push(...cluster.rows.map((row) => ({ ...row, cluster: name })));
    }
    return { rows, requests: { inScope, outOfScope } };
  };
  const requests = requestsOf([...population.inScope, ...population.outOfScope]);
  const routes: Truth["routes"] = (threshold) => {
    const routed = all.rows.filter(({ confidence }) => confidence >= threshold);
    return { routed: routed.length / requests, wrong: routed.filter(({ error }) => error).length / requests };
  };
  return workflowFutures({ draw, truth: { routes } }, labelled, further);
}
