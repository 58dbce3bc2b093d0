/**
 * Computations of the explorer on the evaluation page. The source of these functions is embedded in the page, so they
 * may only use this file and browser built-ins.
 */

export interface ExplorerColumns {
  readonly confidence: Float64Array;
  /**
   * Bit flags: 1 in scope, 2 right workflow ranked first, 4 routed by every rule except the threshold, 8 routed by the
   * calibration.
   */
  readonly flags: Uint8Array;
  /** 0 (low) to 3 (critical); 4: no candidate. */
  readonly tier: Uint8Array;
  /** Cluster index, equal for all requests of one workflow or group. */
  readonly cluster: Uint32Array;
}

/** The positions of the sliders. */
export interface ExplorerSetting {
  /** Confidence thresholds, low to critical; null: the tier abstains. */
  readonly thresholds: readonly (number | null)[];
  /** Share of out-of-scope requests in the traffic; null: the share in the data. */
  readonly outOfScopeShare: number | null;
}

export interface ExplorerAnswer {
  readonly accepted: number;
  readonly wrong: number;
  readonly coverage: number | null;
  readonly risk: number | null;
  /** 95% interval of the risk, using the design effect of the requests that this setting routes. */
  readonly lower: number;
  readonly upper: number;
  /** Number of requests whose answer differs from the calibrated one. */
  readonly changed: number;
}

/** Whether a setting routes a request. */
export function isAccepted(columns: ExplorerColumns, index: number, thresholds: readonly (number | null)[]): boolean {
  const threshold = thresholds[columns.tier[index] ?? 4];
  if (threshold === undefined || threshold === null) return false;
  return ((columns.flags[index] ?? 0) & 4) !== 0 && (columns.confidence[index] ?? 0) >= threshold;
}

