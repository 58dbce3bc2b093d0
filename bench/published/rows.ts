import { deviation, mean } from "../../test/support/clinc150.js";

/** Results of the ten-example row. Shares are in [0, 1]; null: unknown, or nothing was routed. */
export interface Figures {
  readonly top1: number | null;
  readonly recall_at_5: number | null;
  readonly coverage: number | null;
  readonly selective_error: number | null;
  readonly joint_error: number | null;
  readonly oos_false_positive_rate: number | null;
  /** Expected calibration error over all test requests, calibrated and uncalibrated. */
  readonly ece: number | null;
  readonly uncalibrated_ece: number | null;
}

export interface ReportedSeed extends Figures {
  readonly seed: number;
}

/** Row of a system: means over the seeds, sample standard deviations, and each seed. */
export interface ReportedRow<S extends ReportedSeed = ReportedSeed> extends Figures {
  readonly row: string;
  readonly system: string;
  readonly source: "published" | "measured";
  readonly deviation: Figures;
  /** Number of seeds whose joint error, and number whose in-domain error, is above the target. */
  readonly joint_over_target: number;
  readonly selective_over_target: number;
  readonly seeds: readonly S[];
}

const columns = [
  ["top1", "top-1"],
  ["recall_at_5", "rec@5"],
  ["coverage", "cover"],
  ["selective_error", "in-err"],
  ["joint_error", "joint"],
  ["oos_false_positive_rate", "oos-fp"],
  ["ece", "ece"],
  ["uncalibrated_ece", "raw ece"],
] as const satisfies readonly (readonly [keyof Figures, string])[];

function over(seeds: readonly Figures[], summary: (values: readonly number[]) => number): Figures {
  const of = (name: keyof Figures): number | null => {
    const values = seeds.flatMap((seed) => seed[name] ?? []);
    return values.length === 0 ? null : summary(values);
  };
  return {
    top1: of("top1"),
    recall_at_5: of("recall_at_5"),
    coverage: of("coverage"),
    selective_error: of("selective_error"),
    joint_error: of("joint_error"),
    oos_false_positive_rate: of("oos_false_positive_rate"),
    ece: of("ece"),
    uncalibrated_ece: of("uncalibrated_ece"),
  };
}

/** Computes means and sample standard deviations over seeds. @param target  maximum share of wrong routes */
export function rowOfSeeds<S extends ReportedSeed>(
  about: Pick<ReportedRow, "row" | "system" | "source">,
  seeds: readonly S[],
  target: number,
): ReportedRow<S> {
  const above = (name: keyof Figures): number => seeds.filter((seed) => (seed[name] ?? 0) > target).length;
  return {
    ...about,
    ...over(seeds, mean),
    deviation: over(seeds, (values) => (values.length < 2 ? 0 : deviation(values))),
    joint_over_target: above("joint_error"),
    selective_over_target: above("selective_error"),
    seeds,
  };
}

const percent = (value: number | null): string => (value === null ? "-" : (100 * value).toFixed(2)).padStart(7);

/** Formats the row as table lines: mean, standard deviation and each seed, in per cent. */
export function tableOf(row: ReportedRow): readonly string[] {
  const line = (title: string, figures: Figures): string =>
    `  ${title.padEnd(10)}${columns.map(([name]) => percent(figures[name])).join("  ")}`;
  return [
    `${row.system} (${row.source})`,
    `  ${"".padEnd(10)}${columns.map(([, head]) => head.padStart(7)).join("  ")}`,
    line("mean", row),
    line("deviation", row.deviation),
    ...(row.seeds.length > 10 ? [] : row.seeds.map((seed) => line(`seed ${seed.seed}`, seed))),
    `  over target: joint error in ${row.joint_over_target} of ${row.seeds.length}, ` +
      `in-domain error in ${row.selective_over_target} of ${row.seeds.length}`,
  ];
}
