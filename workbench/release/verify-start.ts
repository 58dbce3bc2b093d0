import { bundleFiles } from "../../src/artifacts/bundle-layout.js";
import { problemsError } from "../../src/artifacts/verify/problem.js";
import type { VerifiedBundle } from "../../src/artifacts/verify/verify-bundle.js";
import { SluiceError } from "../../src/errors/error.js";
import { largestDifference } from "../../src/retrieval/stored-vectors.js";
import { loadModels } from "../../src/routing/load-models.js";
import { explainStart, type StartQuestion } from "../../src/routing/start/explain-start.js";
import { requireStart } from "../../src/routing/start/start-checks.js";

/** Largest accepted difference between a stored number of a vector and the same number encoded here. */
const vectorTolerance = 1e-3;

/**
 * A bundle that a server would serve: every check of a production start, with models loaded and golden decisions
 * reproduced; its stored vectors are those of its encoder. Checks of one deployment (state file, options) are left to
 * the server.
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

/** A server trusts the stored vectors; who approves has them encoded again. @throws {SluiceError} IDENTITY_MISMATCH */
async function requireOwnVectors(verified: VerifiedBundle): Promise<void> {
  const { vectorBytes } = verified;
  if (vectorBytes === null) return;
  const { catalog, sources } = requireStart(verified);
  const models = await loadModels(catalog, { ...sources, vectorBytes: null }, { workers: 1, queueLimit: 64 });
  const encoded = models.vectorBytes();
  await models.close();
  const difference = encoded === null ? Number.POSITIVE_INFINITY : largestDifference(vectorBytes, encoded);
  if (difference <= vectorTolerance) return;
  const file = bundleFiles.vectors;
  throw new SluiceError("IDENTITY_MISMATCH", `${file}: differs from what the encoder gives by up to ${difference}`, {
    hint: "Do not approve this bundle. Sign a new manifest: sluice manifest create.",
  });
}
