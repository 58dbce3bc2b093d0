import type { RiskTier } from "../src/documents/choices.js";
import type { ReliabilityBin } from "../src/documents/evaluation.js";

/**
 * NOT SHOWN: the evidence is too small to decide. abstains: nothing is routed. no claim: a tier that only the overall
 * claim covers.
 */
export type Verdict = "pass" | "fail" | "NOT SHOWN" | "abstains" | "no claim";

export interface Judgement {
  readonly verdict: Verdict;
  /** One or two sentences: the basis of the verdict and, if it is NOT SHOWN, what would be enough. */
  readonly reason: string;
}

/** A label and its formatted value. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Column {
  readonly label: string;
  readonly numeric: boolean;
}

/** Formatted cells, one per column. */
export interface ReportTable {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** One formatted rate. */
export interface RateLine {
  readonly label: string;
  readonly direction: "higher is better" | "lower is better";
  /** `16/2,617 = 0.61 % [0.34 %, 1.00 %]`, or `0/0: no data`. */
  readonly text: string;
  /** Number of workflows, and confidence level and method of the interval; empty without data. */
  readonly basis: string;
  readonly meaning: string;
}

/** A claim as signed, and its result on the evaluated fold. */
export interface ClaimView extends Judgement {
  readonly title: string;
  readonly sentence: string;
  /** The promise in the sentence, without its basis. */
  readonly promise: string;
  /** Conditions of the claim; null if it is not certified. */
  readonly conditions: ReportTable | null;
  readonly rates: readonly RateLine[];
  /** The steps of the certification test. */
  readonly certification: ReportTable;
}

export interface TierView extends Judgement {
  readonly tier: RiskTier;
  readonly facts: readonly Fact[];
  readonly rates: readonly RateLine[];
  /** `name (id)` of the tier's workflows; null without a catalog. */
  readonly workflows: readonly string[] | null;
}

/** One point of the curve with the interval of its risk; all in [0, 1]. */
export interface RiskCoverageRow {
  readonly coverage: number;
  readonly risk: number;
  readonly lower: number;
  readonly upper: number;
}

export interface RiskCoverageData {
  /** Points by ascending coverage. */
  readonly points: readonly RiskCoverageRow[];
  readonly targets: readonly { readonly label: string; readonly value: number }[];
  /** Position of each tier's confidence threshold on the curve. */
  readonly operatingPoints: readonly { readonly tier: RiskTier; readonly coverage: number; readonly risk: number }[];
  /** Top of the risk axis, in (0, 1]. */
  readonly riskMax: number;
}

/** Risk against coverage of one tier; all in [0, 1]. */
export interface TierCurveData {
  /** Points by ascending coverage. */
  readonly points: readonly RiskCoverageRow[];
  readonly target: number | null;
  /** Coverage up to which the claim is certified; null if it is not certified. */
  readonly certifiedTo: number | null;
  /** Operating point of the active threshold on this fold; null for a tier that abstains. */
  readonly operating: { readonly coverage: number; readonly risk: number } | null;
  /** Operating point of the first rejected threshold on this fold. */
  readonly firstFailed: { readonly coverage: number; readonly risk: number } | null;
  /** Top of the risk axis, in (0, 1]. */
  readonly riskMax: number;
}

/** Counts of one population by confidence, in bins of equal width. */
export interface ScoreBin {
  readonly population: string;
  readonly lower: number;
  readonly upper: number;
  readonly share: number;
  readonly requests: number;
}

export interface ScoreData {
  readonly bins: readonly ScoreBin[];
}

/** Bars with a label and a count each, in the order drawn. */
export interface CountBarsData {
  readonly bars: readonly {
    readonly label: string;
    readonly requests: number;
    readonly kind: "good" | "bad" | "other";
  }[];
}

/** Requests that pass each gate, in the order of the gates; the last two rows are right and wrong routes. */
export interface FunnelData {
  readonly rows: readonly {
    readonly label: string;
    /** Number of requests of this row. */
    readonly requests: number;
    /** Start of the row's segment of the bar: the sum of the rows below. */
    readonly after: number;
    readonly kind: "all" | "leaves" | "right" | "wrong";
  }[];
}

/** Drift statistics: the range expected by the calibration, and the values on the requests of this report. */
export interface DriftData {
  readonly rows: readonly {
    readonly label: string;
    readonly lower: number;
    readonly upper: number;
    readonly value: number;
    /** The formatted range and value. */
    readonly text: { readonly range: string; readonly value: string };
    readonly requests: number;
    readonly inside: boolean;
  }[];
}

export interface ReliabilityData {
  readonly bins: readonly ReliabilityBin[];
}

export interface TierBarsData {
  readonly rows: readonly {
    readonly tier: RiskTier;
    readonly measure: "coverage" | "selective risk";
    readonly estimate: number | null;
    readonly lower: number | null;
    readonly upper: number | null;
    readonly target: number | null;
    /** Text shown instead of a bar if there is no estimate. */
    readonly absent: string;
  }[];
}

/** One chart: its data as numbers for drawing and as a table for reading. */
export interface ChartView<Data> {
  readonly title: string;
  readonly caption: string;
  readonly alt: string;
  /** null: there is nothing to draw, which the page states. */
  readonly data: Data | null;
  readonly table: ReportTable;
}

/** The run compared with baseline retrievers that need no fitting. */
export interface BaselineView {
  /** Sentences about measures on which the run is not better than a baseline, and about omitted baselines. */
  readonly sentences: readonly string[];
  /** One table per baseline. */
  readonly tables: readonly ReportTable[];
}

/** The requests as columns of little-endian numbers in base64. Contains request texts only if requested. */
export interface ExplorerView {
  /** First digits of the run's digest. */
  readonly run: string;
  /** Active confidence thresholds, low to critical; null: the tier abstains. */
  readonly thresholds: readonly (number | null)[];
  readonly certified: boolean;
  readonly outOfScopeShare: number;
  /**
   * Options of `sluice calibrate fit` for the same claim, and the option for the declared share; each begins with a
   * space.
   */
  readonly fitOptions: string;
  readonly shareOption: string;
  readonly ids: readonly string[];
  readonly workflows: readonly string[];
  readonly buckets: readonly string[];
  readonly reasons: readonly string[];
  readonly texts: readonly string[] | null;
  /**
   * Length of each request's shortlist, plus 16 if it contains the right workflow; null if no shortlist is certified.
   */
  readonly listed: readonly number[] | null;
  readonly columns: Readonly<
    Record<
      | "confidence"
      | "flags"
      | "tier"
      | "cluster"
      | "bucket"
      | "reason"
      | "right"
      | "candidateWorkflow"
      | "candidateConfidence",
      string
    >
  >;
}

/** Everything an evaluation report shows, formatted; the HTML and Markdown pages only lay it out. */
export interface ReportModel {
  readonly title: string;
  readonly generatedFor: string;
  readonly facts: readonly Fact[];
  readonly overall: { readonly verdict: Verdict; readonly sentence: string; readonly detail: string };
  /** Limitations that a reader must know before trusting the numbers. */
  readonly warnings: readonly string[];
  readonly claims: readonly ClaimView[];
  /** Promise about shortlists; null if there is none. */
  readonly shortlist: string | null;
  /** Shortlist lengths of these requests; null if no shortlist is certified. */
  readonly shortlistLengths: ReportTable | null;
  /** Target, risk, coverage and verdict, for all requests and per tier. */
  readonly numbers: ReportTable;
  readonly measured: readonly RateLine[];
  readonly tiers: readonly TierView[];
  /** One curve per tier of a top candidate; empty without requests. */
  readonly tierCurves: readonly ChartView<TierCurveData>[];
  readonly scores: ChartView<ScoreData>;
  /** Number of requests per outcome. */
  readonly endings: ChartView<CountBarsData>;
  readonly confusedPairs: ChartView<CountBarsData>;
  /** Gates at which requests are declined. */
  readonly funnel: ChartView<FunnelData>;
  /** Comparison of the requests with those of the certification. */
  readonly drift: ChartView<DriftData>;
  readonly riskCoverage: ChartView<RiskCoverageData>;
  readonly reliability: ChartView<ReliabilityData>;
  readonly tierBars: ChartView<TierBarsData>;
  readonly retrieval: readonly RateLine[];
  readonly baselines: BaselineView;
  readonly decisions: ReportTable;
  readonly reasons: ReportTable;
  /** Stages that lose requests, and the effect of a perfect stage; empty without decisions. */
  readonly losses: readonly ReportTable[];
  /** Empty if no workflows are confused. */
  readonly confusions: ReportTable;
  readonly slices: ReportTable;
  readonly populations: ReportTable;
  readonly outOfScope: ReportTable;
  readonly guards: ReportTable;
  readonly quality: ReportTable;
  readonly calibration: readonly Fact[];
  readonly lineage: ReportTable;
  /** null without thresholds or requests. */
  readonly explorer: ExplorerView | null;
}
