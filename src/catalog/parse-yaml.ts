import { parseDocument, type YAMLParseError } from "yaml";
import { SluiceError } from "../errors/error.js";

/**
 * The value of a YAML 1.2 or JSON document.
 * @param name  how messages call the file
 * @throws {SluiceError} SYNTAX_INVALID
 */
export function parseYaml(bytes: Uint8Array, name: string): unknown {
  const document = parseDocument(decodeUtf8(bytes, name), { uniqueKeys: true, version: "1.2" });
  const [error] = document.errors;
  if (error !== undefined) throw notWellFormed(name, error);
  try {
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${name}: YAML aliases (*name) are not allowed`, {
      hint: "Replace the alias by its value.",
      cause,
    });
  }
}

function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SluiceError("SYNTAX_INVALID", `${name}: not valid UTF-8`, { hint: "Save the file as UTF-8.", cause });
  }
}

function notWellFormed(name: string, error: YAMLParseError): SluiceError {
  const position = error.linePos?.[0];
  const where = position === undefined ? "" : ` at line ${position.line}, column ${position.col}`;
  const [firstLine = ""] = error.message.split("\n");
  return new SluiceError("SYNTAX_INVALID", `${name}: not well-formed YAML${where}: ${firstLine}`, {
    hint: "Correct the line named above.",
    cause: error,
  });
}
