import { availableParallelism } from "node:os";

/** Scoring threads of a server unless its operator sets another number: two, one on a machine with a single core. */
export const usualThreads = (cores = availableParallelism()): number => Math.min(2, cores);
