import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { initOnPage } from "./support/on-page.js";
import { sluice } from "./support/sluice.js";

const tickets = ["question,answer,topic,team"].concat(
  ["cancel", "refund", "track"].flatMap((topic) =>
    Array.from(
      { length: 6 },
      (_, at) => `please ${topic} my order ${at},we did that for you ${at},${topic},desk ${at % 2}`,
    ),
  ),
);

const tokenOf = (html: string): string => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? "";
const commandOf = (html: string): string => /<code>(sluice init [^<]*)<\/code>/.exec(html)?.[1] ?? "";

async function send(address: string, form: readonly (readonly [string, string])[]) {
  const body = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value]));
  const answer = await fetch(`${address}/`, { method: "POST", body });
  return { status: answer.status, html: await answer.text() };
}

test("the page shows the columns, labels and effects of choices, and writes what its command writes", () =>
  inTemporaryFolder(async (cwd) => {
    const file = join(cwd, "tickets.csv");
    const into = join(cwd, "p");
    await writeFile(file, `${tickets.join("\n")}\n`);
    let command = "";
    const { code, stdout } = await initOnPage([file, "--into", into, "--owner", "me"], async (address) => {
      const first = await (await fetch(`${address}/`)).text();
      assert.match(first, /question<span class="role">text<\/span>/);
      assert.match(first, /topic<span class="role">label<\/span>/);
      assert.not(existsSync(into), "nothing is written before");
      const chosen = [
        ["token", tokenOf(first)],
        ["text_column", "question"],
        ["label_column", "topic"],
        ["outside", "track"],
      ] as const;
      const shown = await send(address, [...chosen, ["do", "show"]]);
      assert.match(shown.html, /2<\/dd>/);
      assert.match(shown.html, /aria-label="track is out of scope" checked/);
      command = commandOf(shown.html);
      assert.not(existsSync(into));
      const written = await send(address, [...chosen, ["do", "write"]]);
      assert.match(written.html, "The project has been written");
    });
    assert.is(code, 0);
    assert.match(stdout, /^workflows +2$/m);
    const other = join(cwd, "q");
    const words = command
      .split(" ")
      .slice(1)
      .map((word) => (word === into ? other : word));
    assert.is((await sluice(words, { cwd })).code, 0, command);
    for (const name of ["catalog.yaml", "requests.jsonl", "sluice.yaml"]) {
      assert.is(await readFile(join(into, name), "utf8"), await readFile(join(other, name), "utf8"), name);
    }
  }));

test("where only a person can choose a column, the page shows the choice, and an interruption writes nothing", () =>
  inTemporaryFolder(async (cwd) => {
    const file = join(cwd, "open.csv");
    const rows = tickets.map((line) => line.replace("question,answer,topic", "alpha,beta,topic"));
    await writeFile(file, `${rows.join("\n")}\n`);
    const { code, stderr } = await initOnPage([file, "--into", join(cwd, "p"), "--owner", "me"], async (address) => {
      const first = await (await fetch(`${address}/`)).text();
      assert.match(first, "2 columns may hold what the user said");
      assert.not.match(first, "Write project");
      const chosen = await send(address, [
        ["token", tokenOf(first)],
        ["text_column", "alpha"],
        ["do", "show"],
      ]);
      assert.match(chosen.html, "Write project");
    });
    assert.is(code, 130, stderr);
    assert.not(existsSync(join(cwd, "p")));
  }));

test("several text columns that the command names stay chosen on the page and in its command", () =>
  inTemporaryFolder(async (cwd) => {
    const file = join(cwd, "tickets.csv");
    await writeFile(file, `${tickets.join("\n")}\n`);
    const both = ["--text-column", "question", "--text-column", "answer"];
    await initOnPage([file, "--into", join(cwd, "p"), ...both], async (address) => {
      const html = await (await fetch(`${address}/`)).text();
      const [, value = ""] = /value="([^"]*)" selected>question \+ answer</.exec(html) ?? [];
      assert.match(html, /answer<span class="role">text<\/span>/);
      const sent = await send(address, [
        ["token", tokenOf(html)],
        ["text_column", value],
        ["do", "show"],
      ]);
      assert.match(commandOf(sent.html), "--text-column question --text-column answer");
    });
    assert.not(existsSync(join(cwd, "p")));
  }));

test("a form without the secret of the page is refused", () =>
  inTemporaryFolder(async (cwd) => {
    const file = join(cwd, "tickets.csv");
    await writeFile(file, `${tickets.join("\n")}\n`);
    await initOnPage([file, "--into", join(cwd, "p")], async (address) => {
      assert.is(
        (
          await send(address, [
            ["token", "guessed"],
            ["do", "write"],
          ])
        ).status,
        400,
      );
      assert.is((await send(address, [["do", "write"]])).status, 400);
      assert.is((await fetch(`${address}/`, { method: "POST", body: "{}" })).status, 400);
    });
    assert.not(existsSync(join(cwd, "p")));
  }));
