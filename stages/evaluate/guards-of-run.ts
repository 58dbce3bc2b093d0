import { shownFold } from "../../eval/shown-fold.js";
import { guardOutcomes, type GuardInUse, type GuardOutcome, guardRates } from "../../eval/guard-rates.js";
import type { GuardEvaluation } from "../../src/documents/evaluation.js";
import type { TextGuard } from "../../src/documents/guard.js";
import type { RoutingPolicy } from "../../src/documents/policy.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";
import type { History } from "../../store/history/open.js";
import { multiActionEn1 } from "./guards/multi-action-en-1.js";
import { openEndedEn1 } from "./guards/open-ended-en-1.js";
import { readDataset, readPolicy } from "../../store/records/read-records.js";

const shippedGuards: readonly TextGuard[] = [openEndedEn1, multiActionEn1];

/** The policy's guards in order, followed by the shipped guards that it does not list. */
function guardsFor(policy: RoutingPolicy): readonly GuardInUse[] {
  const known = new Set(policy.guards.map(({ guard_id }) => guard_id));
  const others = shippedGuards.filter(({ guard_id }) => !known.has(guard_id));
  return [
    ...policy.guards.map((guard) => ({ guard, enabled: true })),
    ...others.map((guard) => ({ guard: guard, enabled: false })),
  ];
}

/** Effect of each guard on the texts of one fold of a run. */
export function guardsOfRun(
  history: History,
  run: { readonly document: Run; readonly records: readonly ScoredRecord[] },
  fold: Fold | "all",
): readonly GuardEvaluation[] {
  const { texts, guards } = textsAndGuards(history, run.document);
  const shown = shownFold(run.records, fold);
  const isCounted = (record: ScoredRecord): boolean => shown === "all" || record.fold === shown;
  return guardRates(run.records, (id) => texts.get(id), guards, isCounted);
}

/** The requests of a run that each guard stops, from which the same rates can be derived without texts. */
export function guardOutcomesOfRun(
  history: History,
  { document, records }: { readonly document: Run; readonly records: readonly ScoredRecord[] },
): readonly GuardOutcome[] {
  const { texts, guards } = textsAndGuards(history, document);
  return guardOutcomes(records, (id) => texts.get(id), guards);
}

function textsAndGuards(history: History, { policy_sha256, dataset_sha256 }: Run) {
  const texts = new Map(readDataset(history, dataset_sha256).document.map(({ id, text }) => [id, text]));
  return { texts, guards: guardsFor(readPolicy(history, policy_sha256).document) };
}
