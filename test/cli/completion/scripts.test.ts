import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commands } from "../../../cli/commands.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { testWithTool } from "../../support/external-tool.js";
import { sluice } from "../support/sluice.js";

/** Command lines, the last word under the cursor, with words that must and must not be offered. */
const cases: readonly (readonly [line: string, offered: readonly string[], not: readonly string[]])[] = [
  ["sluice ", ["init", "catalog", "help"], ["lint"]],
  ["sluice cat", ["catalog"], ["init"]],
  ["sluice catalog ", ["check", "show", "lint", "diff", "export"], ["init"]],
  ["sluice catalog lint --fa", ["--fail-on"], ["--color"]],
  ["sluice catalog lint --fail-on ", ["error", "warning", "never"], []],
  ["sluice schema ", ["catalog", "project", "policy"], []],
  ["sluice -C folder run --un", ["--until"], ["--all"]],
  ["sluice run --color ", ["auto", "always", "never"], []],
  ["sluice init cata", ["catalog.yaml"], []],
];

async function inFolderWithScript(shell: string, run: (cwd: string, script: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "catalog.yaml"), "");
    await mkdir(join(cwd, "folder"));
    const { code, stdout } = await sluice(["completion", shell], { cwd });
    assert.is(code, 0);
    const script = join(cwd, `completion.${shell}`);
    await writeFile(script, stdout);
    await run(cwd, script);
  });
}

function offers(program: string, args: readonly string[], cwd: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  assert.is(status, 0, stderr);
  assert.is(stderr, "");
  return stdout.split("\n").map((line) => line.split("\t")[0]?.trim() ?? "");
}

function requireOffers(
  line: string,
  found: readonly string[],
  offered: readonly string[],
  not: readonly string[],
): void {
  for (const word of offered) assert.ok(found.includes(word), `${line}: ${word} among ${found.join(" ")}`);
  for (const word of not) assert.not.ok(found.includes(word), `${line}: ${word}`);
}

/** The function of the script with the variables that bash sets. */
const bashLine = (line: string): string => {
  const words = line.split(" ").map((word) => `"${word}"`);
  return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
};

test("bash offers nouns, verbs, flags, their words, and files; a folder after -C is no noun", () =>
  inFolderWithScript("bash", async (cwd, script) => {
    for (const [line, offered, not] of cases) {
      const found = offers("bash", ["--norc", "-c", `. "${script}"; ${bashLine(line)}`], cwd);
      requireOffers(line, found, offered, not);
    }
  }));

testWithTool(test, "zsh", "zsh offers the same", () =>
  inFolderWithScript("zsh", async (cwd, script) => {
    // zsh itself leaves out what does not begin as the word does.
    for (const [line, offered] of cases) {
      const loaded = `. "${script}"; emulate -L sh; setopt kshglob noshglob braceexpand ksharrays; ${bashLine(line)}`;
      requireOffers(line, offers("zsh", ["-f", "-c", loaded], cwd), offered, []);
    }
  }),
);

testWithTool(test, "fish", "fish offers the same, with what each word does", () =>
  inFolderWithScript("fish", async (cwd, script) => {
    for (const [line, offered, not] of cases) {
      const found = offers("fish", ["--no-config", "-c", `source "${script}"; complete -C"${line}"`], cwd);
      requireOffers(line, found, offered, not);
    }
  }),
);

test("every command and every flag is in each script", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    await inFolderWithScript(shell, async (cwd) => {
      const { stdout } = await sluice(["completion", shell], { cwd });
      for (const { name, options } of commands) {
        assert.ok(stdout.includes(name.join(" ")), name.join(" "));
        for (const flag of Object.keys(options)) assert.ok(stdout.includes(flag), flag);
      }
    });
  }
});
