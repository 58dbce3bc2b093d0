import { zipSync } from "fflate";
import type { SourceFile } from "../../../datasets/importers/imported-dataset.js";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { assert, pluck, test } from "../../support/test.js";

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const json = (file: string, value: unknown): SourceFile => ({ file, bytes: utf8(JSON.stringify(value)) });
const readAll = (files: readonly SourceFile[]) => parseSource(files, defaultChoices);
const pairs = async (files: readonly SourceFile[]) =>
  (await readAll(files)).texts.map(({ text, label }) => [label, text]);

const nlu = `version: "3.1"
nlu:
- intent: check_balance
  examples: |
    - how much is left on my [savings](account_type) account
    - balance please
- intent: out_of_scope
  examples: |
    - tell me a joke
- lookup: city
  examples: |
    - Rome
`;

test("a Rasa file or project gives its intents; lookups are not texts", async () => {
  const expected = [
    ["check_balance", "how much is left on my savings account"],
    ["check_balance", "balance please"],
    [null, "tell me a joke"],
  ];
  assert.equal(await pairs([{ file: "nlu.yml", bytes: utf8(nlu) }]), expected);
  const project = [
    { file: "config.yml", bytes: utf8("language: en\npipeline: []\n") },
    { file: "data/nlu.yml", bytes: utf8(nlu) },
    { file: "data/stories.yml", bytes: utf8("stories: []\n") },
  ];
  assert.equal(await pairs(project), expected);
  const { decisions } = await readAll(project);
  assert.ok(decisions.includes("Parts without requests were skipped: nlu[].lookup (1)."), decisions.join(" "));
  assert.ok(decisions.includes("Skipped files: config.yml, data/stories.yml."), decisions.join(" "));
});

const es = [
  json("agent.json", { language: "en" }),
  json("intents/order.cancel.json", {
    name: "order.cancel",
    responses: [{ parameters: [{ name: "number", required: true }] }],
  }),
  json("intents/order.cancel_usersays_en.json", [
    { data: [{ text: "cancel order " }, { text: "4711", alias: "number" }] },
  ]),
  json("intents/order.cancel_usersays_de.json", [{ data: [{ text: "storniere" }] }]),
  json("intents/Default Fallback Intent.json", { name: "Default Fallback Intent", fallbackIntent: true }),
  json("intents/Default Fallback Intent_usersays_en.json", [{ data: [{ text: "sing a song" }] }]),
];

test("a Dialogflow ES agent is read from its folder and from its archive, parameters become inputs", async () => {
  const archive = { file: "agent.zip", bytes: zipSync(Object.fromEntries(es.map(({ file, bytes }) => [file, bytes]))) };
  for (const files of [es, [archive]]) {
    const found = await readAll(files);
    assert.is(found.kind, "folder");
    assert.equal(
      found.texts.map(({ text, label }) => [label, text]),
      [
        [null, "sing a song"],
        ["order.cancel", "cancel order 4711"],
      ].toSorted(
        (a, b) => found.texts.findIndex((t) => t.text === a[1]) - found.texts.findIndex((t) => t.text === b[1]),
      ),
    );
    assert.equal(found.workflows[0]?.inputs, [{ name: "number", description: "", required: true }]);
    assert.ok(found.decisions.some((decision) => decision.includes("Phrases in de (1) were skipped")));
  }
});

test("a Dialogflow CX agent is distinguished from an ES agent", async () => {
  const found = await readAll([
    json("agent/intents/refund/refund.json", { displayName: "refund" }),
    json("agent/intents/refund/trainingPhrases/en.json", {
      trainingPhrases: [{ parts: [{ text: "money " }, { text: "back" }] }],
    }),
    json("agent/intents/refund/trainingPhrases/fr.json", { trainingPhrases: [{ parts: [] }, { parts: [] }] }),
    json("agent/intents/negative/negative.json", { displayName: "Default Negative Intent", isFallback: true }),
    json("agent/intents/negative/trainingPhrases/en.json", { trainingPhrases: [{ parts: [{ text: "la la la" }] }] }),
  ]);
  assert.is(found.kind, "folder");
  assert.ok(found.decisions.some((decision) => decision.startsWith("Phrases in fr (2) were skipped")));
  assert.equal(
    found.texts.map(({ text, label }) => [label, text]),
    [
      ["refund", "money back"],
      [null, "la la la"],
    ],
  );
});

test("LUIS apps and CLU projects: None is out of scope, test utterances stay apart", async () => {
  const luis = {
    luis_schema_version: "7.0.0",
    intents: [{ name: "Book" }, { name: "None" }],
    utterances: [
      { text: "book a table", intent: "Book", entities: [] },
      { text: "asdf", intent: "None", entities: [] },
      { text: "nobody labelled me", entities: [] },
    ],
  };
  const app = await readAll([json("luis.json", luis)]);
  assert.is(app.kind, "json");
  assert.equal(pluck(app.texts, "label"), ["Book", null]);
  assert.equal(app.leftOut, [{ file: "luis.json", at: "utterances[2]", reason: "no_label" }]);
  const clu = {
    projectFileVersion: "2023-04-01",
    assets: {
      utterances: [
        { text: "book a table", intent: "Book", dataset: "Train" },
        { text: "table for two", intent: "Book", dataset: "Test" },
      ],
    },
  };
  const project = await readAll([json("clu.json", clu)]);
  assert.is(project.kind, "json");
  assert.equal(pluck(project.texts, "part"), ["train", "test"]);
});

test("semantic-router routes in JSON and YAML retain their descriptions", async () => {
  const routes = {
    encoder_type: "openai",
    routes: [
      {
        name: "politics",
        utterances: ["who will win the election"],
        description: "Talk about politics",
        score_threshold: 0.8,
      },
      { name: "chitchat", utterances: ["how is the weather"] },
    ],
  };
  const yaml = [
    "encoder_type: openai",
    "routes:",
    "- name: politics",
    "  description: Talk about politics",
    "  utterances:",
    "  - who will win the election",
    "- name: chitchat",
    "  utterances:",
    "  - how is the weather",
  ].join("\n");
  for (const file of [json("routes.json", routes), { file: "routes.yaml", bytes: utf8(yaml) }]) {
    const found = await readAll([file]);
    assert.match(found.kind, /json|yaml/);
    assert.equal(pluck(found.texts, "label"), ["politics", "chitchat"]);
    assert.is(found.workflows[0]?.description, "Talk about politics");
  }
});

test("promptfoo tests give the values that they compare with; Botium lists give their names", async () => {
  const tests =
    'query,__expected\nreset my password,equals: reset_password\nsomething,"contains: sorry"\nlock my card,block_card\n';
  const promptfoo = await readAll([{ file: "tests.csv", bytes: utf8(tests) }]);
  assert.is(promptfoo.kind, "csv");
  assert.equal(pluck(promptfoo.texts, "label"), ["reset_password", "block_card"]);
  assert.equal(pluck(promptfoo.leftOut, "reason"), ["no_label"]);
  const botium = await readAll([
    { file: "spec/GREET.utterances.txt", bytes: utf8("GREET\nhello there\nhi\n") },
    { file: "spec/greet.convo.txt", bytes: utf8("greeting\n\n#me\nhello\n") },
  ]);
  assert.is(botium.kind, "folder");
  assert.equal(
    botium.texts.map(({ label, text }) => [label, text]),
    [
      ["GREET", "hello there"],
      ["GREET", "hi"],
    ],
  );
});
