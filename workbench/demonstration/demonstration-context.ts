import type { WorkbenchContext } from "../workbench-context.js";

/** Stages that a newcomer sees, in order, in their words. */
export const toldStages = ["read", "score", "promise", "sign", "report", "serve"] as const;
export type ToldStage = (typeof toldStages)[number];

/** What the demonstration needs beside its place: somebody who follows it. */
export interface DemonstrationContext extends WorkbenchContext {
  /** A stage has ended: what happened, in words, and its milliseconds. */
  readonly tell: (stage: ToldStage, words: string, milliseconds: number) => void;
  readonly note: (line: string) => void;
  /** A path as it is written where the reader stands. */
  readonly here: (path: string) => string;
}
