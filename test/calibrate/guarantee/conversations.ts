import { certifyFollowUps } from "../../../calibrate/follow-ups.js";
import { procedureOf } from "../../../calibrate/procedure.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { identityCurve, logistic } from "../../../src/router/policy/calibrator-curve.js";
import { decide } from "../../../src/router/policy/decide.js";
import { permissiveThresholds } from "../../../calibrate/routable.js";
import { candidate, record } from "../synthetic-records.js";

export interface ConversationWorld {
  readonly name: string;
  /** Follow-ups of each conversation. */
  readonly turns: number;
  /** Standard deviation over conversations of the log odds that a turn keeps the workflow, and of how its texts score. */
  readonly spread: number;
}

/** Worlds whose turns are independent, and worlds in which those of a conversation are right or wrong together. */
export const conversationWorlds: readonly ConversationWorld[] = [
  { name: "turns alone", turns: 1, spread: 0 },
  { name: "four turns alike", turns: 4, spread: 1 },
  { name: "eight turns alike", turns: 8, spread: 2 },
  { name: "twelve turns, all alike", turns: 12, spread: 4 },
];

const [first, other, third] = ["flow.first", "flow.other", "flow.third"] as const;

/** Scored follow-ups of `conversations` conversations. */
export function followUpRecords(
  { turns, spread }: ConversationWorld,
  { conversations, seed }: { readonly conversations: number; readonly seed: number },
): readonly ScoredRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: conversations }, (_, conversation) => {
    const own = spread * random.normal();
    return Array.from({ length: turns }, (__, turn): ScoredRecord => {
      const keeps = random.uniform() < logistic(2 + own);
      const isOutOfScope = random.uniform() < 0.02;
      const [previousLogit, otherLogit] = keeps ? [2.5, -1.5] : [-1.5, 2.5];
      // What a conversation talks about shifts the scores of all of its turns.
      const z = (mean: number): number => mean + 1.2 * random.normal() + 0.3 * own;
      const [previousZ, otherZ] = [z(previousLogit), z(otherLogit)];
      const right = keeps ? first : random.uniform() < 0.95 ? other : third;
      return record(
        `${conversation}-${turn}`,
        [
          candidate(first, previousZ, { retrieval_score: logistic(previousZ) / 2 }),
          candidate(other, otherZ, { retrieval_score: logistic(otherZ) / 2 }),
          candidate(third, -4, { retrieval_score: 0.01 }),
        ],
        {
          workflow_id: isOutOfScope ? null : (right as WorkflowId),
          cluster: `conversation:${conversation}`,
          followUp: {
            previous: first as WorkflowId,
            joined: false,
            closing: -3,
            new_wish: (keeps ? -1.5 : 1.5) + random.normal(),
          },
        },
      );
    });
  }).flat();
}

export const openGates = { calibrator: identityCurve, min_retrieval_score: 0, certified_workflows: null } as const;

export interface ConversationOutcome {
  readonly repetitions: number;
  readonly certified: number;
  /** Certified claims whose routes are wrong more often than the target says, in many further conversations. */
  readonly violations: number;
}

/** Certifies follow-ups of a world again and again, and measures each certified threshold in many further conversations. */
export function runConversations(
  world: ConversationWorld,
  options: {
    readonly conversations: number;
    readonly repetitions: number;
    readonly target: number;
    readonly seed: number;
  },
): Readonly<Record<"repeats" | "changes", ConversationOutcome>> {
  const { conversations, repetitions, target, seed } = options;
  const fit = procedureOf({ target_risk: target, claim: "fixed-catalog" });
  const truth = followUpRecords(world, { conversations: Math.ceil(40_000 / world.turns), seed: seed + 1_000_000 });
  const count = { repeats: { certified: 0, violations: 0 }, changes: { certified: 0, violations: 0 } };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const drawn = followUpRecords(world, { conversations, seed: seed + repetition });
    const follow_ups = certifyFollowUps(drawn, openGates, fit);
    const thresholds = { ...permissiveThresholds(openGates), follow_ups };
    const routed = truth.map((each) => ({ each, decision: decide(each, thresholds) }));
    for (const kind of ["repeats", "changes"] as const) {
      if (follow_ups[kind].threshold === null) continue;
      const own = routed.filter(
        ({ decision: { decision, workflow_id: id } }) =>
          decision === "ROUTE" && (id === first) === (kind === "repeats"),
      );
      const wrong = own.filter(({ each, decision }) => decision.workflow_id !== each.workflow_id).length;
      count[kind].certified += 1;
      if (wrong > target * own.length) count[kind].violations += 1;
    }
  }
  return { repeats: { repetitions, ...count.repeats }, changes: { repetitions, ...count.changes } };
}
