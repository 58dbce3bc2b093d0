/** Inputs of the shape and size of four public projects; every text is made here. */

const actions = ["cancel", "order", "track", "change", "explain", "report"] as const;
const objects = (
  "parcel invoice password passport appointment subscription insurance booking mortgage salary voucher warranty " +
  "prescription contract membership ticket internet"
).split(" ");

/** Ways in which people ask; `{a}` is the action, `{o}` the object. */
const phrasings = [
  "please {a} my {o}",
  "i want to {a} the {o}",
  "can you {a} a {o} for me",
  "how do i {a} my {o}",
  "{a} {o}",
  "i need help to {a} the {o}",
  "could somebody {a} our {o}",
  "is it possible to {a} this {o} online",
  "what must i do to {a} my {o}",
  "my wife would like to {a} her {o}",
];
const endings = [
  "",
  "today",
  "before friday",
  "as soon as possible",
  "for my mother",
  "from abroad",
  "by phone",
  "again",
  "this week",
];

export interface RoadIntent {
  readonly name: string;
  readonly texts: readonly string[];
}

/** Intents with distinct texts, at most 90 each. */
export const roadIntents = (intents: number, texts: number): readonly RoadIntent[] =>
  Array.from({ length: intents }, (_, at) => {
    const [action = "", object = ""] = [actions[at % actions.length], objects[Math.floor(at / actions.length)]];
    const all = endings.flatMap((ending) =>
      phrasings.map((phrasing) => `${phrasing.replace("{a}", action).replace("{o}", object)} ${ending}`.trim()),
    );
    return { name: `${action}_${object}`, texts: all.slice(0, texts) };
  });

const outside = [
  "sing a song about frogs",
  "who won the match last night",
  "what is seven times eight",
  "recommend a film",
];
export const outsideTexts = (count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, at) => `${outside[at % outside.length] ?? ""} ${endings[Math.floor(at / 4) % endings.length] ?? ""} ${at}`,
  );

export type RoadFiles = Readonly<Record<string, string>>;

/** A Rasa project: training data in two files, test stories, a domain, stories and rules. */
export function rasaProject(intents: readonly RoadIntent[]): RoadFiles {
  const block = ({ name, texts }: RoadIntent): string =>
    `- intent: ${name}\n  examples: |\n${texts.map((text) => `    - ${text.replace(/\b(my|the) (\w+)/, "$1 [$2](thing)")}`).join("\n")}\n`;
  const story = ({ name, texts }: RoadIntent): string =>
    `- story: ${name}\n  steps:\n  - user: |\n      ${texts.at(-1) ?? ""} now\n    intent: ${name}\n  - action: utter_${name}\n`;
  const outsideBlock = block({ name: "out_of_scope/other", texts: outsideTexts(60) });
  return {
    "domain.yml": `version: "3.1"\nintents:\n${intents.map(({ name }) => `- ${name}`).join("\n")}\nresponses:\n  utter_ok:\n  - text: done\n`,
    "data/nlu.yml": `version: "3.1"\nnlu:\n${intents.map(block).join("")}- lookup: thing\n  examples: |\n    - parcel\n`,
    "data/chitchat.yml": `version: "3.1"\nnlu:\n${outsideBlock}`,
    "data/stories.yml": 'version: "3.1"\nstories:\n- story: a\n  steps:\n  - intent: greet\n  - action: utter_ok\n',
    "tests/test_stories.yml": `stories:\n${intents.map(story).join("")}`,
  };
}

/** An exported Watson Assistant workspace. */
export function watsonSkill(intents: readonly RoadIntent[]): string {
  return JSON.stringify({
    name: "Bank",
    language: "en",
    intents: intents.map(({ name, texts }) => ({
      intent: name,
      examples: texts.map((text) => ({ text })),
      description: "",
    })),
    entities: [{ entity: "account", values: [{ type: "synonyms", value: "savings", synonyms: ["saving"] }] }],
    dialog_nodes: [{ type: "standard", title: "welcome", conditions: "welcome", dialog_node: "Welcome" }],
    counterexamples: outsideTexts(40).map((text) => ({ text })),
    learning_opt_out: false,
  });
}

/** Sentence templates and test sentences as Home Assistant keeps them. */
export function homeAssistant(intents: readonly RoadIntent[]): RoadFiles {
  const sentences = ({ name, texts }: RoadIntent): readonly [string, string] => [
    `sentences/en/${name}.yaml`,
    `language: en\nintents:\n  ${name}:\n    data:\n      - sentences:\n${texts
      .slice(0, 10)
      .map(
        (text) =>
          `          - "${text.replace("please", "[please|kindly]").replace("want", "(want|wish)").replace("my ", "<my> ")}"`,
      )
      .join("\n")}\n`,
  ];
  const tests = ({ name, texts }: RoadIntent): readonly [string, string] => [
    `tests/en/${name}.yaml`,
    `language: en\ntests:\n  - sentences:\n${texts
      .slice(10, 30)
      .map((text) => `      - "${text}"`)
      .join("\n")}\n    intent:\n      name: ${name}\n`,
  ];
  return {
    "sentences/en/_common.yaml":
      'language: en\nlists:\n  area:\n    values: ["kitchen"]\nexpansion_rules:\n  my: "(my|our)"\n',
    ...Object.fromEntries(intents.map(sentences)),
    ...Object.fromEntries(intents.map(tests)),
  };
}

/** The answer of an MCP server to `tools/list`. */
export function mcpTools(count: number): string {
  const tools = roadIntents(Math.min(count, 102), 1).map(({ name }) => ({
    name,
    description: `${name.replace("_", " a ")} of a customer. Use it when the customer asks for it.`,
    inputSchema: { type: "object", properties: { id: { type: "string", description: "Number of the case" } } },
    annotations: name.startsWith("cancel") ? { destructiveHint: true } : { readOnlyHint: name.startsWith("track") },
  }));
  const more = Array.from({ length: count - tools.length }, (_, at) => ({
    name: `tool_${at}`,
    inputSchema: { type: "object" },
  }));
  return JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [...tools, ...more] } });
}
