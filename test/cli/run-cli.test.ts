import { flag, optional } from "../../src/base/options.js";
import { type Command, defineCommand, type WorkOf } from "../../cli/command.js";
import type { CommandSpec } from "../../cli/command-spec.js";
import { count } from "../../stages/options/kinds.js";
import type { Gate } from "../../cli/result.js";
import { runCli } from "../../cli/run-cli.js";
import { SluiceError } from "../../src/base/error.js";
import { assert, test } from "../support/test.js";
import { testWorld } from "./support/test-world.js";

const gates: Readonly<Record<string, Gate>> = {
  pass: { name: "risk", verdict: "pass", message: "0.004 <= 0.010" },
  notShown: { name: "tier high", verdict: "not_shown", message: "needs n >= 736" },
};

/** A command that shows what the frame gave to it, or fails as it is told. */
const probeSpec = {
  name: ["probe", "run"],
  describe: "Show what the frame gives",
  positionals: {},
  options: {
    size: optional(count, "a number"),
    fail: flag("throw"),
    gate: flag("miss a gate"),
    broken: flag("return a number that is not finite"),
    wait: flag("wait for the interruption"),
  },
  examples: [
    ["sluice probe run", "once"],
    ["sluice probe run --size 3", "with a size"],
  ],
} satisfies CommandSpec;

const showFrame: WorkOf<typeof probeSpec> = async (context, args) => {
  context.note("a note");
  context.progress.start("working", 2);
  context.progress.update(2);
  if (args.fail) throw new SluiceError("DOCUMENT_INVALID", "no rows", { hint: "Add one.", details: { rows: 0 } });
  if (args.wait) await new Promise((_, reject) => context.signal.addEventListener("abort", () => reject("stop")));
  const shown = args.gate ? [gates["pass"], gates["notShown"]] : [gates["pass"]];
  return {
    schema: "probe@1",
    result: { size: args.broken ? Number.NaN : (args.size ?? null), actor: context.actor },
    lines: ["a line"],
    gates: shown.filter((gate) => gate !== undefined),
    warnings: ["a warning"],
    next: [context.next("probe", "run", "a b")],
  };
};
const probe = defineCommand(probeSpec, async () => showFrame);
const commands: readonly Command[] = [probe];

test("text mode: lines on stdout; notes, progress, warnings and next steps on stderr", async () => {
  const world = testWorld();
  assert.is(await runCli(["probe", "run"], world, commands), 0);
  assert.is(world.written.stdout, "a line\n");
  assert.is(world.written.stderr, "a note\nworking: 100% (2/2)\nwarning  a warning\nnext     sluice probe run 'a b'\n");
});

test("the actor is the user of the environment, else of the system, else unknown", async () => {
  const actorIn = async (changes: Parameters<typeof testWorld>[0]): Promise<string> => {
    const world = testWorld(changes);
    await runCli(["probe", "run", "--json"], world, commands);
    return (JSON.parse(world.written.stdout) as { result: { actor: string } }).result.actor;
  };
  assert.is(await actorIn({ env: { USER: "ann" }, user: "bo" }), "ann");
  assert.is(await actorIn({ user: "bo" }), "bo");
  assert.is(await actorIn({ env: { USERNAME: "cy" } }), "cy");
  assert.is(await actorIn({}), "unknown");
});

test("at a narrow terminal lines are folded, and a next step stays one command", async () => {
  const world = testWorld({ columns: { stdout: 60, stderr: 60 } });
  const shape: CommandSpec = {
    name: ["probe", "run"],
    describe: "Print a long line",
    positionals: {},
    options: {},
    examples: [
      ["sluice probe run", "once"],
      ["sluice probe run --json", "as data"],
    ],
  };
  const long = defineCommand(shape, async () => async (context) => ({
    schema: "probe@1",
    result: {},
    lines: [`name  ${"word ".repeat(30)}`],
    warnings: ["careful ".repeat(12)],
    next: [context.next("probe", "run", "--text", "some words that belong together", "--workspace", "another-folder")],
  }));
  await runCli(["probe", "run", "--color", "never"], world, [long]);
  const lines = `${world.written.stdout}${world.written.stderr}`.split("\n");
  assert.equal(
    lines.filter((line) => line.length > 60),
    [],
  );
  assert.match(world.written.stderr, /next {5}sluice probe run .* \\\n {11}/);
});

test("--quiet leaves out notes and progress only", async () => {
  const world = testWorld();
  await runCli(["probe", "run", "-q"], world, commands);
  assert.is(world.written.stderr, "warning  a warning\nnext     sluice probe run 'a b'\n");
});

test("--json prints one document and nothing on stderr", async () => {
  const world = testWorld({ env: { USER: "ann" } });
  assert.is(await runCli(["probe", "run", "--json", "--size", "0"], world, commands), 0);
  assert.is(world.written.stderr, "");
  assert.ok(world.written.stdout.endsWith("}\n"));
  const document = JSON.parse(world.written.stdout) as object;
  assert.equal(Object.keys(document), ["schema", "result", "gates", "warnings", "next"]);
  assert.equal(document, {
    schema: "probe@1",
    result: { size: 0, actor: "ann" },
    gates: [gates["pass"]],
    warnings: ["a warning"],
    next: [{ command: "sluice", args: ["probe", "run", "a b"] }],
  });
});

