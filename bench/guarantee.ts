/**
 * Measures how often certified claims are broken. Repeats certification in synthetic worlds with known true risk, for
 * targets of 2, 5, 10 and 20% and with 16, 40, 52, 80 and 150 workflows for certification. Prints every claim, and for
 * comparison rules without claims. test/calibrate/guarantee/worlds.ts defines which claim covers which world. Exits
 * with 1 if a claim is broken more often than chance explains in a world that it covers.
 *
 *   npm run bench:guarantee -- [--repetitions 1000] [--workflows 16,40,52,80,150]
 *       [--targets 0.02,0.05,0.1,0.2] [--rules NAME,...] [--world TEXT] [--seed 1] [--json]
 */
import { parseArgs } from "node:util";
import {
  type ConversationWorld,
  conversationWorlds,
  runConversations,
} from "../test/calibrate/guarantee/conversations.js";
import { allowedViolations, isBroken, runWorld, type WorldOutcome } from "../test/calibrate/guarantee/run-worlds.js";
import { runSlices } from "../test/calibrate/guarantee/slices.js";
import { syntheticWorlds } from "../test/calibrate/guarantee/worlds.js";

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "1000" },
    workflows: { type: "string", default: "16,40,52,80,150" },
    targets: { type: "string", default: "0.02,0.05,0.1,0.2" },
    rules: { type: "string" },
    world: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const [repetitions, seed] = [Number(values.repetitions), Number(values.seed)];

function line(outcome: WorldOutcome): string {
  const {
    world,
    workflows,
    target,
    rule,
    claim,
    covered,
    repetitions: n,
    violations,
    meanRisk,
    coverage,
    bestCoverage,
  } = outcome;
  const verdict = isBroken(outcome) ? "BROKEN" : covered ? "held" : "not covered";
  return [
    world.padEnd(22),
    String(workflows).padStart(4),
    target.toFixed(2),
    rule.padEnd(24),
    claim.padEnd(26),
    `${violations}/${n}`.padStart(9),
    meanRisk.toFixed(3),
    `${coverage.toFixed(3)} of ${bestCoverage.toFixed(3)}`,
    verdict,
  ].join("  ");
}

/** Claims about follow-ups of conversations, whose requests are right or wrong together. */
function conversationOutcome(world: ConversationWorld, target: number) {
  const outcome = runConversations(world, { conversations: 600, repetitions, target, seed });
  const cells = (["repeats", "changes"] as const).map((kind) => {
    const { certified, violations } = outcome[kind];
    return `${kind}: ${violations} false of ${certified} certified`;
  });
  if (!values.json) process.stdout.write(`${world.name.padEnd(26)} ${target.toFixed(2)}  ${cells.join(", ")}\n`);
  return { world: world.name, target, ...outcome };
}

const outcomes: WorldOutcome[] = [];
if (!values.json) {
  process.stdout.write(
    "world  workflows  target  rule  claim  broken  mean risk  coverage  verdict at 5% + 3 standard errors\n",
  );
}
for (const world of syntheticWorlds.filter(({ name }) => name.includes(values.world))) {
  const started = performance.now();
  for (const workflows of values.workflows.split(",").map(Number)) {
    const found = runWorld(world, {
      workflows,
      repetitions,
      seed,
      targets: values.targets.split(",").map(Number),
      ...(values.rules === undefined ? {} : { only: values.rules.split(",") }),
    });
    outcomes.push(...found);
    if (!values.json) process.stdout.write(found.map((outcome) => `${line(outcome)}\n`).join(""));
  }
  process.stderr.write(`${world.name}: ${Math.round((performance.now() - started) / 1000)} s\n`);
}
const conversations: ReturnType<typeof conversationOutcome>[] = [];
for (const world of conversationWorlds.filter(({ name }) => name.includes(values.world))) {
  for (const target of [0.05, 0.1]) conversations.push(conversationOutcome(world, target));
}
/** Claims about four languages of one calibration, whose requests differ in difficulty. */
function slicesOutcome(workflows: number, target: number) {
  const outcome = runSlices({ workflows, repetitions, target, seed });
  const { violations, certified, violationsTogether } = outcome;
  if (!values.json) {
    process.stdout.write(
      `slices: ${workflows} workflows each, ${target.toFixed(2)}  ${violations} of ${repetitions} calibrations with a false claim, ` +
        `${certified} claims certified; one threshold for all: ${violationsTogether} false\n`,
    );
  }
  return { workflows, target, ...outcome };
}

const slices = "slices".includes(values.world)
  ? values.workflows
      .split(",")
      .flatMap((workflows) => [0.05, 0.1].map((target) => slicesOutcome(Number(workflows), target)))
  : [];
if (values.json) process.stdout.write(`${JSON.stringify({ worlds: outcomes, conversations, slices })}\n`);
const isFalse = ({ repeats, changes }: (typeof conversations)[number]): boolean =>
  repeats.violations + changes.violations > allowedViolations(repetitions);
const areFalse = slices.some(({ violations }) => violations > allowedViolations(repetitions));
process.exitCode = outcomes.some(isBroken) || conversations.some(isFalse) || areFalse ? 1 : 0;
