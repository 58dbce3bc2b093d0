/** Layouts in which people keep labelled requests, in their smallest form: each is read in the same way. */
import { gzipSync } from "node:zlib";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { assert, rejects, test } from "../../support/test.js";

const asked: Readonly<Record<string, readonly string[]>> = {
  billing: ["i was charged twice", "send me the invoice again", "refund the double payment", "my bill is too high"],
  delivery: [
    "where is my parcel now",
    "it never arrived at my home",
    "deliver on saturday please",
    "it is stuck somewhere",
  ],
  account: ["i cannot log in", "reset my password please", "delete my account and data", "change the email of mine"],
};
const labels = Object.keys(asked);
const rows = Array.from({ length: 24 }, (_, index) => {
  const label = labels[index % 3] ?? "";
  return { index, label, text: `${asked[label]?.[index % 4] ?? ""} ${index < 12 ? "today" : "again"}` };
});
type Row = (typeof rows)[number];

const people = ["Ada Lovelace", "Ben Okri", "Cleo van Dam", "Dov Levi"];
const csv = (header: string, line: (row: Row) => readonly (string | number)[]): string =>
  `${header}\n${rows.map((row) => line(row).join(",")).join("\n")}\n`;
const json = (record: (row: Row) => unknown): string => JSON.stringify(rows.map(record));
const lines = (record: (row: Row) => unknown): string => rows.map((row) => JSON.stringify(record(row))).join("\n");
const guess = [{ label: "billing", score: 0.9 }];
const choice = (label: string) => ({ type: "choices", value: { choices: [label] } });
const isOdd = ({ index }: Row): boolean => index % 2 === 1;

