import { stringify } from "yaml";
import type { CatalogFile } from "../../src/documents/catalog.js";

const header = `# The workflows that Sluice may choose. Edit freely; the next run of the project uses your changes.
# All fields: "sluice schema catalog". Suggestions: "sluice catalog lint".
#
# workflow_id      the id that a route returns; do not change it once callers use it
# name             a short name, 3 to 160 characters
# description      what the workflow does, in one or two sentences; used by retrieval
# owner            the team responsible for it; required in production
# risk_tier        low, medium, high or critical; a tier can have its own, stricter target
# side_effect      read_only, internal_write, external_write or destructive
# confirmation     never, or when the caller must ask its user for confirmation, e.g. always
# exclusions       what the workflow is not for; external_write and destructive require at least one
# examples         requests as people write them, up to 50; the first few matter most
# required_inputs  inputs required to run it: name, description, aliases, pattern
#
# Drafted values for you to check: description, owner, risk_tier, side_effect, confirmation.
`;

/** The comment that tells editors where the JSON Schema is; `path` is relative to the file with the comment. */
export const schemaLine = (path: string): string => `# yaml-language-server: $schema=${path}\n`;

/**
 * The catalog as YAML with a comment per field, for editing by hand.
 * @param schemaPath  path of the JSON Schema of catalogs, relative to the file; undefined: no schema comment
 */
export function catalogYaml(catalog: CatalogFile, schemaPath?: string): string {
  const { workflows, ...head } = catalog;
  const options = { lineWidth: 0 };
  const items = workflows.map((workflow) => indented(stringify([workflow], options)));
  const schema = schemaPath === undefined ? "" : schemaLine(schemaPath);
  return `${schema}${header}${stringify(head, options)}workflows:\n${items.join("")}`;
}

const indented = (yaml: string): string => yaml.replace(/^(?=.)/gm, "  ");
