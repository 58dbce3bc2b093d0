import type { SourceFile } from "../../../datasets/importers/imported-dataset.js";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { assert, pluck, rejects, test } from "../../support/test.js";

const file = (name: string, content: unknown): SourceFile => ({
  file: name,
  bytes: Buffer.from(typeof content === "string" ? content : JSON.stringify(content), "utf8"),
});
const read = (...files: readonly SourceFile[]) => parseSource(files, defaultChoices);
const pairs = async (...files: readonly SourceFile[]) =>
  (await read(...files)).texts.map(({ label, text }) => [label, text]);

/** The two intents that every export below holds. */
const park = ["reserve a place for tonight", "is there room for my van"];
const fine = ["why was I fined", "this fine is wrong"];
const expected = [
  ["park", park[0]],
  ["park", park[1]],
  ["fine", fine[0]],
  ["fine", fine[1]],
];
const named = (name: string, texts: string, values: readonly unknown[]) => ({ [name]: "park", [texts]: values });
const both = (name: string, texts: string, wrap: (text: string) => unknown = (text) => text) => [
  named(name, texts, park.map(wrap)),
  { ...named(name, texts, fine.map(wrap)), [name]: "fine" },
];

test("groups of texts under a name are found at any key, whatever they are called", async () => {
  const utterance = (text: string) => ({ utterance: text });
  const chunks = (text: string) => ({
    data: [{ text: text.slice(0, 4) }, { text: text.slice(4), slot_name: "when" }],
  });
  const documents: readonly unknown[] = [
    { intents: both("tag", "patterns") },
    { bot: { version: 3, resource: { intents: both("name", "sampleUtterances") } } },
    { interactionModel: { languageModel: { intents: both("name", "samples") } } },
    { intents: both("intent", "examples", (text) => ({ text })), dialog_nodes: [{ title: "welcome" }] },
    { export: [{ skills: both("displayName", "utterances", utterance) }] },
    { park, fine },
    { intents: { park: { utterances: park.map(chunks) }, fine: { utterances: fine.map(chunks) } } },
    both("route", "phrases"),
    { data: { en: both("label", "questions") } },
    {
      data: [...park, ...fine].map((text, at) => ({
        text,
        entities: [{ entity: "intent", value: at < 2 ? '"park"' : '"fine"' }],
      })),
    },
    { park: park.map((text) => ({ text })), fine: fine.map((text) => ({ text })) },
    {
      routes: both("name", "utterances").map(({ ...route }) => ({ ...route, utterances: { en: route["utterances"] } })),
    },
  ];
  for (const document of documents)
    assert.equal(await pairs(file("export.json", document)), expected, JSON.stringify(document));
});

test("text with marked labels is read: headings, sections, and a prefix on each line", async () => {
  const list = (texts: readonly string[]): string => texts.map((text) => `- ${text}`).join("\n");
  const files = [
    file("nlu.md", `## intent:park\n${list(park)}\n\n## synonym:van\n- truck\n\n## intent:fine\n${list(fine)}\n`),
    file("bot.lu", `> a comment\n# park\n${list(park)}\n\n$vehicle:van=\n- truck\n\n# fine\n${list(fine)}\n`),
    file(
      "bot.chatito",
      `%[park]('training': '5')\n    ${park.join("\n    ")}\n\n~[hi]\n    hello\n\n%[fine]\n    ${fine.join("\n    ")}\n`,
    ),
    file("sentences.ini", `[park]\n${park.join("\n")}\n\n[fine]\n${fine.join("\n")}\n`),
    file(
      "train.txt",
      [...park.map((text) => `__label__park ${text}`), ...fine.map((text) => `__label__fine ${text}`)].join("\n"),
    ),
  ];
  for (const one of files) assert.equal(await pairs(one), expected, one.file);
});

test("a folder of text files has a label for each file, or for each folder", async () => {
  assert.equal(await pairs(file("park.txt", park.join("\n")), file("fine.txt", fine.join("\n"))), expected);
  const apart = [
    ...park.map((text, at) => file(`park/${at}.txt`, text)),
    ...fine.map((text, at) => file(`fine/${at}.txt`, text)),
  ];
  assert.equal(await pairs(...apart), expected);
  const skill = [
    file("locale/en-us/park.intent", park.join("\n")),
    file("locale/en-us/fine.intent", fine.join("\n")),
    file("locale/en-us/ok.dialog", "done\n"),
  ];
  assert.equal(await pairs(...skill), expected);
  const { decisions } = await read(...skill);
  assert.ok(decisions.includes("Skipped files: locale/en-us/ok.dialog."), decisions.join(" "));
});

