import { type HandWrittenFile, handWrittenFiles, jsonSchemaText } from "../../stages/schemas.js";
import type { CommandContext } from "../context.js";
import type { ResultParts } from "../result.js";
import { table } from "../table.js";
import type { WorkOf } from "../command.js";
import type { schemaSpec } from "../specs/project.js";
import { schemaNames } from "../../stages/choices.js";
import { GrantPolicySchema } from "../../src/documents/grant-policy.js";

type SchemaName = (typeof schemaNames)[number];

export const schema: WorkOf<typeof schemaSpec> = async (context, { name }) =>
  name === undefined ? listResult(context) : schemaResult(files[name]);

const files: Readonly<Record<SchemaName, HandWrittenFile>> = {
  ...handWrittenFiles,
  grants: { file: "grants.yaml", title: "Grants of a server, by token claims", schema: GrantPolicySchema },
};

function listResult(context: CommandContext): ResultParts {
  const listed = schemaNames.map((name) => ({ name, file: files[name].file, title: files[name].title }));
  return {
    schema: "schema-list@1",
    result: { schemas: listed },
    lines: table(
      listed.map(({ name, file, title }) => [name, file, title]),
      ["schema", "file", "what it is"],
    ),
    next: [context.next("schema", "catalog")],
  };
}

function schemaResult(file: HandWrittenFile): ResultParts {
  const text = jsonSchemaText(file);
  return {
    schema: "json-schema@1",
    result: JSON.parse(text),
    lines: text.trimEnd().split("\n"),
    verbatim: true,
  };
}
