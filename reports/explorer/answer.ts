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
  /** Number of requests whose answer differs from the calibrated one. */
  readonly changed: number;
}

/** Whether a setting routes a request. */
export function isAccepted(columns: ExplorerColumns, index: number, thresholds: readonly (number | null)[]): boolean {
  const threshold = thresholds[columns.tier[index] ?? 4];
  if (threshold === undefined || threshold === null) return false;
  return ((columns.flags[index] ?? 0) & 4) !== 0 && (columns.confidence[index] ?? 0) >= threshold;
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

/** Computes coverage, risk, and the number of changed answers for a setting. */
export function answerOf(columns: ExplorerColumns, setting: ExplorerSetting): ExplorerAnswer {
  const weights = weightsOf(columns, setting.outOfScopeShare);
  const sums = { all: 0, routed: 0, bad: 0, accepted: 0, wrong: 0, changed: 0 };
  for (let i = 0; i < columns.flags.length; i += 1) {
    const flags = columns.flags[i] ?? 0;
    const weight = (flags & 1) !== 0 ? weights.inside : weights.outside;
    const accepted = isAccepted(columns, i, setting.thresholds);
    sums.all += weight;
    if (accepted !== ((flags & 8) !== 0)) sums.changed += 1;
    if (!accepted) continue;
    sums.accepted += 1;
    sums.routed += weight;
    if ((flags & 2) !== 0) continue;
    sums.wrong += 1;
    sums.bad += weight;
  }
  return {
    accepted: sums.accepted,
    wrong: sums.wrong,
    changed: sums.changed,
    coverage: sums.all === 0 ? null : sums.routed / sums.all,
    risk: sums.routed === 0 ? null : sums.bad / sums.routed,
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
