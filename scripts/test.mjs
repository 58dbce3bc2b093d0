// Runs the compiled tests. `npm test -- policy` runs the test files whose path contains "policy", without coverage.
import { runTests } from "./test-run.mjs";

const { passed, failed, rest } = await runTests(process.argv.slice(2));
process.stdout.write(`${passed} passed, ${failed} failed${rest}\n`);
process.exitCode = failed > 0 ? 1 : 0;
