import { assert, test } from "../support/test.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";
import { freePort } from "../support/free-port.js";
import { programs, type Running, startProgram } from "../support/run-program.js";
import { inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";

/** The session of three people of the page about single steps, line by line: signed, approved twice, served, revoked, stopped. */

const lines = codeBlocks(docSection(docPage("how-to/step-by-step.md"), "Releasing and revoking"), "console").flatMap(
  (block) => block.trim().split("\n"),
);

interface Session {
  readonly cwd: string;
  readonly port: number;
  readonly server: Running[];
  /** Output of each line that has run. */
  readonly said: Map<string, string>;
}

/** Runs one line of the page as a reader would; a server goes on in the background. */
async function runLine({ cwd, port, server, said }: Session, line: string): Promise<number | null> {
  const [program, ...words] = line.replaceAll("8080", String(port)).split(" ");
  if (program === "sluice-serve") {
    const running = startProgram(programs.serve, words, {}, cwd);
    server.push(running);
    said.set(line, (await running.untilStderr(/listens on .*\n/))[0]);
    return 0;
  }
  if (program === "curl") {
    const { status } = await fetch(words.at(-1) ?? "");
    said.set(`${line} ${said.size}`, String(status));
    return status;
  }
  assert.is(program, "sluice", line);
  const { code, stdout, stderr } = await sluice(words, { cwd });
  said.set(line, `${stdout}${stderr}`);
  return code;
}

async function ask(port: number): Promise<{ readonly decision: string; readonly reason_code: string }> {
  const health = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { catalog_version: string };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/route`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "please reset my password", catalog_version: health.catalog_version }),
  });
  return (await answer.json()) as { decision: string; reason_code: string };
}

test("the page covers the whole workflow of three people", () => {
  const verbs = lines.map((line) => line.split(" ").slice(0, 3).join(" "));
  assert.equal(
    verbs.map((verb) => verb.replace(/ (--|-s).*/, "")),
    [
      "sluice manifest create",
      "sluice manifest show",
      "sluice report release",
      "sluice approve",
      "sluice approve",
      "sluice bundle export",
      "sluice bundle verify",
      "sluice revoke",
      "sluice bundle verify",
      "sluice-serve",
      "curl",
      "sluice revoke",
      "curl",
      "sluice bundle verify",
    ],
  );
});

/** Runs every line; returns the exit codes of programs and the statuses of requests. */
async function runSession(session: Session): Promise<readonly (number | null)[]> {
  const codes: (number | null)[] = [];
  let bundle = "BUNDLE";
  for (const line of lines) {
    const revokes = line.startsWith("sluice revoke --bundle");
    if (revokes) assert.is.not((await ask(session.port)).reason_code, "RUNTIME_INTEGRITY_FAILURE");
    codes.push(await runLine(session, line.replace("BUNDLE", bundle)));
    const created = /^bundle +([0-9a-f]{64})$/m.exec(session.said.get(line) ?? "");
    bundle = created?.[1] ?? bundle;
  }
  return codes;
}

async function startAgain(cwd: string) {
  const words = (lines.find((line) => line.startsWith("sluice-serve")) ?? "").split(" ").slice(1, -1);
  return startProgram(programs.serve, [...words, "0"], {}, cwd).finished;
}

test("the session runs as printed: the server serves, and after the revocation it stops and no other one starts", () =>
  inRelease(async (cwd) => {
    const session: Session = { cwd, port: await freePort(), server: [], said: new Map() };
    const outputOf = (line: string | undefined): string => session.said.get(line ?? "") ?? "";
    try {
      const codes = await runSession(session);
      assert.equal(codes, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 0, 503, 4], [...session.said.values()].join("\n"));
      const stopped = await ask(session.port);
      assert.equal([stopped.decision, stopped.reason_code], ["LLM_REQUIRED", "RUNTIME_INTEGRITY_FAILURE"]);
      assert.match(outputOf(lines.at(-1)), "REVOKED");
      const { code, stderr } = await startAgain(cwd);
      assert.is(code, 4, stderr);
      assert.match(stderr, "REVOKED");
    } finally {
      for (const { child } of session.server) child.kill("SIGTERM");
      await Promise.all(session.server.map(({ finished }) => finished));
    }
  }));
