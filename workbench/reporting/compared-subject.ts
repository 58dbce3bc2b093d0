import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../history/open.js";
import { resolveRecord } from "../history/read.js";
import { readCalibration, readRecord } from "../records/read-records.js";

/** A run, and the calibration that was named with it. */
interface NamedSubject {
  readonly run: string;
  readonly calibration: string | undefined;
}

const kinds = ["run", "calibration", "evaluation"] as const;

/** The kind of the record with this id; undefined where it is none of the three. */
function kindOf(
  history: History,
  id: string,
): { readonly kind: (typeof kinds)[number]; readonly sha256: string } | undefined {
  for (const kind of kinds) {
    try {
      return { kind, sha256: resolveRecord(history, kind, id).sha256 };
    } catch (error) {
      if (!(error instanceof SluiceError) || error.code !== "RECORD_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

/**
 * The run and thresholds behind the id of a run, a calibration or an evaluation.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export function subjectNamed(history: History, id: string): NamedSubject {
  const found = kindOf(history, id);
  if (found === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", `found no run, calibration or evaluation ${id}`, {
      hint: "List the runs and their calibrations: sluice eval list",
    });
  }
  if (found.kind === "run") return { run: found.sha256, calibration: undefined };
  if (found.kind === "calibration") {
    return { run: readCalibration(history, found.sha256).document.digests.run, calibration: found.sha256 };
  }
  const { runSha256, calibrationSha256 } = readRecord(history, "evaluation", found.sha256).document;
  return { run: runSha256, calibration: calibrationSha256 ?? undefined };
}
