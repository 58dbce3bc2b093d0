import type { DataSize } from "../../src/documents/calibration-plan.js";
import type { Folds } from "../../src/documents/split.js";
import { type SampleSize, type PlanPopulation, requestsOf } from "./draw-sample.js";

/** Data for planning a claim: the scored requests, and the fold sizes of the split. */
export interface PlannedData {
  readonly population: PlanPopulation;
  readonly folds: Folds;
  /** Whether folds share workflows. */
  readonly byRequest: boolean;
  /** Whether the requests of TUNE are also tested. */
  readonly tuneCertifies: boolean;
}

/** Multiples of the present amount of data, separately for in-scope and out-of-scope requests. */
export interface DataFactor {
  readonly inScope: number;
  readonly outOfScope: number;
}

/** Sample sizes of one claim. */
export interface ClaimSizes {
  readonly present: DataSize;
  readonly sampleOf: (factor: DataFactor) => SampleSize;
}

const none = { inScope: 0, outOfScope: 0 } as const;
const groupsOf = ({ clusters, workflows }: Folds["tune"]): number => clusters.length - workflows;
const least0 = (value: number): number => Math.max(0, Math.round(value));

function testedFolds({ folds, tuneCertifies }: PlannedData): readonly Folds["tune"][] {
  return tuneCertifies ? [folds.tune, folds.certify] : [folds.certify];
}

const sumOf = <T>(items: readonly T[], valueOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);

/** Sizes for folds that share no workflow: new data is whole workflows and groups. */
function newWorkflowsByWorkflow(data: PlannedData): ClaimSizes {
  const tested = testedFolds(data);
  const present: DataSize = {
    workflows: sumOf(tested, ({ workflows }) => workflows),
    requests: sumOf(tested, ({ requests }) => requests),
    out_of_scope: sumOf(tested, (fold) => fold.out_of_scope),
  };
  const { inScope, outOfScope } = data.tuneCertifies ? data.population : { inScope: [], outOfScope: [] };
  const groups = sumOf(tested, groupsOf);
  return {
    present,
    sampleOf: (factor) => ({
      withLabelled: data.tuneCertifies,
      clusters: {
        inScope: least0(factor.inScope * present.workflows - inScope.length),
        outOfScope: least0(factor.outOfScope * groups - outOfScope.length),
      },
      perWorkflow: 1,
      requests: none,
    }),
  };
}

/**
 * Sizes for folds that share workflows, to be split again by workflow: TUNE has a part of the requests of every
 * workflow.
 */
function newWorkflowsByRequest({ population, folds }: PlannedData): ClaimSizes {
  const all = [folds.fit, folds.tune, folds.certify, folds.eval];
  const tested = [folds.tune, folds.certify];
  const requests = sumOf(tested, (fold) => fold.requests);
  const outOfScope = sumOf(tested, (fold) => fold.out_of_scope);
  const share =
    requests /
    Math.max(
      1,
      sumOf(all, (fold) => fold.requests),
    );
  const labelled = requestsOf(population.inScope);
  const present = { workflows: Math.round(share * population.inScope.length), requests, out_of_scope: outOfScope };
  const groupSize = requestsOf(population.outOfScope) / Math.max(1, population.outOfScope.length);
  return {
    present,
    sampleOf: (factor) => ({
      withLabelled: false,
      clusters: {
        inScope: least0(factor.inScope * present.workflows),
        outOfScope: groupSize === 0 ? 0 : least0((factor.outOfScope * outOfScope) / groupSize),
      },
      perWorkflow: (requests - outOfScope) / share / Math.max(1, labelled),
      requests: none,
    }),
  };
}

/** Sizes for a fixed catalog: new data is requests, never workflows. */
function thisCatalog(data: PlannedData): ClaimSizes {
  const { population, folds, byRequest, tuneCertifies } = data;
  const tested = testedFolds(data);
  const requests = sumOf(tested, (fold) => fold.requests);
  const outOfScope = sumOf(tested, (fold) => fold.out_of_scope);
  const workflows = byRequest
    ? Math.max(...tested.map((fold) => fold.workflows))
    : sumOf(tested, (fold) => fold.workflows);
  const labelled = tuneCertifies
    ? { inScope: requestsOf(population.inScope), outOfScope: requestsOf(population.outOfScope) }
    : none;
  const inScope = requests - outOfScope;
  return {
    present: { workflows, requests, out_of_scope: outOfScope },
    sampleOf: (factor) =>
      byRequest
        ? {
            withLabelled: tuneCertifies,
            clusters: none,
            perWorkflow: 1,
            requests: {
              inScope: least0(factor.inScope * inScope - labelled.inScope),
              outOfScope: least0(factor.outOfScope * outOfScope - labelled.outOfScope),
            },
          }
        : {
            withLabelled: tuneCertifies,
            clusters: { inScope: folds.certify.workflows, outOfScope: groupsOf(folds.certify) },
            perWorkflow: factor.inScope,
            requests: {
              inScope: least0((factor.inScope - 1) * labelled.inScope),
              outOfScope: least0((factor.outOfScope - 1) * outOfScope),
            },
          },
  };
}

/** Sample sizes of a claim, for the present data and its multiples. */
export function claimSizes(claim: "new-workflows" | "fixed-catalog", data: PlannedData): ClaimSizes {
  if (claim === "fixed-catalog") return thisCatalog(data);
  return data.byRequest ? newWorkflowsByRequest(data) : newWorkflowsByWorkflow(data);
}