/** File, content and number of used texts; each has the label that a person chose. */
const layouts: readonly (readonly [name: string, file: string, content: string | Uint8Array, texts: number])[] = [
  [
    "names and numbers of tickets stand before the text",
    "t.csv",
    csv("Customer Name,Ticket,Issue,Agent,Team,Status", ({ index, text, label }) => [
      `${people[index % 4] ?? ""}`,
      `TKT-${1000 + index}`,
      text,
      people[index % 2] ?? "",
      label,
      index % 2 === 0 ? "open" : "closed",
    ]),
    24,
  ],
  [
    "a column has one value in every row",
    "t.csv",
    csv("intent,text,queue", ({ text, label }) => ["Request", text, label]),
    24,
  ],
  [
    "scores stand in a column for each category",
    "t.csv",
    csv(`text,${labels.join(",")}`, ({ text, label }) => [text, ...labels.map((own) => (own === label ? 0.9 : 0.05))]),
    24,
  ],
  [
    "the columns of scores begin with the same word",
    "t.csv",
    csv(`text,${labels.map((own) => `p_${own}`).join(",")}`, ({ text, label }) => [
      text,
      ...labels.map((own) => (own === label ? 0.9 : 0.05)),
    ]),
    24,
  ],
  [
    "an annotator rejected half",
    "t.csv",
    csv("text,label,answer", (row) => [row.text, row.label, isOdd(row) ? "reject" : "accept"]),
    12,
  ],
  [
    "a tag that never stands alone is added",
    "t.csv",
    csv("text,label", (row) => [row.text, isOdd(row) ? `${row.label}#vip` : row.label]),
    24,
  ],
  [
    "Label Studio",
    "t.json",
    json((row) => ({
      id: row.index,
      data: { text: row.text },
      annotations: [{ was_cancelled: isOdd(row), result: [choice(row.label)] }],
      predictions: [{ result: [choice("billing")] }],
    })),
    12,
  ],
  [
    "Argilla with questions",
    "t.json",
    json((row) => ({
      fields: { text: row.text },
      suggestions: { label: { value: "billing", score: 0.4 } },
      responses: { label: [{ value: row.label, status: isOdd(row) ? "discarded" : "submitted" }] },
    })),
    12,
  ],
  [
    "Argilla with annotations",
    "t.json",
    json((row) => ({
      inputs: { text: row.text },
      prediction: guess,
      annotation: row.label,
      status: isOdd(row) ? "Discarded" : "Validated",
    })),
    12,
  ],
  [
    "Prodigy with options",
    "t.jsonl",
    lines((row) => ({ text: row.text, accept: [row.label], answer: isOdd(row) ? "ignore" : "accept" })),
    12,
  ],
  [
    "categories of spaCy",
    "t.jsonl",
    lines(({ text, label }) => ({ text, cats: Object.fromEntries(labels.map((own) => [own, own === label ? 1 : 0])) })),
    24,
  ],
  [
    "pairs of spaCy",
    "t.json",
    json(({ text, label }) => [text, { cats: Object.fromEntries(labels.map((own) => [own, own === label])) }]),
    24,
  ],
  [
    "a log of tool calls",
    "t.jsonl",
    lines(({ text, label }) => ({
      messages: [
        { role: "user", content: text },
        { role: "assistant", tool_calls: [{ function: { name: label, arguments: "{}" } }] },
      ],
    })),
    24,
  ],
  [
    "conversations with named tags",
    "t.json",
    JSON.stringify({
      conversations: rows.map(({ index, text, label }) => ({
        id: index,
        type: "conversation",
        tags: { tags: [{ type: "tag", name: label }] },
        messages: [
          { author: { type: "customer" }, body: text },
          { author: { type: "agent" }, body: "Thanks for writing to us" },
        ],
      })),
    }),
    24,
  ],
  [
    "phrases below the name of an intent",
    "t.json",
    JSON.stringify(
      labels.map((name) => ({
        id: "1",
        name,
        trainingData: { count: 1, exampleSentences: rows.filter(({ label }) => label === name) },
      })),
    ),
    24,
  ],
  ["a label before each line", "t.txt", rows.map(({ text, label }) => `${label}: ${text}`).join("\n"), 24],
  ["a compressed file", "t.csv.gz", gzipSync(csv("text,label", ({ text, label }) => [text, label])), 24],
  [
    "rows of types, errors and sums",
    "t.csv",
    `text,label\nstring,code\n${csv("#REF!,billing", ({ text, label }) => [text, label])}#VALEUR!,billing\nTotal,24\n`,
    24,
  ],
];
for (const [name, file, content, texts] of layouts) {
  test(`the text and the label of a person are read: ${name}`, async () => {
    const found = await parseSource([{ file, bytes: Buffer.from(content) }], defaultChoices);
    assert.is(found.texts.length, texts);
    const right = new Map(rows.map(({ text, label }) => [text, label]));
    assert.equal(
      found.texts.filter(({ text, label }) => right.get(text) !== label),
      [],
    );
  });
}

test("tools of two servers that share a name are both kept, with the server in the name", async () => {
  const tool = (name: string) => ({ name, description: `Does ${name} for you`, inputSchema: { type: "object" } });
  const servers = [
    { name: "git", tools: [tool("search")] },
    { name: "mail", tools: [tool("search"), tool("send")] },
  ];
  const listed = await parseSource(
    [{ file: "t.json", bytes: Buffer.from(JSON.stringify({ servers })) }],
    defaultChoices,
  );
  assert.equal(
    listed.workflows.map(({ label }) => label),
    ["git/search", "mail/search", "send"],
  );
});

