import type { DrawnRoutes } from "../../src/documents/calibration.js";
import { formatCount } from "../../src/documents/number-text.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { ClaimReading } from "../claim-reading.js";
import type { RoutableRow } from "../routable.js";
import { atLeastAsGood, sequentialState, sequentialUpperLimit } from "../sequential-test.js";

/**
 * Claim about the routed requests of a log: routes were drawn at random at one threshold, so each draw counts as one
 * independent request, and the exact sequential test decides.
 */
export function readAsDrawn(drawn: DrawnRoutes): ClaimReading {
  return ({ routed: draws, errors: wrong }) => {
    const signed = sequentialState(drawn, { draws, wrong }) === "signed";
    return {
      design_effect: 1,
      planned: draws,
      canPass: () => true,
      judge: ({ target }) => ({
        pValue: signed ? Math.min(1, drawn.spent + atLeastAsGood(drawn, { draws, wrong }, target)) : 1,
        upperBound: sequentialUpperLimit(drawn, { draws, wrong }, drawn.delta),
      }),
    };
  };
}

/**
 * Refuses a test that has not ended, went on after its end, or counts draws that the threshold does not route.
 * @param tested  number of draws
 * @throws {SluiceError} CALIBRATION_INVALID
 */
export function assertDrawn(drawn: DrawnRoutes, rows: readonly RoutableRow[], tested: number): void {
  const routed = rows.filter(({ confidence }) => confidence >= drawn.threshold);
  const wrong = routed.filter(({ error }) => error).length;
  if (routed.length !== tested) {
    throw new SluiceError(
      "CALIBRATION_INVALID",
      `the threshold routes ${formatCount(routed.length)} of ${formatCount(tested)} drawn requests, expected all`,
      { hint: "The catalog or a model differs from those of the test. Restore them." },
    );
  }
  const stop = drawn.stops[wrong];
  if (stop === undefined ? wrong === drawn.stops.length : stop === tested) return;
  throw new SluiceError(
    "CALIBRATION_INVALID",
    `the test stands at ${formatCount(wrong)} wrong of ${formatCount(tested)}, expected the end of its table`,
    { hint: say`Continue the test: ${command`sluice label`}` },
  );
}
