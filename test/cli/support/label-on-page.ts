import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OnPage, onPage } from "./on-page.js";

/** A question on the page of `sluice label`. */
export interface AskedOnPage {
  readonly token: string;
  readonly phase: string;
  readonly row: string;
  readonly text: string;
  /** Values of the keys 1, 2, …. */
  readonly shortlist: readonly string[];
  readonly progress: string;
}

const fieldOf = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";

export const askedOn = (html: string): AskedOnPage => ({
  token: fieldOf(html, "token"),
  phase: fieldOf(html, "phase"),
  row: fieldOf(html, "row"),
  text: /<p class="request" lang="">([^<]*)</.exec(html)?.[1] ?? "",
  shortlist: [...html.matchAll(/name="workflow" value="([^"]+)" data-key/g)].map(([, id = ""]) => id),
  progress: /<p id="progress" role="status">([^<]*)</.exec(html)?.[1] ?? "",
});

export async function sendTo(address: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(`${address}/`, { method: "POST", body: new URLSearchParams(fields) });
  return answer.text();
}

/** Answer of a person: a workflow id, "none" or "unsure". */
export type Person = (asked: AskedOnPage) => string;

/** Clicks until `until` holds or nothing is asked; returns the last page. */
export async function clickThrough(
  address: string,
  person: Person,
  until: (asked: AskedOnPage) => boolean = () => false,
): Promise<AskedOnPage> {
  let asked = askedOn(await (await fetch(`${address}/`)).text());
  while (asked.row !== "" && !until(asked)) {
    const { token, phase, row } = asked;
    const said = person(asked);
    const answer = said === "none" || said === "unsure" ? { do: said } : { workflow: said };
    asked = askedOn(await sendTo(address, { token, phase, row, ...answer }));
  }
  return asked;
}

/** Options that name the files of a project in a folder. */
export const inProject = (folder: string): readonly string[] => [
  "--file",
  join(folder, "sluice.yaml"),
  "--workspace",
  join(folder, "sluice-workspace"),
];

/** Runs `sluice label` while `use` looks at its page. @throws if the page is not served */
export async function labelOnPage(
  folder: string,
  use: (address: string) => Promise<void>,
  ...more: string[]
): Promise<OnPage> {
  let served = false;
  const ran = await onPage(["label", ...inProject(folder), ...more], (address) => {
    served = true;
    return use(address);
  });
  if (!served) throw new Error(ran.stderr);
  return ran;
}

const verbs: Readonly<Record<string, readonly string[]>> = {
  cancel_order: ["please cancel", "call off", "I no longer want", "stop", "do not send"],
  request_refund: [
    "give me my money back for",
    "refund",
    "I want to be reimbursed for",
    "pay me back for",
    "return the payment of",
  ],
  track_parcel: ["where is", "when will I get", "has the courier got", "what is the delivery status of", "track"],
};
const objects = "shoes,lamp,table,phone,bag,coat,book,chair,camera,watch,bike,kettle,desk,radio,guitar".split(",");

/** Texts of a log of three workflows, with their workflows. */
export const smallLog: ReadonlyMap<string, string> = new Map(
  Object.entries(verbs).flatMap(([workflow, ways]) =>
    ways.flatMap((verb) => objects.map((thing) => [`${verb} the ${thing}`, workflow] as const)),
  ),
);

/** A person who knows the workflow of every text of the small log. */
export const knowing: Person = ({ text }) => smallLog.get(text) ?? "none";

/** Writes a tool list of the three workflows and the log; returns their paths. */
export async function writeSmallLog(folder: string): Promise<{ readonly tools: string; readonly log: string }> {
  const [tools, log] = [join(folder, "tools.json"), join(folder, "log.txt")];
  const list = Object.keys(verbs).map((name) => ({
    name,
    description: name.replace("_", " "),
    inputSchema: { type: "object", properties: {} },
  }));
  await writeFile(tools, JSON.stringify({ tools: list }));
  await writeFile(log, `${[...smallLog.keys()].join("\n")}\n`);
  return { tools, log };
}