for (const [file, content, code, found] of [
  ["t.xls", "<html><table><tr><td>text</td></tr></table>", "FORMAT_UNKNOWN", /found HTML/],
  ["t.db", "SQLite format 3\u0000 rest", "FORMAT_UNKNOWN", /found an SQLite database/],
  ["t.sql", "-- dump\nINSERT INTO t VALUES (1, 'a');\n", "FORMAT_UNKNOWN", /found SQL/],
  ["t.xml", "<?xml version='1.0'?><rows/>", "FORMAT_UNKNOWN", /found XML/],
  [
    "t.txt",
    "{'text': 'hello there', 'intent': 'greet'}\n{'text': 'bye', 'intent': 'bye'}\n",
    "FORMAT_UNKNOWN",
    /single quotes/,
  ],
  [
    "t.json",
    '{"name":"x","nodes":[{"name":"Hook","parameters":{}}],"connections":{}}',
    "FORMAT_UNKNOWN",
    /the steps of an automation/,
  ],
  [
    "t.csv",
    'text,label\nhello there,greet\n"good day to you,greet\nbye now,bye\n',
    "DOCUMENT_INVALID",
    /line 3: a quote is not closed/,
  ],
  [
    "t.json",
    JSON.stringify(rows.map(({ text }) => ({ type: "message", user: "U1", text }))),
    "DOCUMENT_INVALID",
    /no column seems to hold the label/,
  ],
] as const) {
  test(`what cannot be read is named for what it is: ${String(found)}`, async () => {
    const refused = await rejects(parseSource([{ file, bytes: Buffer.from(content) }], defaultChoices), code);
    assert.match(refused.message, found);
    assert.not.match(refused.hint ?? "", /--label-column user/);
  });
}

test("the encoding that is named is used, and text that was encoded twice is repaired", async () => {
  const cyrillic = Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  const bytes = Buffer.concat([Buffer.from("text,label\n"), cyrillic, Buffer.from(" there,greet\nbye now,bye\n")]);
  const named = await parseSource([{ file: "t.csv", bytes }], { ...defaultChoices, encoding: "windows-1251" });
  assert.is(named.texts[0]?.text, "привет there");
  const twice = Buffer.from(Buffer.from("text,label\nje suis AndrÃ© ici,greet\nbye now,bye\n", "utf8"));
  const repaired = await parseSource([{ file: "t.csv", bytes: twice }], defaultChoices);
  assert.is(repaired.texts[0]?.text, "je suis André ici");
});

test("a text is cleaned before its length is checked", async () => {
  const mail = `"please refund me\n\nOn Monday Ann wrote:\n${"> old\n".repeat(2000)}",refund`;
  const bytes = Buffer.from(`text,label\n${mail}\nwhere is it now,track\n`);
  const read = (clean: boolean) => parseSource([{ file: "t.csv", bytes }], { ...defaultChoices, clean });
  assert.is((await read(false)).texts.length, 1);
  assert.is((await read(true)).texts[0]?.text, "please refund me");
});

test("numbers of classes get the names that a file of the folder lists, and the draft says which file", async () => {
  const numbered = csv("text,label", ({ text, label }) => [text, labels.indexOf(label)]);
  const found = await parseSource(
    [
      { file: "train.csv", bytes: Buffer.from(numbered) },
      { file: "labels.txt", bytes: Buffer.from(`${labels.join("\n")}\n`) },
    ],
    defaultChoices,
  );
  const right = new Map(rows.map(({ text, label }) => [text, label]));
  assert.is(found.texts.length, 24);
  assert.ok(found.texts.every(({ text, label }) => right.get(text) === label));
  assert.ok(found.decisions.includes("Names of the labels come from labels.txt."), found.decisions.join(" "));
});

test("rows as Sluice writes them are read by their own names, and null is out of scope", async () => {
  const own = lines(({ index, text, label }) => ({
    id: `r${index}`,
    text,
    workflow_id: index === 0 ? null : label,
    expected_decision: index % 2 === 0 ? "ROUTE" : "CLARIFY",
    slices: { voice: index % 3 === 0 ? "terse" : "polite" },
  }));
  const found = await parseSource([{ file: "requests.jsonl", bytes: Buffer.from(own) }], defaultChoices);
  const right = new Map<string, string | null>(
    rows.map(({ index, text, label }) => [text, index === 0 ? null : label]),
  );
  assert.is(found.texts.length, 24);
  assert.equal(
    found.texts.filter(({ text, label }) => right.get(text) !== label),
    [],
  );
});
