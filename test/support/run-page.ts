import { spawnSync } from "node:child_process";
import * as assert from "uvu/assert";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, wordsOf } from "./doc-page.js";
import { freePort } from "./free-port.js";
import { programs, type Running, startProgram } from "./run-program.js";

/** What the commands of a page printed, in order, with white space collapsed. */
export interface PageTranscript {
  readonly text: string;
  /** Lines that were run. */
  readonly lines: readonly string[];
}

/** What somebody did before: the lines of a page that were run in the folder, and what they printed. */
export interface Begun {
  readonly lines: readonly string[];
  readonly text: string;
}

/** Nobody types here: the passphrase and the confirmation come from the environment. */
const environment = { SLUICE_PASSPHRASE: "for this test only", SLUICE_YES: "1" };

const pagePort = "8080";

const oneBlank = (text: string): string => text.replaceAll(/[ \t]+/g, " ");

/**
 * Runs every shell line of a page as its reader would, in one folder: commands in this process, servers as programs in the
 * background until the page ends or starts the next one, everything else with `sh`. The word BUNDLE stands for the bundle
 * id that was printed last. Then each line of the `text` blocks must be part of what was printed.
 * @param begun  the first lines of the page, when the folder is one in which they were run
 */
export async function runPage(
  page: string,
  cwd: string,
  begun: Begun = { lines: [], text: "" },
): Promise<PageTranscript> {
  const lines = codeBlocks(page, "sh").flatMap((block) => block.trim().split("\n"));
  assert.equal(lines.slice(0, begun.lines.length), begun.lines);
  const port = await freePort();
  let server: Running | null = null;
  let printed = begun.text;
  try {
    for (const line of lines.slice(begun.lines.length)) {
      const bundle = [...printed.matchAll(/^bundle +([0-9a-f]{64})/gm)].at(-1)?.[1] ?? "BUNDLE";
      const typed = line.replaceAll(pagePort, String(port)).replace("BUNDLE", bundle);
      if (isServer(line)) {
        await stop(server);
        const [file, args] = commandOf(typed);
        server = startProgram(file, args, environment, cwd);
        const [, address = ""] = await server.untilStderr(/(?:listens on|serving) +(http:\/\/[^\s:]+:\d+)/);
        assert.is((await fetch(`${address}/health/ready`)).status, 200, line);
        printed += server.printed().stderr;
        continue;
      }
      printed += await runLine(typed, cwd);
    }
  } finally {
    await stop(server);
  }
  const text = oneBlank(printed).replaceAll(String(port), pagePort);
  for (const shown of codeBlocks(page, "text").flatMap((block) => block.trim().split("\n"))) {
    assert.ok(text.includes(oneBlank(shown)), `the page shows "${shown}", and no command printed it:\n${text}`);
  }
  return { text, lines };
}

const isServer = (line: string): boolean => /^npx sluice(-serve(?! control)| serve) /.test(line);

/** The compiled program of a line and its arguments. */
function commandOf(line: string): readonly [file: string, args: readonly string[]] {
  const [, program, ...args] = wordsOf(line);
  return [program === "sluice-serve" ? programs.serve : programs.sluice, args];
}

async function runLine(line: string, cwd: string): Promise<string> {
  if (line.startsWith("npx sluice-serve ")) {
    const [file, args] = commandOf(line);
    const { code, stdout, stderr } = await startProgram(file, args, environment, cwd).finished;
    assert.is(code, 0, `${line}: ${stderr}`);
    return `${stderr}\n${stdout}\n`;
  }
  if (line.startsWith("npx ")) {
    const { code, stdout, stderr } = await sluice(commandOf(line)[1], { cwd, env: environment });
    assert.is(code, 0, `${line}: ${stderr}\n${stdout}`);
    return `${stderr}\n${stdout}\n`;
  }
  const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" });
  assert.is(status, 0, `${line}: ${stderr}`);
  return `${stdout}\n`;
}

async function stop(server: Running | null): Promise<void> {
  if (server === null) return;
  server.child.kill("SIGINT");
  await server.finished;
}
