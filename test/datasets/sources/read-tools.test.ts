import { defaultChoices } from "../../../datasets/sources/choices.js";
import { parseSource } from "../../../datasets/sources/parse-source.js";
import { assert, test } from "../../support/test.js";

const readValue = (value: unknown) =>
  parseSource([{ file: "tools.json", bytes: Buffer.from(JSON.stringify(value), "utf8") }], defaultChoices);

const schema = {
  type: "object",
  properties: { order_id: { type: "string", description: "Number of the order" }, note: { type: "string" } },
  required: ["order_id"],
};
const inputs = [
  { name: "order_id", description: "Number of the order", required: true },
  { name: "note", description: "", required: false },
];

test("tool lists of OpenAI (both APIs), Anthropic and MCP become workflows with their inputs", async () => {
  const name = "cancel_order";
  const description = "Cancel an order that has not been shipped.";
  const lists: readonly (readonly [string, unknown, string | null])[] = [
    ["tools", [{ type: "function", function: { name, description, parameters: schema } }], null],
    ["tools", { model: "m", tools: [{ type: "function", name, description, parameters: schema }] }, null],
    ["tools", { tools: [{ name, description, input_schema: schema }] }, null],
    [
      "tools",
      {
        jsonrpc: "2.0",
        id: 1,
        result: { tools: [{ name, description, inputSchema: schema, annotations: { readOnlyHint: false } }] },
      },
      "writes",
    ],
  ];
  for (const [kind, value, effect] of lists) {
    const found = await readValue(value);
    assert.is(found.kind, kind);
    const tool = { name, inputSchema: schema };
    assert.equal(found.workflows, [{ label: name, description, inputs, effect, tool }]);
    assert.equal(found.texts, []);
  }
});

test("each operation of an OpenAPI document is a workflow; references are followed, circles end", async () => {
  const found = await readValue({
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: {
      "/orders/{order_id}": {
        parameters: [{ $ref: "#/components/parameters/OrderId" }],
        get: { operationId: "getOrder", summary: "Look up an order" },
        delete: { summary: "Cancel an order", parameters: [{ name: "X-Trace", in: "header" }] },
        post: { operationId: "old", deprecated: true },
      },
      "/notes": {
        post: {
          operationId: "addNote",
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Note" } } },
          },
        },
        put: {
          operationId: "putNote",
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Loop" } } } },
        },
      },
    },
    components: {
      parameters: { OrderId: { name: "order_id", in: "path", required: true, description: "Number of the order" } },
      schemas: { Note: schema, Loop: { $ref: "#/components/schemas/Loop" } },
    },
  });
  assert.is(found.kind, "openapi");
  assert.ok(found.decisions.includes("Deprecated operations were skipped: old."), found.decisions.join(" "));
  assert.equal(
    found.workflows.map(({ label, effect, inputs: own }) => [label, effect, own.map((input) => input.name).join()]),
    [
      ["getOrder", "reads", "order_id"],
      ["delete /orders/{order_id}", "destroys", "order_id"],
      ["addNote", "writes", "order_id,note"],
      ["putNote", "writes", ""],
    ],
  );
});

test("a path that is a reference is followed, and a body put together with allOf has the fields of every part", async () => {
  const base = { type: "object", required: ["isbn"], properties: { isbn: { type: "string" } } };
  const found = await readValue({
    openapi: "3.1.0",
    info: { title: "Library", version: "1" },
    paths: {
      "/loans": { $ref: "#/components/pathItems/Loans" },
      "/books/{isbn}": {
        parameters: [{ name: "isbn", in: "path", required: true }],
        get: {
          operationId: "getBook",
          parameters: [{ name: "isbn", in: "path", required: true, description: "ISBN" }],
        },
      },
    },
    components: {
      pathItems: {
        Loans: {
          post: {
            operationId: "addBook",
            requestBody: {
              required: true,
              content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } },
            },
          },
        },
      },
      schemas: {
        Base: base,
        Book: {
          allOf: [{ $ref: "#/components/schemas/Base" }, { $ref: "#/components/schemas/Book" }],
          required: ["title"],
          properties: { title: { type: "string" }, pages: { type: "integer" } },
        },
      },
    },
  });
  const required = (label: string) =>
    found.workflows
      .find((workflow) => workflow.label === label)
      ?.inputs.map(({ name, required: needed }) => [name, needed]);
  assert.equal(required("addBook"), [
    ["isbn", true],
    ["title", true],
    ["pages", false],
  ]);
  assert.equal(required("getBook"), [["isbn", true]]);
});

test("a name and a description among tools with inputs are a tool without inputs", async () => {
  const { workflows } = await readValue([
    { name: "track_order", description: "Tell where an order is", inputSchema: schema },
    { name: "opening_hours", description: "Tell the opening hours" },
    { type: "web_search", name: "web_search" },
  ]);
  assert.equal(
    workflows.map(({ label }) => label),
    ["track_order", "opening_hours"],
  );
});

test("tools without a name are counted", async () => {
  const { workflows, decisions } = await readValue([
    { type: "function", name: "a_tool", parameters: schema },
    { type: "function", parameters: schema },
  ]);
  assert.is(workflows.length, 1);
  assert.ok(
    decisions.includes("Skipped, because they have no name, or neither inputs nor a description: function."),
    decisions.join(" "),
  );
});
