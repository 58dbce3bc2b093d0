/** Claims about slices of one calibration: each language is a world of its own, so that they differ in difficulty. */
import { certifyClaims, signedTarget } from "../../../calibrate/certify-claims.js";
import { chooseThresholdSteps } from "../../../calibrate/choose-threshold-steps.js";
import { procedureOf } from "../../../calibrate/procedure.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { languageOfScope, type LanguageScope } from "../../../src/documents/calibration.js";
import { syntheticWorlds } from "./worlds.js";

/** The world of each language, easy ones and hard ones. */
export const slicedWorlds = {
  de: "gamma frailty",
  fr: "twins, 12%",
  nl: "flat risk",
  zh: "out-of-scope groups",
} as const;

export interface SlicesOutcome {
  readonly repetitions: number;
  /** Certified claims over all languages, and calibrations with a claim that is false for its language. */
  readonly certified: number;
  readonly violations: number;
  /** Calibrations in which the threshold of the easiest language breaks the target in another one. */
  readonly violationsTogether: number;
}

/** Certifies the languages again and again under one delta, and compares each threshold with the true risk in its language. */
export function runSlices(options: {
  readonly workflows: number;
  readonly repetitions: number;
  readonly target: number;
  readonly seed: number;
}): SlicesOutcome {
  const random = seededRandom(options.seed);
  const choices = { claim: "fixed-catalog", require_slices: "language", looser_targets: [] } as const;
  const fit = procedureOf({ ...choices, target_risk: options.target });
  const worlds = Object.entries(slicedWorlds).map(([language, name]) => {
    const world = syntheticWorlds.find((one) => one.name === name);
    if (world === undefined) throw new RangeError(`no world ${name}`);
    return { language, world };
  });
  const count = { certified: 0, violations: 0, violationsTogether: 0 };
  for (let repetition = 0; repetition < options.repetitions; repetition += 1) {
    const drawn = worlds.map(({ language, world }) => ({ language, ...world.draw(random, options.workflows) }));
    const rows = drawn.flatMap((one) => one.rows.map((row) => ({ ...row, language: one.language })));
    const scope = (language: string): LanguageScope => `language:${language}`;
    const byLanguage = new Map(drawn.map(({ language, requests }) => [scope(language), requests]));
    const claims = certifyClaims(fit, { rows, requests: { inScope: new Map(), outOfScope: new Map() }, byLanguage });
    const shipped = chooseThresholdSteps(claims, fit.claim).flatMap(({ claim, thresholdStep }) =>
      thresholdStep === null
        ? []
        : [{ language: languageOfScope(claim.scope), ...claim, threshold: thresholdStep.confidence }],
    );
    const breaks = (threshold: number, target: number, language: string | null): boolean =>
      drawn.some((one) => {
        if (one.language !== language) return false;
        const { routed, wrong } = one.same.routes(threshold, claims[0]?.tiers ?? []);
        return wrong > (target + 1e-6) * routed;
      });
    const least = Math.min(1, ...shipped.map(({ threshold }) => threshold));
    count.certified += shipped.length;
    if (shipped.some((one) => breaks(one.threshold, signedTarget(one), one.language))) count.violations += 1;
    if (shipped.some((one) => breaks(least, signedTarget(one), one.language))) count.violationsTogether += 1;
  }
  return { repetitions: options.repetitions, ...count };
}
