import { groupBy } from "../src/base/group-by.js";
import type { Calibration, FitOptions } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { decide, type DecisionThresholds, isInCoveredLanguage } from "../src/router/policy/decide.js";
import type { TestedRecord } from "./traffic.js";
import { minimumSampleSize } from "./stats/binomial-test.js";

/** Texts in the most frequent language from which a project's language is known. */
const fewestTexts = 20;
/** A smaller share can be texts of another language that were read wrongly: up to 12% where titles are English. */
const leastShare = 0.2;

type Languages = NonNullable<Calibration["languages"]>;
/** The languages of a calibration, before its thresholds are known. */
export type CoveredLanguages = Omit<Languages, "read"> & {
  readonly read: readonly Pick<Languages["read"][number], "language" | "requests">[];
};

/** Adds the routes of the tested requests in each language, and how many of them are wrong. */
export function withRoutes(
  { read, ...languages }: CoveredLanguages,
  tested: readonly TestedRecord[],
  thresholds: DecisionThresholds,
): Languages {
  const routes = tested.flatMap(({ record, calibrator }) => {
    const language = read.find((one) => record.languages?.includes(one.language))?.language;
    const { decision, workflow_id: workflowId } = decide(record, { ...thresholds, calibrator });
    return decision === "ROUTE" && language !== undefined
      ? [{ language, wrong: workflowId !== record.workflow_id }]
      : [];
  });
  const byLanguage = groupBy(routes, ({ language }) => language);
  const counted = read.map((one) => {
    const own = byLanguage.get(one.language) ?? [];
    return { ...one, routed: own.length, wrong: own.filter(({ wrong }) => wrong).length };
  });
  return { ...languages, read: counted };
}

/**
 * The languages that routes may be in: those stated; otherwise the most frequent one, and each other with enough tested
 * requests to test the planned target on these alone. Reads no label, so it does not affect what the claims state.
 * @returns undefined if none is stated and too few texts are long enough to tell
 */
export function languagesOf(
  records: readonly ScoredRecord[],
  { languages: stated, target_risk: target, delta }: Pick<FitOptions, "languages" | "target_risk" | "delta">,
): CoveredLanguages | undefined {
  const told = records.flatMap(({ error_code: error, languages = [] }) => (error === null ? [languages] : []));
  const frequency = groupBy(told.flat(), (language) => language);
  const often = (language: string): number => frequency.get(language)?.length ?? 0;
  const likeliest = told.flatMap((languages) => languages.toSorted((a, b) => often(b) - often(a)).slice(0, 1));
  const read = [...groupBy(likeliest, (language) => language)]
    .map(([language, found]) => ({ language, requests: found.length }))
    .sort((a, b) => b.requests - a.requests || (a.language < b.language ? -1 : 1));
  const enough = Math.max(minimumSampleSize(target, delta, 0), leastShare * likeliest.length);
  const found = read.filter(({ requests }, index) => requests >= (index === 0 ? fewestTexts : enough));
  const covered = stated ?? found.map(({ language }) => language);
  if (covered.length === 0) return undefined;
  const inScope = records.filter((record) => record.error_code === null && record.workflow_id !== null);
  const declined = inScope.filter((record) => !isInCoveredLanguage(record, { languages: { covered } }));
  return { covered, read, requests: inScope.length, declined: declined.length };
}
