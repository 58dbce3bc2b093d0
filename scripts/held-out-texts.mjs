import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Every text of CLINC150, and the test texts of BANKING77: nothing that ships is learned from them. */
export function heldOutTexts(data) {
  const lists = JSON.parse(readFileSync(join(data, "clinc150", "raw", "data_full.json"), "utf8"));
  const banking = readFileSync(join(data, "banking77", "data.jsonl"), "utf8")
    .trim()
    .split("\n");
  const rows = banking.map((line) => JSON.parse(line)).filter(({ split: part }) => part === "test");
  const texts = [
    ...Object.values(lists).flatMap((list) => list.map(([text]) => text)),
    ...rows.map(({ text }) => text),
  ];
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}
