import { extname } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";

/** A text without a label. If the file has no id, the position is the id. */
export interface UnlabelledText {
  readonly id: string;
  readonly text: string;
}

/**
 * Reads unlabelled texts: one per line of a .txt file, or JSON Lines with `text` and an optional `id` or `request_id`.
 * Blank lines are skipped.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED; SYNTAX_INVALID  names the line, never the text
 */
export async function readUnlabelled(file: string): Promise<readonly UnlabelledText[]> {
  const lines = (await readInput(file))
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/);
  const json = [".jsonl", ".ndjson"].includes(extname(file).toLowerCase());
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const id = `line-${index + 1}`;
    return [json ? fromJson(line, id, file) : { id, text: line.trim() }];
  });
}

function fromJson(line: string, place: string, file: string): UnlabelledText {
  const value = parsed(line);
  if (typeof value === "object" && value !== null && "text" in value && typeof value.text === "string") {
    const { id, request_id: requestId } = value as { readonly id?: unknown; readonly request_id?: unknown };
    const named = [id, requestId].find((name): name is string => typeof name === "string");
    return { id: named ?? place, text: value.text };
  }
  throw new SluiceError("SYNTAX_INVALID", `${file}: ${place}: expected a JSON object with a text`, {
    hint: 'Write {"id": "a-1", "text": "..."} on each line, or one text on each line of a .txt file.',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
