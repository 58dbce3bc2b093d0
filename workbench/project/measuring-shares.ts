import type { FoldFractions } from "../../datasets/assign-folds.js";

/** Shares of the folds where the models learn nothing from the data: everything measures. */
export const measuringShares: FoldFractions = { fit: 0.01, tune: 0.39, certify: 0.4, eval: 0.2 };
