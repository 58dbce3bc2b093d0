/**
 * Measures claims of owners who read the wrong routes of a test and edit: calibrate, read, edit, calibrate again. Each
 * loop is run with the memory of what was seen, and without it. Exits with 1 if claims with the memory are false in more
 * loops than 5% and three standard errors.
 *
 *   node dist/bench/edit-loop.js [--repetitions 200] [--rounds 5] [--seed 1]
 */
import { parseArgs } from "node:util";
import { editLoop, editors, falseLoops } from "../test/calibrate/guarantee/edit-loop.js";
import { allowedViolations } from "../test/calibrate/guarantee/run-worlds.js";

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
  },
});
const [repetitions, rounds, seed] = [Number(values.repetitions), Number(values.rounds), Number(values.seed)];
process.stdout.write("catalog  editor  memory  false in any round  limits of the last round  routed\n");
for (const [workflows, requests] of [
  [12, 15],
  [30, 20],
] as const) {
  for (const editor of editors) {
    for (const remembers of [true, false]) {
      const loops = Array.from({ length: repetitions }, (_, at) =>
        editLoop({ workflows, requests, rounds, editor, seed: seed * 100_000 + at, remembers }),
      );
      const wrong = falseLoops(loops);
      const last = loops.flatMap((one) => one.at(-1) ?? []);
      const routed = last.reduce((sum, one) => sum + one.routed, 0) / repetitions;
      const signed = last.filter(({ limit }) => limit === 0.05).length;
      if (remembers && wrong > allowedViolations(repetitions)) process.exitCode = 1;
      process.stdout.write(
        `${workflows} x ${requests}  ${editor}  ${remembers ? "yes" : "no"}  ${wrong} of ${repetitions}  5% in ${signed}  ${routed.toFixed(3)}\n`,
      );
    }
  }
}
