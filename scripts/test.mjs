// Runs the compiled tests: by default the fast ones; with --slow the slow ones; with --all all of them; with --coverage
// all of them under coverage. `npm test -- policy` runs the test files whose path contains "policy", fast or slow.
import { runTests } from "./test-run.mjs";

const words = process.argv.slice(2);
const filters = words.filter((word) => !word.startsWith("--"));
const part = words.includes("--slow") ? "slow" : "fast";
const coverage = words.includes("--coverage");
const all = coverage || words.includes("--all");
const wanted = filters.length > 0 ? { filters } : all ? { coverage } : { part };
const { passed, failed, rest } = await runTests(wanted);
process.stdout.write(`${passed} passed, ${failed} failed${rest}\n`);
process.exitCode = failed > 0 ? 1 : 0;
