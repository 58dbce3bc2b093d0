import { readOptions } from "../../src/base/options.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine, optionTitle, positionalTitle } from "../../cli/command.js";
import { parseCommandLine } from "../../cli/command-line.js";
import { commands } from "../../cli/commands.js";
import { exitCodes } from "../../cli/result.js";
import { globalOptions } from "../../cli/global-options.js";
import { nounDescriptions } from "../../cli/nouns.js";
import { errorCodes } from "../../src/base/error-codes.js";
import { filesBelow } from "../architecture/files.js";
import { assert, packageRoot, test } from "../support/test.js";
import { loadedBefore, reachedFrom } from "../support/import-graph.js";

test("every command has a distinct name", () => {
  const names = commands.map(commandLine);
  assert.is(new Set(names).size, names.length);
  assert.ok(names.length >= 14, `${names.length} commands`);
});

/** Words of a line, where single quotes keep spaces. */
const shellWords = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");

test("every example can be run as printed, and runs its own command", async () => {
  for (const command of commands) {
    for (const [line] of command.examples) {
      const invocation = await parseCommandLine(shellWords(line).slice(1), {}, commands, {
        version: "0.0.0",
        columns: 100,
      });
      if (invocation.kind !== "command") return assert.unreachable(line);
      assert.is(commandLine(invocation.command), commandLine(command), line);
      readOptions(command.positionals, invocation.given, positionalTitle);
      readOptions(command.options, invocation.given, optionTitle);
    }
  }
});

test("a flag takes the same kind of value wherever it occurs, because its environment twin is one", () => {
  const kinds = new Map<string, string | null>();
  for (const { options } of [...commands, { options: globalOptions }]) {
    for (const [name, { placeholder }] of Object.entries(options)) {
      assert.is(kinds.get(name) ?? placeholder, placeholder, name);
      kinds.set(name, placeholder);
    }
  }
});

test("every command that signs takes every kind of signer", () => {
  const signers = ["key", "passphrase-file", "ssh-agent", "signer-command", "signer-timeout", "detach", "attach"];
  const signing = commands.filter(({ options }) => "key" in options);
  assert.equal(signing.map(({ name }) => name.join(" ")).sort(), [
    "approve",
    "history checkpoint",
    "manifest create",
    "reject",
    "revoke",
    "trust sign",
  ]);
  for (const { name, options } of signing) {
    for (const signer of signers) assert.ok(signer in options, `${name.join(" ")} has no --${signer}`);
  }
});

test("no command redefines an option of every command", () => {
  for (const command of commands) {
    const own = Object.keys({ ...command.options, ...command.positionals });
    assert.equal(
      own.filter((name) => name in globalOptions),
      [],
      commandLine(command),
    );
  }
});

test("command descriptions need no package, so that help is immediate", () => {
  for (const file of filesBelow("cli/specs")) {
    for (const reached of reachedFrom(file, true)) {
      const text = readFileSync(join(packageRoot, "dist", reached.replace(/\.ts$/, ".js")), "utf8");
      const packages = [...text.matchAll(/ from "(?!\.|node:)([^"]+)"/g)].map(([, name]) => name);
      assert.equal(packages, [], `${file} reaches ${reached}`);
    }
  }
});

test("charts, tables, models and the database are loaded by the commands that need them, not by every start", () => {
  const heavy = ["vega", "vega-lite", "arquero", "onnxruntime-node", "better-sqlite3", "fastify"];
  const loadedBy = (file: string) => heavy.filter((name) => loadedBefore(file).has(name));
  assert.equal(loadedBy("cli/main.ts"), []);
  const withCharts = filesBelow("cli/commands").filter((file) => loadedBefore(file).has("vega"));
  assert.equal(withCharts, [], "import vega where a chart is drawn");
  assert.ok(loadedBefore("cli/commands/status.ts").has("reports/render-chart.ts"), "status is one that knows a report");
});

test("every noun is described", () => {
  for (const { name } of commands.filter((command) => command.name.length === 2)) {
    assert.ok(nounDescriptions[name[0]], name[0]);
  }
});

test("every exit code of an error is in the table of exit codes", () => {
  for (const [code, { exitCode }] of Object.entries(errorCodes)) assert.ok(exitCode in exitCodes, code);
});
