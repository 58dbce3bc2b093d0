import { formatSeconds } from "../../src/domain/number-text.js";
import { type ToldStage, toldStages } from "../../workbench/demonstration/demonstration-context.js";

/** One finished stage: its place among all, what happened, and how long it took. */
export function stageLine(stage: ToldStage, words: string, milliseconds: number): string {
  const place = `${toldStages.indexOf(stage) + 1} of ${toldStages.length}`;
  return `${place}  ${stage.padEnd(7)}  ${formatSeconds(milliseconds).padStart(6)}  ${words}`;
}
