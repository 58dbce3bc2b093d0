import { defaultChoices, type MaterialChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { assert, pluck, test } from "../../support/test.js";

const read = (file: string, content: string, choices: Partial<MaterialChoices> = {}) =>
  parseSource([{ file, bytes: Buffer.from(content, "utf8") }], { ...defaultChoices, ...choices });
const shown = ({ text, label, previous, conversation }: Awaited<ReturnType<typeof read>>["followUps"][number]) =>
  [conversation, text, label, previous] as const;

const chat = [
  "conversation_id,turn,role,text,intent",
  "c2,2,agent,which parcel,",
  "c2,10,user,thanks that is all,none",
  "c2,1,user,where is my parcel,track_order",
  "c2,3,user,the one with the lamp,Track-Order",
  "c1,1,user,i want my money back,refund",
  "c1,2,agent,is it broken,refund",
  "c1,3,user,mm,",
  "c1,4,user,yes,refund",
  "c1,5,user,and where is the other parcel,track_order",
  "c1,6,user,yes,track_order",
  ",1,user,refund me please,refund",
].join("\n");

test("the first request of a conversation stands alone, and each later one follows the labelled one before it", async () => {
  const found = await read("chat.csv", chat);
  assert.equal(pluck(found.texts, "text"), ["where is my parcel", "i want my money back", "refund me please"]);
  assert.equal(found.followUps.map(shown), [
    ["c2", "thanks that is all", null, "track_order"],
    ["c2", "the one with the lamp", "track_order", "track_order"],
    ["c1", "yes", "refund", "refund"],
    ["c1", "and where is the other parcel", "track_order", "refund"],
    ["c1", "yes", "track_order", "track_order"],
  ]);
  assert.equal(pluck(found.leftOut, "reason"), ["not_user", "not_user", "no_label"]);
  assert.equal([found.columns?.conversationColumn, found.columns?.turnColumn], ["conversation_id", "turn"]);
  assert.match(found.decisions.join("\n"), '"conversation_id" contains the conversation: in the order of "turn"');
});

test("a later request follows even where nobody labelled the first one, and then names no workflow", async () => {
  const found = await read("chat.csv", "session,text,intent\na,hello there,\na,cancel it,cancel\nb,pay now,pay\n");
  assert.equal(found.followUps.map(shown), [["a", "cancel it", "cancel", null]]);
  assert.equal(pluck(found.texts, "text"), ["pay now"]);
});

test("a column states the workflow of the request before, also for a first row", async () => {
  const rows = [
    "chat_id,text,intent,previous_workflow_id",
    "a,and for tomorrow,book_table,Book Table",
    "a,thank you,none,",
    "b,a table for two,Book Table,",
    "b,no,book_table,deleted_workflow",
  ];
  const found = await read("turns.csv", rows.join("\n"));
  assert.equal(pluck(found.texts, "text"), ["a table for two"]);
  const label = found.texts[0]?.label ?? "";
  assert.equal(found.followUps.map(shown), [
    ["a", "and for tomorrow", label, label],
    ["a", "thank you", null, null],
    ["b", "no", label, null],
  ]);
  const alone = await read("turns.csv", rows.map((row) => row.slice(row.indexOf(",") + 1)).join("\n"));
  assert.is(alone.followUps.length, 0);
  assert.match(alone.decisions.join("\n"), '"previous_workflow_id" is not used');
});

test("columns of conversations can be named, and turned off", async () => {
  const renamed = chat.replace("conversation_id,turn", "chat number,sent");
  assert.is((await read("chat.csv", renamed)).followUps.length, 0);
  const named = await read("chat.csv", renamed, { conversationColumn: "chat number", turnColumn: "sent" });
  assert.equal(named.followUps.map(shown), (await read("chat.csv", chat)).followUps.map(shown));
  const off = await read("chat.csv", chat, { conversationColumn: null });
  assert.equal([off.followUps.length, off.texts.length], [0, 6]);
});

test("a label of the whole conversation, or a column of whole conversations, makes no follow-ups", async () => {
  const whole = chat.replaceAll(
    /^(c\d,.*,)(?:[\w-]*)$/gm,
    (_, row: string) => `${row}${row.startsWith("c1") ? "refund" : "track_order"}`,
  );
  assert.is((await read("chat.csv", whole)).followUps.length, 0);
  const texts = "conversation,intent\nwhere is it,track\nwhere is it,track\nmy money back,refund\n";
  const found = await read("chat.csv", texts);
  assert.equal([found.texts.length, found.followUps.length], [2, 0]);
});

test("lists of turns are read as one table, from a list and from a map", async () => {
  const dialogue = (texts: readonly string[], label: string) => ({
    services: ["shop"],
    turns: texts.flatMap((utterance) => [
      { speaker: "USER", utterance, intent: label },
      { speaker: "SYSTEM", utterance: "one moment" },
    ]),
  });
  const own = {
    d1: dialogue(["where is my parcel", "the big one"], "track"),
    d2: dialogue(["money back", "cash"], "refund"),
  };
  const listed = Object.entries(own).map(([dialogue_id, rest]) => ({ dialogue_id, ...rest }));
  for (const [file, content] of [
    ["dialogues.json", JSON.stringify(own)],
    ["dialogues.json", JSON.stringify(listed)],
    ["dialogues.json", JSON.stringify({ dialogues: listed })],
    ["dialogues.jsonl", listed.map((one) => JSON.stringify(one)).join("\n")],
  ] as const) {
    const found = await read(file, content);
    assert.equal(pluck(found.texts, "text"), ["where is my parcel", "money back"], content);
    assert.equal(found.followUps.map(shown), [
      ["d1", "the big one", "track", "track"],
      ["d2", "cash", "refund", "refund"],
    ]);
  }
});
