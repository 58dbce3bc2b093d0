import { readFileSync } from "node:fs";
import { importSgd } from "../../../bench/datasets/import-sgd.js";
import { assert, shared, test, testWithShared, throws } from "../../support/test.js";

const json = (file: string, value: unknown) => ({ file, bytes: Buffer.from(JSON.stringify(value)) });
const slot = (name: string) => ({ name, description: `The ${name}` });
const schema = json("train/schema.json", [
  {
    service_name: "Banks_1",
    description: "Banking",
    slots: [slot("account"), slot("amount")],
    intents: [
      {
        name: "CheckBalance",
        description: "Check the amount of money",
        is_transactional: false,
        required_slots: ["account"],
        optional_slots: {},
      },
      {
        name: "TransferMoney",
        description: "Transfer money to another account",
        is_transactional: true,
        required_slots: ["account", "amount"],
        optional_slots: { amount: "dontcare" },
      },
    ],
  },
]);
const user = (utterance: string, active_intent: string, slot_values: Record<string, string[]>) => ({
  speaker: "USER",
  utterance,
  frames: [{ service: "Banks_1", actions: [], state: { active_intent, requested_slots: [], slot_values } }],
});
const dialogue = {
  dialogue_id: "1_00001",
  services: ["Banks_1"],
  turns: [
    user("my balance please", "CheckBalance", {}),
    { speaker: "SYSTEM", utterance: "which account", frames: [{ service: "Banks_1", actions: [] }] },
    user("checking", "CheckBalance", { account: ["checking"] }),
    user("now send some money", "TransferMoney", { account: ["checking", "chequing"] }),
    user("thanks", "NONE", { account: ["checking"] }),
  ],
};
const part = { part: "train", schema, dialogues: [json("train/dialogues_001.json", [dialogue])] };

test("a request is a turn at which an intent begins, with its context, its missing inputs and its allowed workflows", () => {
  const { rows, catalog } = importSgd({ kind: "dialogues", parts: [part] });
  const allowed = ["banks_1.checkbalance", "banks_1.transfermoney"];
  const slices = { part: "train", service: "Banks_1", domain: "Banks" };
  assert.equal(rows, [
    {
      id: "sgd-train-1_00001-0-Banks_1",
      text: "my balance please",
      workflow_id: "banks_1.checkbalance",
      group_id: null,
      context: {},
      allowed_workflow_ids: allowed,
      missing_inputs: ["account"],
      slices: { ...slices, turn: "first" },
    },
    {
      id: "sgd-train-1_00001-3-Banks_1",
      text: "now send some money",
      workflow_id: "banks_1.transfermoney",
      group_id: null,
      context: { account: "checking" },
      allowed_workflow_ids: allowed,
      missing_inputs: ["amount"],
      slices: { ...slices, turn: "later" },
    },
  ]);
  assert.equal(
    catalog?.workflows.map((w) => [w.workflow_id, w.name, w.risk_tier, w.required_inputs?.map(({ name }) => name)]),
    [
      ["banks_1.checkbalance", "check balance", "low", ["account"]],
      ["banks_1.transfermoney", "transfer money", "high", ["account", "amount"]],
    ],
  );
});

test("a dialogue of another form is a bad row, and a file that is no list is refused", () => {
  const dialogues = [json("train/dialogues_001.json", [{ dialogue_id: 3 }, dialogue])];
  const files = { kind: "dialogues", parts: [{ ...part, dialogues }] } as const;
  assert.match(throws(() => importSgd(files), "DOCUMENT_INVALID").message, "train/dialogues_001.json: dialogue 0");
  assert.is(importSgd(files, { maxBadRows: 1 }).rows.length, 2);
  const none = { kind: "dialogues", parts: [{ ...part, dialogues: [json("x", {})] }] } as const;
  throws(() => importSgd(none), "DOCUMENT_INVALID");
});

test("extracted lines name their bad fields", () => {
  const requests = json("data.jsonl", { id: "a", text: "x" });
  const files = { kind: "lines", requests, catalog: json("catalog.jsonl", {}) } as const;
  assert.match(
    throws(() => importSgd(files), "DOCUMENT_INVALID").message,
    /catalog\.jsonl: line 1.*data\.jsonl: line 1/,
  );
});

testWithShared(test, "imports the extracted lines: 43,209 requests of 60 workflows, all of them in the catalog", () => {
  const source = (name: string) => {
    const file = shared("data", "sgd", name);
    return { file, bytes: readFileSync(file) };
  };
  const files = { kind: "lines", requests: source("data.jsonl"), catalog: source("catalog.jsonl") } as const;
  const { rows, catalog } = importSgd(files);
  assert.is(rows.length, 43_209);
  assert.is(catalog?.workflows.length, 60);
  const known = new Set(catalog?.workflows.map((workflow) => workflow.workflow_id));
  assert.ok(rows.every((row) => row.workflow_id !== null && known.has(row.workflow_id)));
  assert.ok(rows.every((row) => (row.allowed_workflow_ids ?? []).includes(row.workflow_id ?? "")));
  assert.is(new Set(rows.map((row) => row.slices?.["domain"])).size, 16);
  assert.is(importSgd(files, { maxRowsPerWorkflow: 3 }).rows.length, 3 * 59, "one workflow has no request");
});
