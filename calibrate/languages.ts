import { groupBy } from "../src/base/group-by.js";
import type { Calibration, FitOptions } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { SluiceError } from "../src/base/error.js";
import {
  decide,
  type DecisionThresholds,
  isInCoveredLanguage,
  languageOfText,
  type LanguageRules,
} from "../src/router/policy/decide.js";
import type { TestedRequests } from "./certify-claims.js";
import { foldRequests } from "./fold-requests.js";
import type { TestedRecord } from "./traffic.js";
import { minimumSampleSize } from "./stats/binomial-test.js";

/** Texts in the most frequent language from which a project's language is known. */
const fewestTexts = 20;
/**
 * A smaller share can be texts of another language that were read wrongly: up to 12% where titles are English. As slices they
 * would only take part of the level.
 */
const leastShare = { together: 0.2, slices: 0.1 };

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
    const { decision, workflow_id: workflowId, language: own } = decide(record, { ...thresholds, calibrator });
    const language = own ?? read.find((one) => record.languages?.includes(one.language))?.language;
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
 * requests to test the planned target on these alone. Reads no label, so it does not affect what the claims state. Languages
 * with a claim each have a threshold of 0 until they are tested.
 * @returns undefined if none is stated and too few texts are long enough to tell
 * @throws {SluiceError} CALIBRATION_INVALID  then, if each shall have a claim
 */
type LanguageChoices = Pick<FitOptions, "languages" | "require_slices" | "target_risk" | "delta">;

export function languagesOf(
  records: readonly ScoredRecord[],
  { languages: stated, require_slices: slices, target_risk: target, delta }: LanguageChoices,
): CoveredLanguages | undefined {
  const told = records.flatMap(({ error_code: error, languages = [] }) => (error === null ? [languages] : []));
  const frequency = groupBy(told.flat(), (language) => language);
  const often = (language: string): number => frequency.get(language)?.length ?? 0;
  const likeliest = told.flatMap((languages) =>
    slices === undefined
      ? languages.toSorted((a, b) => often(b) - often(a)).slice(0, 1)
      : [languages.find((one) => stated?.includes(one) === true) ?? languages[0]].slice(0, languages.length),
  );
  const read = [...groupBy(likeliest, (language) => language)]
    .map(([language, found]) => ({ language, requests: found.length }))
    .sort((a, b) => b.requests - a.requests || (a.language < b.language ? -1 : 1));
  const enough = Math.max(
    minimumSampleSize(target, delta, 0),
    leastShare[slices === undefined ? "together" : "slices"] * likeliest.length,
  );
  const found = read.filter(({ requests }, index) => requests >= (index === 0 ? fewestTexts : enough));
  const covered = stated ?? found.map(({ language }) => language);
  if (covered.length === 0) return withoutLanguages(slices);
  const thresholds = covered.map((language) => ({ language, confidence: 0 }));
  const rules = { covered, ...(slices === undefined ? {} : { thresholds }) };
  const inScope = records.filter((record) => record.error_code === null && record.workflow_id !== null);
  const declined = inScope.filter((record) => !isInCoveredLanguage(record, { languages: rules }));
  return { ...rules, read, requests: inScope.length, declined: declined.length };
}

function withoutLanguages(slices: FitOptions["require_slices"]): undefined {
  if (slices === undefined) return undefined;
  throw new SluiceError(
    "CALIBRATION_INVALID",
    "no language of the tested requests can be read, expected a claim for each",
    {
      hint: "Omit require_slices, or name the languages if the policy reads them.",
    },
  );
}

/** The tested requests of each language that has a threshold of its own; undefined if all share those of the tiers. */
export function requestsByLanguage(
  records: readonly ScoredRecord[],
  languages: LanguageRules | undefined,
): TestedRequests["byLanguage"] {
  if (languages?.thresholds === undefined) return undefined;
  const own = groupBy(records, (record) => languageOfText(record, { languages })?.language ?? "");
  return new Map(
    languages.thresholds.map(({ language }) => [`language:${language}`, foldRequests(own.get(language) ?? [])]),
  );
}