test("a gate that was not met gives a result and exit code 3", async () => {
  const world = testWorld();
  assert.is(await runCli(["probe", "run", "--gate", "--json"], world, commands), 3);
  assert.match(world.written.stdout, /"schema": "probe@1"/);
});

test("a failure is one document with --json, and has the exit code of its error", async () => {
  const world = testWorld();
  assert.is(await runCli(["probe", "run", "--fail", "--json"], world, commands), 2);
  assert.equal(JSON.parse(world.written.stdout), {
    schema: "error@1",
    error: { code: "DOCUMENT_INVALID", message: "no rows", hint: "Add one.", commands: [], details: { rows: 0 } },
  });
});

test("a failure without --json leaves stdout empty", async () => {
  const world = testWorld();
  assert.is(await runCli(["probe", "run", "--fail", "-q"], world, commands), 2);
  assert.is(world.written.stdout, "");
  assert.is(world.written.stderr, "error    DOCUMENT_INVALID: no rows\nhint     Add one.\n");
});

test("a number that is not finite is never printed", async () => {
  const world = testWorld();
  assert.is(await runCli(["probe", "run", "--broken", "--json"], world, commands), 1);
  assert.match(world.written.stdout, /"code": "INTERNAL"/);
});

test("an interruption ends with 130 and the line that resumes", async () => {
  const controller = new AbortController();
  const world = testWorld({ signal: controller.signal });
  const running = runCli(["probe", "run", "--wait", "--size", "3"], world, commands);
  setImmediate(() => controller.abort());
  assert.is(await running, 130);
  assert.match(world.written.stderr, /hint {5}Resume with: sluice probe run --wait --size 3\n$/);
});

test("a flag overrides its environment variable, and an empty variable counts as unset", async () => {
  const sizeWith = async (argv: readonly string[], env: Record<string, string>): Promise<unknown> => {
    const world = testWorld({ env });
    await runCli(["probe", "run", "--json", ...argv], world, commands);
    return (JSON.parse(world.written.stdout) as { result: { size: unknown } }).result.size;
  };
  assert.is(await sizeWith([], { SLUICE_SIZE: "7" }), 7);
  assert.is(await sizeWith(["--size", "0"], { SLUICE_SIZE: "7" }), 0);
  assert.is(await sizeWith([], { SLUICE_SIZE: "" }), null);
  assert.is(await sizeWith([], { SLUICE_UNKNOWN: "7" }), null);
});

test("the twin of --json also governs failures of the command line", async () => {
  const world = testWorld({ env: { SLUICE_JSON: "1" } });
  assert.is(await runCli(["prob"], world, commands), 2);
  assert.match(world.written.stdout, /"message": "there is no command \\"prob\\"; did you mean \\"probe\\"\?"/);
});

test("a workspace that the caller chose is repeated in the next steps", async () => {
  const world = testWorld();
  await runCli(["probe", "run", "-q", "-w", "my space"], world, commands);
  assert.match(world.written.stderr, /next {5}sluice probe run 'a b' --workspace 'my space'\n/);
});

const usage: readonly (readonly [argv: string, message: string])[] = [
  ["", "sluice: no command given"],
  ["probe", "sluice probe: no command given"],
  ["probe rnu", 'there is no command "probe rnu"; did you mean "probe run"?'],
  ["zzzzzzzz", 'there is no command "zzzzzzzz"'],
  ["probe run --sise 3", "sluice probe run has no flag --sise; did you mean --size?"],
  ["probe run --sise=3", "sluice probe run has no flag --sise; did you mean --size?"],
  ["probe run -x", "sluice probe run has no flag -x"],
  ["probe run --no-fail", "sluice probe run has no flag --no-fail"],
  ["probe run --size", "--size needs a value"],
  ["probe run --size=", '--size: found "", expected a whole number, 0 or more'],
  ["probe run --size abc", '--size: found "abc", expected a whole number, 0 or more'],
  ["probe run --size NaN", '--size: found "NaN", expected a whole number, 0 or more'],
  ["probe run --size 1 --size 2", "--size was given 2 times, expected once"],
  ["probe run extra", 'sluice probe run takes no further argument "extra"'],
  ["probe run -- --extra", 'sluice probe run takes no further argument "--extra"'],
];

for (const [argv, message] of usage) {
  test(`"sluice ${argv}" is refused: ${message}`, async () => {
    const world = testWorld();
    const code = await runCli(argv.split(" ").filter(Boolean), world, commands);
    assert.is(code, 2);
    assert.is(world.written.stdout, "");
    assert.is(world.written.stderr.split("\n")[0], `error    USAGE: ${message}`);
  });
}
