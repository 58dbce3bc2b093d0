import type { FoldFractions } from "../../datasets/assign-folds.js";

/** Fold shares where the models are not fitted on the data: every row measures. */
export const measuringShares: FoldFractions = { fit: 0.01, tune: 0.39, certify: 0.4, eval: 0.2 };