/** Logarithm of the gamma function for x > 0 (Lanczos, 9 terms). */
export function logGammaOf(x: number): number {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const y = x - 1;
  let sum = 0.99999999999980993;
  for (let i = 0; i < terms.length; i += 1) sum += (terms[i] ?? 0) / (y + i + 1);
  const t = y + terms.length - 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularised incomplete beta function for 0 < x < 1 (continued fraction, modified Lentz). */
export function betaShareBelow(x: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShareBelow(1 - x, b, a);
  const tiny = 1e-300;
  const keep = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / keep(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 10000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keep(1 + even * d);
    c = keep(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keep(1 + odd * d);
    c = keep(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  const scale = a * Math.log(x) + b * Math.log1p(-x) - logGammaOf(a) - logGammaOf(b) + logGammaOf(a + b);
  return (Math.exp(scale) / a) * fraction;
}

export function betaPointAt(p: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (betaShareBelow(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Clopper-Pearson interval of x in n at 95%; x and n need not be integers. */
export function exactInterval(x: number, n: number): { readonly lower: number; readonly upper: number } {
  if (n <= 0) return { lower: 0, upper: 1 };
  return {
    lower: x <= 0 ? 0 : betaPointAt(0.025, x, n - x + 1),
    upper: x >= n ? 1 : betaPointAt(0.975, x + 1, n - x),
  };
}

/** Weights that give in-scope and out-of-scope requests their share of the traffic. */
export function weightsOf(
  columns: ExplorerColumns,
  share: number | null,
): { readonly inside: number; readonly outside: number } {
  if (share === null) return { inside: 1, outside: 1 };
  let inScope = 0;
  for (let i = 0; i < columns.flags.length; i += 1) inScope += (columns.flags[i] ?? 0) & 1;
  const total = columns.flags.length;
  const outside = total - inScope;
  return {
    inside: inScope === 0 ? 0 : ((1 - share) * total) / inScope,
    outside: outside === 0 ? 0 : (share * total) / outside,
  };
}

/**
 * Design effect, >= 1: the larger of the effects from the linearised ratio and from the intra-cluster correlation, as
 * in the report.
 * @param counts  requests and events per cluster
 */
export function designEffectAt(counts: readonly { readonly trials: number; readonly events: number }[]): number {
  const trials = counts.reduce((sum, each) => sum + each.trials, 0);
  const events = counts.reduce((sum, each) => sum + each.events, 0);
  const clusters = counts.length;
  if (clusters < 2 || counts.every((each) => each.trials <= 1)) return 1;
  const ratio = events / trials;
  const sumOf = (term: (each: { readonly trials: number; readonly events: number }) => number): number =>
    counts.reduce((sum, each) => sum + term(each), 0);
  const squares = sumOf((each) => (each.events - ratio * each.trials) ** 2);
  const variance = ((clusters / (clusters - 1)) * squares) / trials ** 2;
  const linear = events === 0 || events === trials ? 1 : variance / ((ratio * (1 - ratio)) / trials);
  const between = sumOf((each) => each.trials * (each.events / each.trials - ratio) ** 2) / (clusters - 1);
  const within = sumOf((each) => each.events * (1 - each.events / each.trials)) / Math.max(1, trials - clusters);
  const felt = sumOf((each) => each.trials ** 2) / trials;
  const denominator = between + ((trials - felt) / (clusters - 1) - 1) * within;
  const icc = denominator <= 0 ? 0 : (between - within) / denominator;
  return Math.max(1, linear, 1 + (felt - 1) * Math.max(0, icc));
}

export function countIn(
  clusters: Map<number, { trials: number; events: number }>,
  cluster: number,
  event: boolean,
): void {
  const count = clusters.get(cluster) ?? { trials: 0, events: 0 };
  clusters.set(cluster, count);
  count.trials += 1;
  if (event) count.events += 1;
}

/** Computes coverage, risk with its interval, and the number of changed answers for a setting. */
export function answerOf(columns: ExplorerColumns, setting: ExplorerSetting): ExplorerAnswer {
  const weights = weightsOf(columns, setting.outOfScopeShare);
  const sums = { all: 0, routed: 0, squares: 0, bad: 0, accepted: 0, wrong: 0, changed: 0 };
  const clusters = new Map<number, { trials: number; events: number }>();
  for (let i = 0; i < columns.flags.length; i += 1) {
    const flags = columns.flags[i] ?? 0;
    const weight = (flags & 1) !== 0 ? weights.inside : weights.outside;
    const accepted = isAccepted(columns, i, setting.thresholds);
    sums.all += weight;
    if (accepted !== ((flags & 8) !== 0)) sums.changed += 1;
    if (!accepted) continue;
    sums.accepted += 1;
    sums.routed += weight;
    sums.squares += weight * weight;
    countIn(clusters, columns.cluster[i] ?? 0, (flags & 2) === 0);
    if ((flags & 2) !== 0) continue;
    sums.wrong += 1;
    sums.bad += weight;
  }
  const risk = sums.routed === 0 ? null : sums.bad / sums.routed;
  const effect = designEffectAt([...clusters.values()]);
  const effective = sums.squares === 0 ? 0 : (sums.routed * sums.routed) / sums.squares / effect;
  return {
    accepted: sums.accepted,
    wrong: sums.wrong,
    changed: sums.changed,
    coverage: sums.all === 0 ? null : sums.routed / sums.all,
    risk,
    ...exactInterval((risk ?? 0) * effective, effective),
  };
}

/**
 * Indices of the requests whose answer changes.
 * @param kind  "" for all; otherwise the new answer (`declined` or `routed`) followed by the correctness of the top
 *   workflow (`right` or `wrong`)
 */
export function changedRequests(
  columns: ExplorerColumns,
  thresholds: readonly (number | null)[],
  kind: string,
): readonly number[] {
  const found: number[] = [];
  for (let i = 0; i < columns.flags.length; i += 1) {
    const flags = columns.flags[i] ?? 0;
    const wasRouted = (flags & 8) !== 0;
    if (isAccepted(columns, i, thresholds) === wasRouted) continue;
    const own = (wasRouted ? "declined " : "routed ") + ((flags & 2) !== 0 ? "right" : "wrong");
    if (kind === "" || kind === own) found.push(i);
  }
  return found;
}

/** Decodes base64 into an aligned buffer. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
