import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, testWith } from "../support/test.js";
import { clickThrough, knowing, labelOnPage, writeSmallLog } from "../cli/support/label-on-page.js";
import { sluice } from "../cli/support/sluice.js";
import { exampleLines, measuredExample, measuredProject } from "../cli/support/small-workspace.js";
import { docPage } from "../support/doc-page.js";
import { type Begun, runPage } from "../support/run-page.js";

/** Each page is run as its reader would; what several pages begin with is run once. */
const test = testWith<{ folder: string; begun: Begun }>();

/** How the tutorials of the approver and of the operator begin. */
const signing = [
  "npx sluice init --into shop --owner support --producer ann --approver bo --approver cy",
  "npx sluice run -C shop --release",
];

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-tutorials-"));
  await measuredProject(context.folder);
  const [, release = ""] = signing;
  const { text } = await runPage(`\`\`\`sh\n${release}\n\`\`\``, context.folder);
  context.begun = { lines: signing, text };
});

test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string): string => join(packageRoot, "test", "fixtures", name);

/** The example requests as a team would export them: signs in the header, other columns, gaps and repeats. */
function messyTickets(): string {
  const rows = readFileSync(join(packageRoot, "datasets/example/support-requests.csv"), "utf8").trim().split(/\r?\n/);
  const lines = rows.slice(1).flatMap((row, index) => {
    const cut = row.lastIndexOf(",");
    const [text, team] = [row.slice(0, cut), row.slice(cut + 1).replaceAll("_", " ")];
    const ticket = (value: string): string => `T-${index};  ${text} ;${value};${team};;`;
    const gap = index % 17 === 0 ? [";;;;;"] : [];
    return [ticket("1.299,00 €"), ...gap, ...(index % 23 === 0 ? [ticket("12,00 €")] : [])];
  });
  const bad = ["T-9998;;5,00 €;cancel order;;", "T-9999;what is this;;;;"];
  return ["\uFEFFTicket #; Customer wrote ;Order value (EUR);Handled by / Queue;;Notes", ...lines, ...bad].join("\r\n");
}

test("the data scientist's tutorial ends with a signed bundle", () =>
  inTemporaryFolder(async (cwd) => {
    const { folder, printed } = await measuredExample();
    cpSync(join(folder, "shop"), join(cwd, "shop"), { recursive: true });
    const [made] = printed;
    const begun = { lines: exampleLines.slice(0, 1), text: `${made.stderr}\n${made.stdout}\n` };
    const { text } = await runPage(docPage("tutorials/data-scientist.md"), cwd, begun);
    assert.match(text, "signed by its producer ann");
  }));

test("the approver's tutorial ends with an approved bundle, and no private key travels", ({ folder, begun }) =>
  inTemporaryFolder(async (cwd) => {
    cpSync(folder, cwd, { recursive: true });
    const { text } = await runPage(docPage("tutorials/approver.md"), cwd, begun);
    assert.match(text, "approved, ready to serve");
  }));

test("the operator's tutorial ends with a bundle that was served and revoked", ({ folder, begun }) =>
  inTemporaryFolder(async (cwd) => {
    cpSync(folder, cwd, { recursive: true });
    const { text } = await runPage(docPage("tutorials/operator.md"), cwd, begun);
    assert.match(text, "decision ROUTE cancel_order");
  }));

test("the tutorial of an unlabelled log leads from clicks to a signed claim and a served decision", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallLog(cwd);
    const page = docPage("tutorials/from-a-log.md");
    const [init = "", label = ""] = page.match(/^npx sluice .*$/gm) ?? [];
    assert.match(label, "npx sluice label -C desk --actor ann");
    const [, , ...words] = init.split(" ");
    const made = await sluice(words, { cwd, env: { SLUICE_SEED: "5" } });
    assert.is(made.code, 0, made.stderr);
    for (const actor of ["ann", "bo"]) {
      await labelOnPage(
        join(cwd, "desk"),
        async (address) => void (await clickThrough(address, knowing)),
        "--actor",
        actor,
      );
    }
    const { text } = await runPage(page, cwd, { lines: [init, label], text: made.stderr + made.stdout });
    assert.match(text, "Second opinions differ in 0 of 25");
    assert.match(text, "decision ROUTE cancel_order");
  }));

test("a spreadsheet with odd headers, empty rows, repeats and a currency column leads to a served decision", () =>
  inTemporaryFolder(async (cwd) => {
    writeFileSync(join(cwd, "tickets export.csv"), messyTickets());
    const later = ["Customer wrote;Handled by / Queue", "the parcel went to my old street;wrong item"];
    writeFileSync(join(cwd, "later export.csv"), `${later.join("\n")}\n`);
    const { text } = await runPage(docPage("how-to/use-a-spreadsheet.md"), cwd);
    assert.match(text, "decision ROUTE cancel_order");
  }));

test("files of Rasa, Dialogflow, semantic-router and nlp.js, and tool definitions, lead to decisions", () =>
  inTemporaryFolder(async (cwd) => {
    const names = [
      "rasa-bank",
      "dialogflow-telecom",
      "semantic-router-hotel.json",
      "nlpjs-library.json",
      "office-tools.json",
    ];
    for (const name of names) cpSync(fixture(name), join(cwd, name), { recursive: true });
    // e2e/roads runs the commands up to a production server, which follow.
    const [decisions = ""] = docPage("how-to/coming-from.md").split("## All the way to production");
    const { lines } = await runPage(decisions, cwd);
    assert.ok(lines.length > 15);
  }));
