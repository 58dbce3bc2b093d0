import type { HandWrittenFile } from "../../workbench/schemas/hand-written-files.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { optional } from "../options.js";
import { choice } from "../parsers.js";
import { type CommandResult, commandResult } from "../result.js";
import { table } from "../table.js";

/** Files of which there is a schema. */
const schemaNames = ["catalog", "project", "policy", "requests", "retriever", "verifier", "grants"] as const;
type SchemaName = (typeof schemaNames)[number];

export const schema = defineCommand({
  name: ["schema"],
  describe: "Print the JSON Schema of a file that people write, or list these files",
  positionals: { name: optional(choice(...schemaNames), "file whose schema is printed") },
  options: {},
  examples: [
    ["sluice schema", "the files that have a schema"],
    ["sluice schema catalog", "for an editor or another checker"],
  ],
  run: async (context, { name }) => {
    const files = await allFiles();
    return name === undefined ? listResult(context, files) : schemaResult(files[name]);
  },
});

async function allFiles(): Promise<Readonly<Record<SchemaName, HandWrittenFile>>> {
  const { handWrittenFiles } = await import("../../workbench/schemas/hand-written-files.js");
  const { GrantPolicySchema } = await import("../../serve/authorizers/grant-policy.js");
  const grants = { file: "grants.yaml", title: "Grants of a server by token claims", schema: GrantPolicySchema };
  return { ...handWrittenFiles, grants };
}

function listResult(context: CommandContext, files: Readonly<Record<SchemaName, HandWrittenFile>>): CommandResult {
  const listed = schemaNames.map((name) => ({ name, file: files[name].file, title: files[name].title }));
  return commandResult({
    schema: "schema-list@1",
    result: { schemas: listed },
    lines: table(
      listed.map(({ name, file, title }) => [name, file, title]),
      ["schema", "file", "what it is"],
    ),
    next: [context.nextLine("schema", "catalog")],
  });
}

async function schemaResult(file: HandWrittenFile): Promise<CommandResult> {
  const { jsonSchemaText } = await import("../../workbench/schemas/hand-written-files.js");
  const text = jsonSchemaText(file);
  return commandResult({
    schema: "json-schema@1",
    result: JSON.parse(text),
    lines: text.trimEnd().split("\n"),
    verbatim: true,
  });
}
