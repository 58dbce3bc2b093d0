import { problemsError } from "../../src/artifacts/verify/problem.js";
import type { VerifiedBundle } from "../../src/artifacts/verify/verify-bundle.js";
import { explainStart, type StartQuestion } from "../../src/routing/start/explain-start.js";

/**
 * A bundle that a server would serve: every check of a production start, with models loaded and golden decisions
 * reproduced. Checks of one deployment (state file, options) are left to the server.
 * @throws {SluiceError} with the code of the first problem; the message names every problem, details.problems lists
 *   them
 */
export async function verifyStart(question: Omit<StartQuestion, "workers">): Promise<VerifiedBundle> {
  const { verified, refusal, findings } = await explainStart({ ...question, workers: 1 });
  if (verified !== null && findings.length === 0) return verified;
  const known = (refusal?.details?.["problems"] as readonly unknown[] | undefined)?.length ?? 1;
  if (refusal !== null && findings.length === known) throw refusal;
  const problems = findings.map(({ code, file, message }) => ({ code, file, message }));
  throw problemsError(question.directory, problems);
}
