import { existsSync } from "node:fs";
import { type RouterSources, sourcesOfCalibration } from "../workbench/evaluation/development-router.js";
import { withHistory } from "../workbench/records/with-history.js";
import type { CommandContext } from "./context.js";
import { projectHere } from "./project-here.js";
import { trialSources } from "../workbench/project/trial-sources.js";
import { latestEntry } from "../workbench/history/read.js";

/** What a development command routes with. */
export interface ChosenSources {
  readonly sources: RouterSources;
  /** Record of the calibration; null in a project that has none yet, which is tried without any promise. */
  readonly calibrationId: string | null;
}

/**
 * The records behind a calibration, the latest when none is named; in a project without one, a trial of its catalog.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, those of `trialSources`
 */
export async function routerSources(context: CommandContext, calibration: string | undefined): Promise<ChosenSources> {
  const project = calibration === undefined && !(await hasCalibration(context)) ? await projectHere() : null;
  if (project !== null) {
    return { sources: await trialSources(project), calibrationId: null };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { kept, ...sources } = sourcesOfCalibration(history, calibration);
    return { sources, calibrationId: kept.sha256 };
  });
}

async function hasCalibration(context: CommandContext): Promise<boolean> {
  if (!existsSync(context.workspace.history)) return false;
  return withHistory(context, "read", async ({ history }) => {
    return latestEntry(history, "calibration") !== undefined;
  });
}

/** What a trial can and cannot promise, in words. */
export const trialLines: readonly string[] = [
  "No claim: without labelled requests, the error rate for this catalog is unknown. Requests are routed from a raw score of 0.5, which is not based on data.",
  "Use it to try the catalog and its wording. A production server refuses it.",
  "To improve it: add one to ten requests, as people write them, to `examples` of each workflow in catalog.yaml.",
  "To get a claim: add labelled requests that are not examples to requests.jsonl, then: sluice run",
];
