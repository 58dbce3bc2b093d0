import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import { toSluiceError } from "../../src/base/error.js";
import type { InferencePool } from "../../src/inference/pool.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { chooseTwin } from "./choose-graph.js";
import { deriveActivation } from "./derive-activation.js";
import { isMissing, missingText } from "./sourced.js";
import { graphPaths } from "./external-data.js";
import { failed, type ModelCheck, note, ok, spreadText } from "./model-check.js";
import { largestDifference, type Probe, probeModel, type ProbeWatch } from "./probe-model.js";

/** The runtime for probes. */
export interface ModelRuntime extends ProbeWatch {
  readonly pool: InferencePool;
}

type Described = EncoderRetrieverModel | CrossEncoderModel;

/** Runs the model and checks that its outputs are finite and how they differ from those of the other precision. */
export async function checkRuns(
  files: ModelFiles,
  described: Described,
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  const { pool, signal } = runtime;
  let probe: Probe;
  try {
    probe = await probeModel(pool, files, described, runtime);
  } catch (thrown) {
    signal.throwIfAborted();
    return [failed("probe", toSluiceError(thrown).message, "finite numbers for every text")];
  }
  const verifier = described.kind === "encoder" ? [] : [checkActivation(probe, described)];
  return [checkProbe(probe, described), ...verifier, ...(await checkPrecision(probe, files, described, runtime))];
}

function checkProbe({ rows, columns }: Probe, described: Described): ModelCheck {
  const expected = described.kind === "encoder" ? described.dimensions : described.label_order.length;
  const found = `${rows.length} rows of ${columns} finite numbers`;
  return columns === expected ? ok("probe", found) : failed("probe", found, `${expected} numbers in a row`);
}

/**
 * Checks the described activation. Raw logits described as probabilities are invalid; probabilities described as logits
 * would be converted twice, which changes every score.
 */
function checkActivation({ rows }: Probe, { activation }: CrossEncoderModel): ModelCheck {
  const measured = deriveActivation(rows, undefined);
  if (!isMissing(measured)) {
    return activation === "none" ? ok("activation", "none", measured.source) : failed("activation", activation, "none");
  }
  const stated = deriveActivation(rows, activation);
  if (isMissing(stated)) return failed("activation", activation, missingText(stated));
  return activation === "none" ? note("activation", "none", measured.missing) : ok("activation", activation);
}

/**
 * Largest difference from the graph of the other precision. This is only a note, because no limit suits every model.
 */
async function checkPrecision(
  probe: Probe,
  files: ModelFiles,
  described: Described,
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  const twin = chooseTwin(files, described.graph);
  if (twin === undefined) return [];
  try {
    const other = await probeModel(runtime.pool, files, { ...described, ...graphPaths(files, twin) }, runtime);
    const difference = largestDifference(probe.rows, other.rows);
    return [note("precision", `differs from ${twin} by at most ${spreadText(difference)}`)];
  } catch (thrown) {
    runtime.signal.throwIfAborted();
    return [note("precision", `${twin} does not run: ${toSluiceError(thrown).message}`)];
  }
}