test("slots, alternatives and rules of templates become plain sentences", async () => {
  const yaml = [
    "intents:",
    "  light_on:",
    "    data:",
    "      - sentences:",
    '          - "<turn> on [the] {name}"',
    '          - "(light|lamp) on in {area}"',
    "expansion_rules:",
    '  turn: "(turn|switch)"',
  ].join("\n");
  const texts = (await pairs(file("light.yaml", yaml))).map(([, text]) => text);
  assert.is(texts.length, 2);
  for (const text of texts) assert.not.match(text ?? "", /[<>{}()[\]|]/);
  const samples = {
    intents: [{ name: "pay", samples: ["pay for {vehicle}", "pay {EUR=ten euros} now", "[me](who) pays"] }],
  };
  assert.equal(
    (await pairs(file("a.json", samples))).map(([, text]) => text),
    ["pay for vehicle", "pay ten euros now", "me pays"],
  );
});

test("tests of a project only measure, and a source of tests alone has no parts", async () => {
  const nlu = `nlu:\n- intent: park\n  examples: |\n    - ${park[0]}\n`;
  const story = `stories:\n- story: a\n  steps:\n  - user: |\n      ${fine[0]}\n    intent: fine\n`;
  const found = await read(file("data/nlu.yml", nlu), file("tests/test_stories.yml", story));
  assert.equal(
    found.texts.map(({ label, part }) => [label, part]),
    [
      ["park", "train"],
      ["fine", "test"],
    ],
  );
  const alone = await read(file("tests.yaml", `tests:\n- sentences: ["${park[0]}"]\n  intent:\n    name: park\n`));
  assert.equal(pluck(alone.texts, "part"), [null]);
  const corpus = {
    data: [
      { intent: "park", utterances: [park[0], ""], tests: [park[1]] },
      { intent: "None", utterances: [fine[0]] },
    ],
  };
  const nlpjs = await read(file("corpus.json", corpus));
  assert.equal(
    nlpjs.texts.map(({ label, part }) => [label, part]),
    [
      ["park", "train"],
      [null, "train"],
      ["park", "test"],
    ],
  );
  assert.equal(nlpjs.leftOut, [{ file: "corpus.json", at: "data[0].utterances[1]", reason: "no_text" }]);
});

test("counterexamples and fallback intents are out of scope; intents without texts are named", async () => {
  const skill = {
    intents: [...both("intent", "examples"), { intent: "stop", examples: [] }],
    counterexamples: [{ text: "sing a song" }],
  };
  const found = await read(file("skill.json", skill));
  assert.is(found.texts.filter(({ label }) => label === null).length, 1);
  assert.ok(found.decisions.includes("Intents without texts were skipped: stop."), found.decisions.join(" "));
});

test("of several languages one is read and the others are counted", async () => {
  const locale = (language: string, text: string) =>
    file(`bot/locales/${language}/intents/park.json`, { name: "park", utterances: [text] });
  const found = await read(locale("en_US", park[0] ?? ""), locale("de_DE", "habt ihr Platz"));
  assert.equal(pluck(found.texts, "text"), [park[0]]);
  assert.ok(found.decisions.some((decision) => decision.includes("Phrases in de_DE (1) were skipped")));
});

test("what is no such structure is refused with what was seen", async () => {
  const notes = { chapters: [{ heading: "one", paragraphs: [{ words: "secret words here" }] }] };
  const { message } = await rejects(read(file("notes.json", notes)), "FORMAT_UNKNOWN");
  assert.match(
    message,
    /notes\.json: JSON: found texts at chapters\[1\]\.heading, chapters\[1\]\.paragraphs\[\]\.words/,
  );
  assert.not.match(message, /secret/);
  const servers = await rejects(
    read(file("config.json", { mcpServers: { files: { command: "x" } } })),
    "FORMAT_UNKNOWN",
  );
  assert.match(servers.message, /names MCP servers, not their tools/);
  assert.match(servers.hint ?? "", "tools/list");
  const pairsOnly = await rejects(read(file("pairs.json", [["a text", "label"]])), "DOCUMENT_INVALID");
  assert.match(pairsOnly.hint ?? "", '{"text"');
  const yaml = await rejects(read(file("nlu.yml", "nlu:\n- a: [secret\n")), "DOCUMENT_INVALID");
  assert.match(yaml.message, /nlu\.yml: line \d/);
});
