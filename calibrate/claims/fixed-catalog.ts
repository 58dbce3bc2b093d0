import { pExact } from "../stats/binomial-test.js";
import { clopperPearsonUpper } from "../../src/base/numbers/clopper-pearson.js";
import type { ClaimReading } from "../claim-reading.js";

/**
 * Claim "fixed-catalog": requests count as independent, because the claim only covers new requests to the same
 * workflows.
 */
export const readAsRequests: ClaimReading = ({ routed, errors }) => ({
  design_effect: 1,
  planned: routed,
  judge: ({ target, delta }) => ({
    pValue: pExact(errors, routed, target),
    upperBound: clopperPearsonUpper(errors, routed, delta),
  }),
});
