import type { WorkbenchContext } from "../../store/workbench-context.js";

/** Stages as shown to a newcomer, in order. */
export const toldStages = ["read", "score", "promise", "sign", "report", "serve"] as const;
export type ToldStage = (typeof toldStages)[number];

/** The demonstration's workspace and its observer. */
export interface DemonstrationContext extends WorkbenchContext {
  /** Called when a stage ends, with a sentence and its milliseconds. */
  readonly onStage: (stage: ToldStage, words: string, milliseconds: number) => void;
  readonly note: (line: string) => void;
  /** A path relative to the reader's folder. */
  readonly here: (path: string) => string;
}
