/** Looks for startup reasons in a thread of its own. */
import { answerTask } from "../../src/artifacts/thread.js";
import { findStartupReasons, type StartupQuestion } from "./find-startup-reasons.js";

await answerTask<StartupQuestion>(async (question) => ({ value: await findStartupReasons(question) }));
