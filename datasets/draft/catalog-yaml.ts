import { stringify } from "yaml";
import type { CatalogFile } from "../../src/domain/catalog.js";

const header = `# The workflows that Sluice may choose. Edit freely; the next run of the project uses what you changed.
# Every field: docs/reference/catalog.md of Sluice, and "sluice schema catalog". What can be better: sluice catalog lint.
#
# workflow_id      what a route answers; keep it once callers use it
# name             a short name, 3 to 160 characters
# description      what the workflow does, in one or two sentences; retrieval reads it
# owner            the team that answers for it; production refuses a catalog without owners
# risk_tier        low, medium, high or critical; a tier can be held to a stricter promise
# side_effect      read_only, internal_write, external_write or destructive
# confirmation     never, or when the caller must ask its user, e.g. always
# exclusions       what the workflow is not for; external_write and destructive need at least one
# examples         requests as people write them, up to 50; the first few matter most
# required_inputs  what must be known before it can run: name, description, aliases, pattern
#
# Drafted values for you to check: description, owner, risk_tier, side_effect, confirmation.
`;

/** The line by which editors find a JSON Schema; `path` is relative to the file that holds the line. */
export const schemaLine = (path: string): string => `# yaml-language-server: $schema=${path}\n`;

/**
 * The catalog file with a comment for each field, as a person will edit it.
 * @param schemaPath  JSON Schema of catalogs, relative to the file; undefined: the file names none
 */
export function catalogYaml(catalog: CatalogFile, schemaPath?: string): string {
  const { workflows, ...head } = catalog;
  const options = { lineWidth: 0 };
  const items = workflows.map((workflow) => indented(stringify([workflow], options)));
  const schema = schemaPath === undefined ? "" : schemaLine(schemaPath);
  return `${schema}${header}${stringify(head, options)}workflows:\n${items.join("")}`;
}

const indented = (yaml: string): string => yaml.replace(/^(?=.)/gm, "  ");
