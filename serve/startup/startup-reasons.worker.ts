/** Runs `findStartupReasons` in a separate thread. */
import { answerTask } from "../../src/trust/thread.js";
import { findStartupReasons, type StartupQuestion } from "./find-startup-reasons.js";

await answerTask<StartupQuestion>(async (question) => ({ value: await findStartupReasons(question) }));
