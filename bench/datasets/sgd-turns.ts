import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sha256Hex } from "../../src/base/sha256.js";

/** A turn of a user that follows another one, in the conversation that its id begins with. */
export interface SgdTurn {
  readonly id: string;
  readonly text: string;
  readonly previous_workflow_id: string;
  readonly workflow_id: string;
  readonly acts: readonly string[];
  readonly split: "train" | "val";
}

export const sgdTurns = (data: string): readonly SgdTurn[] =>
  gunzipSync(readFileSync(join(data, "sgd/turns.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SgdTurn);

export const conversationOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf("-"));
/** A third of the conversations for examples, certification and measurement each; nothing is fitted on the last. */
export const thirdOf = (conversation: string): number => Number.parseInt(sha256Hex(conversation).slice(0, 8), 16) % 3;
export const measuredThird = 2;
export const closes = ({ acts }: SgdTurn): boolean => acts.includes("GOODBYE") || acts.includes("THANK_YOU");
export const statesWish = ({ acts }: SgdTurn): boolean => acts.includes("INFORM_INTENT");
