import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { type SeededRandom, seededRandom } from "../../src/base/numbers/seeded-random.js";
import { aCatalog, anInput, aWorkflow } from "../../test/support/builders.js";
import type { Protocol } from "./protocol.js";

/** Actions of tools: the verb of the name, a description, and how users ask for the action. */
const actions = [
  ["create", "Creates a new", ["add a new", "make a", "set up another"]],
  ["list", "Lists every", ["show me each", "what do I have as", "give me all of the"]],
  ["get", "Returns the details of one", ["look up the", "tell me about that", "open the"]],
  ["update", "Changes the fields of one", ["edit the", "correct the", "put new data into the"]],
  ["delete", "Removes one for good,", ["get rid of the", "erase the", "throw away that"]],
  ["archive", "Puts away one finished", ["move to the archive the old", "put away the", "file away that"]],
  [
    "share",
    "Gives another person access to one",
    ["let my colleague see the", "give access to the", "invite someone to the"],
  ],
  ["export", "Writes to a file one", ["download the", "save as a file the", "send me a copy on disk of the"]],
  ["duplicate", "Makes a second copy of one", ["copy the", "clone the", "make another one just like the"]],
  [
    "assign",
    "Makes a person responsible for one",
    ["hand over to Kim the", "who takes it: give Kim the", "put Kim in charge of the"],
  ],
] as const;

/** Objects of tools, each with a synonym. */
const things = [
  ["invoice", "bill"],
  ["ticket", "support case"],
  ["meeting", "appointment"],
  ["document", "file"],
  ["contact", "address entry"],
  ["order", "purchase"],
  ["payment", "transfer"],
  ["project", "undertaking"],
  ["task", "to-do"],
  ["survey", "questionnaire"],
  ["shipment", "parcel"],
  ["employee", "staff member"],
  ["contract", "agreement"],
  ["campaign", "promotion"],
  ["alert", "warning"],
  ["recipe", "cooking instruction"],
  ["lesson", "class"],
  ["vehicle", "car"],
  ["room", "office space"],
  ["playlist", "set of songs"],
] as const;

const syllables = [
  "ar",
  "bo",
  "cel",
  "dor",
  "el",
  "fin",
  "gra",
  "hul",
  "in",
  "jor",
  "ka",
  "lum",
  "mi",
  "nor",
  "os",
  "pel",
];

const thingsEach = 10;
const most = 64_000;

/** Invented service names that no model has seen. */
function serviceNames(random: SeededRandom, count: number): readonly string[] {
  const names = new Set<string>();
  for (let tries = 0; names.size < count && tries < most; tries += 1) {
    const word = Array.from({ length: 3 }, () => syllables[random.integer(0, syllables.length - 1)] ?? "").join("");
    names.add(`${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  }
  return [...names];
}

/**
 * Tools in the style of public tool lists: services with ten objects each and ten actions per object. A tool has a
 * name, one sentence and an input, but no examples. Requests contain the service name, and synonyms for action and
 * object. One third of the number of these requests is added for services that are not in the list.
 *
 * @param count  number of tools, a multiple of 100
 */
export function toolListProtocol(count: number, requests: number): Protocol {
  const random = seededRandom(count);
  const services = count / (thingsEach * actions.length);
  const names = serviceNames(random, services + Math.ceil(services / 3));
  const pick = <T>(list: readonly T[]): T => list[random.integer(0, list.length - 1)] as T;
  const tools = names.flatMap((service, index) =>
    random
      .shuffle([...things])
      .slice(0, thingsEach)
      .flatMap(([thing, otherWord]) =>
        actions.map(([verb, description, asked]) => ({
          workflowId: `${service.toLowerCase()}.${verb}_${thing}` as WorkflowId,
          isListed: index < services,
          name: `${service} ${verb} ${thing}`,
          description: `${description} ${thing} in ${service}.`,
          ask: () =>
            `${pick(asked)} ${pick([thing, otherWord])} ${pick(["in", "with", "on"])} ${service}${pick(["", " please", ", thanks"])}`,
        })),
      ),
  );
  const listed = tools.filter(({ isListed }) => isListed);
  const others = tools.filter(({ isListed }) => !isListed);
  const rowsOf = (of: typeof tools, count: number, prefix: string): readonly LabelledRequest[] =>
    Array.from({ length: count }, (_, i) => {
      const { workflowId, isListed, ask } = pick(of);
      return { id: `${prefix}-${i}`, text: ask(), workflow_id: isListed ? workflowId : null };
    });
  const workflows = listed.map(({ workflowId, name, description }) =>
    aWorkflow({
      workflow_id: workflowId,
      name,
      description,
      capabilities: [],
      examples: [],
      optional_inputs: [anInput({ name: "id", description: "Its number." })],
    }),
  );
  return {
    catalog: aCatalog({ workflows }),
    rows: [...rowsOf(listed, requests, "in"), ...rowsOf(others, Math.floor(requests / 3), "out")],
    removed: new Set(),
  };
}
