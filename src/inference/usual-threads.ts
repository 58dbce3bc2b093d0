import { availableParallelism } from "node:os";

/** Default number of scoring threads of a server: two, or one on a machine with a single core. */
export const usualThreads = (cores = availableParallelism()): number => Math.min(2, cores);
