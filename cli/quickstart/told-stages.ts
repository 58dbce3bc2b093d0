import { formatSeconds } from "../../src/domain/number-text.js";

/** Stages that a newcomer sees, in order, in their words. */
const stages = ["read", "score", "promise", "sign", "report", "serve"] as const;
export type ToldStage = (typeof stages)[number];

/** One finished stage: its place among all, what happened, and how long it took. */
export function stageLine(stage: ToldStage, words: string, milliseconds: number): string {
  const place = `${stages.indexOf(stage) + 1} of ${stages.length}`;
  return `${place}  ${stage.padEnd(7)}  ${formatSeconds(milliseconds).padStart(6)}  ${words}`;
}
