import { SluiceError } from "../../../src/errors/error.js";
import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import { Adam } from "../linalg/adam.js";
import type { LabelledPairs } from "./collect-pairs.js";
import { PairNetwork, type Standardisation } from "./pair-network.js";

export interface NetworkFitSettings {
  /** Networks from different starting weights; the mean of their logits is what is fitted. */
  readonly networks: number;
  readonly hidden: number;
  readonly epochs: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly weightDecay: number;
}

export const defaultNetworkFit: NetworkFitSettings = {
  networks: 1,
  hidden: 24,
  epochs: 20,
  batch: 64,
  learningRate: 3e-3,
  weightDecay: 1e-2,
};

export interface FittedNetwork {
  readonly network: PairNetwork;
  readonly standardisation: Standardisation;
  /** Cross-entropy of the last passes, mean of the networks, nats. */
  readonly loss: number;
}

const classes = 3;

/**
 * Fits the pair network by mini-batch Adam with a falling rate. Deterministic for equal pairs, settings and generator.
 * @param onPass  called after each pass over the pairs, of every network, with its mean cross-entropy
 * @throws {SluiceError} FIT_FAILED when a class of the three has no pair, or the loss stops being finite
 */
export function fitPairNetwork(
  pairs: LabelledPairs,
  settings: NetworkFitSettings,
  random: SeededRandom,
  onPass: (pass: number, loss: number) => void = () => undefined,
): FittedNetwork {
  const count = pairs.labels.length;
  const matches = pairs.labels.filter((label) => label !== 0).length;
  if (matches === 0 || matches === count) {
    throw new SluiceError("FIT_FAILED", `verifier: ${matches} of ${count} pairs match; both kinds are needed`, {
      hint: "Add labelled requests of the catalog's workflows to the FIT fold.",
    });
  }
  const standardisation = standardise(pairs);
  const rows = standardisedRows(pairs, standardisation);
  const networks: PairNetwork[] = [];
  let losses = 0;
  for (let place = 0; place < settings.networks; place += 1) {
    const shape = { features: pairs.features, hidden: settings.hidden, classes };
    const network = new PairNetwork(shape, () => random.uniform());
    const trainer = new Trainer(network, rows, pairs.labels, settings);
    losses += trainer.fit(random, (epoch, loss) => onPass(place * settings.epochs + epoch, loss));
    networks.push(network);
  }
  return { network: PairNetwork.mean(networks), standardisation, loss: losses / settings.networks };
}

function standardise({ evidence, features }: LabelledPairs): Standardisation {
  const count = evidence.length / features;
  const mean = new Float64Array(features);
  const deviation = new Float64Array(features);
  for (let i = 0; i < evidence.length; i += 1)
    mean[i % features] = (mean[i % features] ?? 0) + (evidence[i] ?? 0) / count;
  for (let i = 0; i < evidence.length; i += 1) {
    const f = i % features;
    deviation[f] = (deviation[f] ?? 0) + ((evidence[i] ?? 0) - (mean[f] ?? 0)) ** 2 / count;
  }
  for (let f = 0; f < features; f += 1) {
    const root = Math.sqrt(deviation[f] ?? 0);
    deviation[f] = root > 1e-9 ? root : 1;
  }
  return { mean, deviation };
}

function standardisedRows({ evidence, features, labels }: LabelledPairs, s: Standardisation): readonly Float64Array[] {
  return Array.from({ length: labels.length }, (_, row) =>
    Float64Array.from({ length: features }, (_unused, f) => {
      const value = evidence[row * features + f] ?? 0;
      return (value - (s.mean[f] ?? 0)) / (s.deviation[f] ?? 1);
    }),
  );
}

/** Runs one pass over the pairs at a time, with optimiser state across passes. */
class Trainer {
  private readonly network: PairNetwork;
  private readonly rows: readonly Float64Array[];
  private readonly labels: Uint8Array;
  private readonly settings: NetworkFitSettings;
  private readonly adam: Adam;
  private readonly gradient: Float64Array;
  private readonly hidden: Float64Array;
  private readonly logits = new Float64Array(classes);

  constructor(network: PairNetwork, rows: readonly Float64Array[], labels: Uint8Array, settings: NetworkFitSettings) {
    this.network = network;
    this.rows = rows;
    this.labels = labels;
    this.settings = settings;
    this.adam = new Adam(network.parameters.length);
    this.gradient = new Float64Array(network.parameters.length);
    this.hidden = new Float64Array(network.shape.hidden);
  }

  /** @returns mean cross-entropy of the last pass. @throws {SluiceError} FIT_FAILED */
  fit(random: SeededRandom, onEpoch: (epoch: number, loss: number) => void): number {
    const { epochs, learningRate } = this.settings;
    let loss = Number.NaN;
    let order: readonly number[] = Array.from(this.rows.keys());
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      order = random.shuffle(order);
      loss = this.epoch(order, learningRate * (1 - epoch / epochs));
      if (!Number.isFinite(loss))
        throw new SluiceError("FIT_FAILED", `verifier: the loss is ${loss} after epoch ${epoch + 1}`);
      onEpoch(epoch + 1, loss);
    }
    return loss;
  }

  /** @returns mean cross-entropy of the pass */
  private epoch(order: readonly number[], rate: number): number {
    let loss = 0;
    for (let from = 0; from < order.length; from += this.settings.batch) {
      const batch = order.slice(from, from + this.settings.batch);
      loss += this.batchGradient(batch);
      for (let i = 0; i < this.gradient.length; i += 1) {
        const decay = this.network.isWeight(i) ? this.settings.weightDecay * (this.network.parameters[i] ?? 0) : 0;
        this.gradient[i] = (this.gradient[i] ?? 0) / batch.length + decay;
      }
      this.adam.step(this.network.parameters, this.gradient, rate);
    }
    return loss / order.length;
  }

  private batchGradient(batch: readonly number[]): number {
    this.gradient.fill(0);
    let loss = 0;
    for (const pair of batch) {
      const row = this.rows[pair];
      this.network.forward(row, this.hidden, this.logits);
      loss += softmaxLoss(this.logits, this.labels[pair] ?? 0);
      this.network.backward(row, this.hidden, this.logits, this.gradient);
    }
    return loss;
  }
}

/** Cross-entropy of one row; `logits` becomes its gradient, softmax minus one-hot. */
function softmaxLoss(logits: Float64Array, label: number): number {
  const top = Math.max(...logits);
  let total = 0;
  for (let c = 0; c < logits.length; c += 1) {
    logits[c] = Math.exp((logits[c] ?? 0) - top);
    total += logits[c] ?? 0;
  }
  for (let c = 0; c < logits.length; c += 1) logits[c] = (logits[c] ?? 0) / total;
  const loss = -Math.log(logits[label] ?? 0);
  logits[label] = (logits[label] ?? 0) - 1;
  return loss;
}
