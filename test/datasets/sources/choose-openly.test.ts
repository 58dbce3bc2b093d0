import { defaultChoices, type MaterialChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { UnsettledColumns } from "../../../datasets/sources/tables/texts-of-grid.js";
import { assert, pluck, rejects, test } from "../../support/test.js";

const asked = [
  "where is my van parked",
  "I lost the key of my garage",
  "may I park here over night",
  "the barrier stays shut",
];
const answered = [
  "Dear driver, we looked it up and will send you the place by mail within the hour, kind regards.",
  "Dear driver, please come to the office with your papers, and we will cut a new key for you at once.",
  "Dear driver, parking over night is free for residents, and everybody else pays at the machine there.",
  "Dear driver, push the button with the bell, and our colleague lifts the barrier from the office here.",
];
const labels = ["find", "key", "find", "key"];

/** Twelve rows of the given columns. */
const csv = (header: readonly string[], cell: (column: string, row: number) => string): string =>
  [
    header.join(","),
    ...Array.from({ length: 12 }, (_, row) => header.map((column) => `"${cell(column, row)}"`).join(",")),
  ].join("\n");
const read = (content: string, choices: Partial<MaterialChoices> = {}) =>
  parseSource([{ file: "t.csv", bytes: Buffer.from(content) }], { ...defaultChoices, ...choices });

const conversation = (text: string, answer: string, label: string): string =>
  csv([answer, text, label], (column, row) =>
    column === text
      ? `${asked[row % 4]} ${row}`
      : column === answer
        ? `${answered[row % 4]} ${row}`
        : (labels[row % 4] ?? ""),
  );

test("the text column is what the user says, in whatever words, and never the longer answer", async () => {
  const pairs = [
    ["user", "bot", "intent"],
    ["query", "response", "label"],
    ["Customer message", "Agent reply", "Queue"],
    ["instruction", "output", "category"],
    ["prompt", "assistant", "topic"],
    ["question", "resolution", "team"],
    ["pregunta", "respuesta", "categoria"],
    ["问题", "回答", "意图"],
    ["userText", "generatedAnswer", "intentName"],
    ["utterance", "annotated_utterance", "class"],
  ] as const;
  for (const [text, answer, label] of pairs) {
    const found = await read(conversation(text, answer, label));
    assert.ok(
      found.decisions.includes(`Texts come from "${text}", labels from "${label}".`),
      found.decisions.join(" "),
    );
    assert.equal(found.columns, {
      textColumn: text,
      labelColumn: label,
      partColumn: null,
      conversationColumn: null,
      turnColumn: null,
      alsoTexts: [answer],
      alsoLabels: [],
    });
  }
});

test("the label column is what a person decided, never a prediction", async () => {
  for (const [decided, predicted] of [
    ["gold", "predicted_label"],
    ["True intent", "Predicted intent"],
    ["annotator_label", "model_label"],
    ["expected_intent", "detected intent"],
    ["reviewed category", "auto category"],
  ] as const) {
    const table = csv(["text", predicted, decided], (column, row) =>
      column === "text"
        ? `${asked[row % 4]} ${row}`
        : column === decided
          ? (labels[row % 4] ?? "")
          : (labels[row % 3] ?? ""),
    );
    const { decisions } = await read(table);
    assert.ok(decisions.includes(`Texts come from "text", labels from "${decided}".`), decisions.join(" "));
  }
});

test("a fact about a request is no label where another column is one, and what was not chosen is printed", async () => {
  const table = csv(["text", "priority", "channel", "desk"], (column, row) =>
    column === "text"
      ? `${asked[row % 4]} ${row}`
      : column === "desk"
        ? (labels[row % 4] ?? "")
        : (["low", "high"][row % 2] ?? ""),
  );
  const { decisions } = await read(table);
  assert.ok(decisions.includes('Texts come from "text", labels from "desk".'), decisions.join(" "));
  assert.ok(
    decisions.includes(
      '"priority", "channel" also look like a label. To use one of them, set --label-column "priority".',
    ),
    decisions.join(" "),
  );
});

test("two levels of one hierarchy are one choice; the other level is named", async () => {
  const table = csv(["Request", "Level 1", "Level 2"], (column, row) =>
    column === "Request"
      ? `${asked[row % 4]} ${row}`
      : column === "Level 1"
        ? (["Cars", "Doors"][row % 2] ?? "")
        : (["Find", "Key", "Rent", "Lock"][row % 4] ?? ""),
  );
  const { decisions } = await read(table);
  assert.ok(
    decisions.includes('"Level 2" also looks like a label. To use it, set --label-column "Level 2".'),
    decisions.join(" "),
  );
});

test("where nothing tells two columns apart a person is asked, with a line to copy and three rows for the terminal", async () => {
  const table = csv(["aaa", "bbb", "intent"], (column, row) =>
    column === "aaa"
      ? `${asked[row % 4]} ${row}`
      : column === "bbb"
        ? `${answered[row % 4]} ${row}`
        : (labels[row % 4] ?? ""),
  );
  const error = await rejects(read(table), "DOCUMENT_INVALID");
  assert.is(error.message, 't.csv: 2 columns may hold what the user said: "aaa", "bbb"');
  assert.is(error.hint, "Name it:\nsluice init FILE --text-column aaa\nsluice init FILE --text-column bbb");
  assert.instance(error.cause, UnsettledColumns);
  const { question } = error.cause as UnsettledColumns;
  assert.equal(
    question.columns.map(({ name, examples }) => [name, examples.length]),
    [
      ["aaa", 3],
      ["bbb", 3],
    ],
  );
  assert.not.match(JSON.stringify({ ...error.details }), "garage");
  assert.is((await read(table, { textColumn: "aaa" })).texts.length, 12);
  const twoLabels = csv(["text", "xx", "yy"], (column, row) =>
    column === "text"
      ? `${asked[row % 4]} ${row}`
      : column === "xx"
        ? (labels[row % 4] ?? "")
        : (["q1", "q2", "q3"][row % 3] ?? ""),
  );
  assert.match(
    (await rejects(read(twoLabels), "DOCUMENT_INVALID")).message,
    '2 columns may hold the label: "xx", "yy"',
  );
});

test("rows of a conversation are used where the user speaks", async () => {
  const table = csv(["role", "text", "intent"], (column, row) =>
    column === "role"
      ? (["user", "assistant"][row % 2] ?? "")
      : column === "text"
        ? `${asked[row % 4]} ${row}`
        : (labels[row % 4] ?? ""),
  );
  const { texts, leftOut, decisions } = await read(table);
  assert.equal([texts.length, leftOut.filter(({ reason }) => reason === "not_user").length], [6, 6]);
  assert.ok(
    decisions.includes('"role" contains the speaker (user, assistant); only rows of the user are used.'),
    decisions.join(" "),
  );
});

test("a column for each label, cells with a phrase on each line, and lists in cells are read", async () => {
  const wide = csv(["find_van", "lost_key", "park_over_night"], (column, row) => `${asked[row % 4]} ${column} ${row}`);
  assert.equal(
    [...new Set((await read(wide)).texts.map(({ label }) => label))],
    ["find_van", "lost_key", "park_over_night"],
  );
  const lines = `intent,utterances\nfind,"${asked[0]}\n${asked[2]}"\nkey,"${asked[1]}\n${asked[3]}"\n`;
  assert.equal(
    (await read(lines)).texts.map(({ label, at }) => [label, at]),
    [
      ["find", "line 3 text 1"],
      ["find", "line 3 text 2"],
      ["key", "line 5 text 1"],
      ["key", "line 5 text 2"],
    ],
  );
});

test("a label in a written list is the label, and rows that are mostly left out are warned of", async () => {
  const rows = [0, 1, 2, 3].map((row) => `${asked[row]},"['${labels[row]}']"`);
  assert.equal(pluck((await read(["text,labels", ...rows].join("\n"))).texts, "label"), labels);
  const blank = ["text,intent", `${asked[0]},find`, `${asked[1]},`, `${asked[2]},`, `${asked[3]},`].join("\n");
  const { warnings } = await read(blank);
  assert.equal(warnings, ["3 of 4 rows left out: the label is empty. left-out.csv lists them."]);
});

test("a column of numbers is no text, whatever its name", async () => {
  const table = csv(["Issue", "Nachricht", "Abteilung"], (column, row) =>
    column === "Issue"
      ? String(1000 + row)
      : column === "Nachricht"
        ? `${asked[row % 4]} ${row}`
        : (labels[row % 4] ?? ""),
  );
  assert.equal((await read(table)).columns?.textColumn, "Nachricht");
});

const subjects = ["Question", "My account", "Help"];

/** Tickets whose subjects repeat with different labels, and whose descriptions are all different. */
const tickets = csv(["Ticket", "Subject", "Description", "Category"], (column, row) =>
  column === "Ticket"
    ? String(4000 + row)
    : column === "Subject"
      ? (subjects[row % 3] ?? "")
      : column === "Description"
        ? row === 5
          ? ""
          : `${asked[row % 4]} since day ${row}`
        : (labels[row % 4] ?? ""),
);

test("a column is not chosen by its name where far fewer rows can be used with it, and the draft says so", async () => {
  const better = await read(tickets.replace("Subject", "Message"));
  assert.equal([better.columns?.textColumn, better.columns?.alsoTexts], ["Description", ["Message"]]);
  assert.is(better.texts.length, 11);
  assert.match(
    better.decisions.join("\n"),
    '"Message" was not chosen for the texts: 0 of 12 rows can be used with it, 11 with the chosen',
  );
  const { columns, decisions } = await read(tickets);
  assert.is(columns?.textColumn, "Description");
  assert.match(
    decisions.join("\n"),
    "To join them: --text-column Subject --text-column Description. Requests must then be sent",
  );
  const given = await read(tickets, { textColumn: "Subject" });
  assert.not.match(given.decisions.join(), /not chosen|To join them/);
});

test("a name or an address is no request text, even where the subjects repeat", async () => {
  const table = csv(["Subject", "Written from", "Category"], (column, row) =>
    column === "Subject"
      ? `please help me with this ${row % 3}`
      : column === "Written from"
        ? `${row} Long Street`
        : (labels[row % 4] ?? ""),
  );
  assert.is((await read(table)).columns?.textColumn, "Subject");
});

test("the texts of several columns are joined by a line break in the given order, and an empty cell adds nothing", async () => {
  const { texts, columns, decisions } = await read(tickets, { textColumn: ["Subject", "Description"] });
  assert.equal(columns?.textColumn, ["Subject", "Description"]);
  assert.equal(pluck(texts.slice(4, 6), "text"), [`My account\n${asked[0]} since day 4`, "Help"]);
  assert.match(decisions.join("\n"), 'Texts come from "Subject", "Description", joined by a line break; labels from');
  const reversed = await read(tickets, { textColumn: ["Description", "Subject"] });
  assert.is(reversed.texts[0]?.text, `${asked[0]} since day 0\nQuestion`);
  await rejects(read(tickets, { textColumn: ["Subject", "Body"] }), "DOCUMENT_INVALID");
});

test("of columns that may hold the label, the likeliest is offered first, with its number of values and two of them", async () => {
  const table = csv(["Message", "Clerk", "Handled as", "Flat"], (column, row) =>
    column === "Message"
      ? `${asked[row % 4]} ${row}`
      : column === "Clerk"
        ? (["BR", "Hahn"][row % 2] ?? "")
        : column === "Handled as"
          ? (["Heating", "Lift", "Heating", "Noise"][row % 4] ?? "")
          : `${(row % 3) + 1}A`,
  );
  const error = await rejects(read(table), "DOCUMENT_INVALID");
  assert.is(error.message, 't.csv: 3 columns may hold the label: "Handled as", "Clerk", "Flat"');
  assert.equal(error.hint?.split("\n").slice(1), [
    `sluice init FILE --label-column 'Handled as'  # 3 values: "Heating", "Lift", ...`,
    'sluice init FILE --label-column Clerk  # 2 values: "BR", "Hahn"',
    'sluice init FILE --label-column Flat  # 3 values: "1A", "2A", ...',
  ]);
});

test("a field with one value a row is the label rather than a list of tags, and labels of the project decide", async () => {
  const rows = Array.from({ length: 12 }, (_, row) =>
    JSON.stringify({
      customer_message: `${asked[row % 4]} ${row}`,
      tags: ["web", row % 2 === 0 ? "de" : "vip"],
      queue: ["Desk A", "Desk B"][row % 2],
      work: labels[row % 4],
    }),
  ).join("\n");
  const open = (choices: Partial<MaterialChoices>) =>
    parseSource([{ file: "t.jsonl", bytes: Buffer.from(rows) }], { ...defaultChoices, ...choices });
  assert.is((await open({})).columns?.labelColumn, "queue");
  assert.is((await open({ knownLabels: new Set(["Find", "key", "lost_van"]) })).columns?.labelColumn, "work");
});
