import { bundleFiles } from "../src/trust/bundle-layout.js";
import { problemsError } from "../src/trust/verify/problem.js";
import type { VerifiedBundle } from "../src/trust/verify/verify-bundle.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { headsBehind, largestDifference } from "../src/router/retrieval/stored-vectors.js";
import { loadModels } from "../src/router/load-models.js";
import { explainStart, type StartQuestion } from "../src/router/start/explain-start.js";
import { requireStart } from "../src/router/start/start-checks.js";

/** Largest accepted difference between a stored vector component and the same component encoded here. */
const vectorTolerance = 1e-3;

/**
 * Verifies that a server would serve this bundle: runs every check of a production start, loads the models, reproduces
 * the golden decisions, and compares the stored vectors with the encoder's. Checks of one deployment (state file,
 * options) are left to the server.
 * @throws {SluiceError} with the code of the first problem; the message names every problem, details.problems lists
 *   them
 */
export async function verifyStart(question: Omit<StartQuestion, "workers">): Promise<VerifiedBundle> {
  const { verified, refusal, findings } = await explainStart({ ...question, workers: 1 });
  if (verified !== null && findings.length === 0) {
    await requireOwnVectors(verified);
    return verified;
  }
  const known = (refusal?.details?.["problems"] as readonly unknown[] | undefined)?.length ?? 1;
  if (refusal !== null && findings.length === known) throw refusal;
  const problems = findings.map(({ code, file, message }) => ({ code, file, message }));
  throw problemsError(question.directory, problems);
}

/**
 * A server trusts the stored vectors and heads. For an approver, the texts are encoded again, and the heads are fitted
 * again on the stored vectors.
 */
async function requireOwnVectors(verified: VerifiedBundle): Promise<void> {
  const { vectorBytes: stored } = verified;
  if (stored === null) return;
  const encoded = await indexOf(verified, null);
  const difference = encoded === null ? Number.POSITIVE_INFINITY : largestDifference(stored, encoded);
  if (difference > vectorTolerance) throw changed(`differs from what the encoder gives by up to ${difference}`);
  if (headsBehind(stored).length === 0) return;
  const fitted = await indexOf(verified, stored);
  if (fitted?.equals(stored) !== true) throw changed("its heads do not match its vectors");
}

/** Builds the index file of this catalog and these models. @param vectorBytes  null to encode the texts */
async function indexOf(verified: VerifiedBundle, vectorBytes: Buffer | null): Promise<Buffer | null> {
  const { catalog, sources } = requireStart(verified);
  const models = await loadModels(catalog, { ...sources, vectorBytes }, { workers: 1, queueLimit: 64 });
  await models.close();
  return models.vectorBytes();
}

const changed = (found: string): SluiceError =>
  new SluiceError("IDENTITY_MISMATCH", `${bundleFiles.vectors}: ${found}`, {
    hint: say`Do not approve this bundle. Sign a new manifest: ${command`sluice manifest create`}.`,
  });
