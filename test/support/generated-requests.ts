import { seededRandom } from "../../src/base/numbers/seeded-random.js";

/** What people want done, and the words that they use for it. */
const actions = [
  ["cancel", "call off", "stop"],
  ["track", "find out where to look for", "follow"],
  ["change", "update", "edit"],
  ["pay", "settle", "pay off"],
  ["print", "get a paper copy of", "print out"],
  ["renew", "extend", "prolong"],
  ["report", "complain about", "flag a problem with"],
  ["share", "send a colleague", "pass on"],
  ["delete", "erase", "get rid of"],
  ["order", "buy", "get a new"],
  ["move", "reschedule", "postpone"],
  ["return", "send back", "give back"],
  ["unlock", "get back into", "unblock"],
  ["translate", "get in French", "have translated"],
  ["insure", "get cover for", "protect"],
  ["rate", "leave a review of", "give stars to"],
  ["merge", "combine", "put together"],
  ["export", "download", "save as a file"],
  ["archive", "put away", "file"],
  ["explain", "understand", "make sense of"],
] as const;

const things = [
  "invoice",
  "parcel",
  "password",
  "bank card",
  "hotel booking",
  "train ticket",
  "home address",
  "phone contract",
  "gift voucher",
  "rental car",
  "tax form",
  "meeting",
  "gym membership",
  "water meter",
  "laptop",
] as const;

const openings = [
  "",
  "hi, ",
  "hello there, ",
  "hey ",
  "good morning, ",
  "URGENT ",
  "ok so ",
  "sorry to bother you, ",
] as const;
const asks = [
  "i need to",
  "how do i",
  "can you help me",
  "i want to",
  "is it possible to",
  "please",
  "trying to",
  "my boss told me to",
  "where can i",
  "i still can't",
] as const;
const closings = [
  "",
  " today",
  " asap please",
  ", thx",
  " before friday",
  " and it says error",
  ", the app just hangs",
  " for my mother",
  "??",
  " from last month",
  ", we moved to Leeds",
  " again",
  ", second time i ask",
] as const;
/** What people tell besides; texts of one intent have little else in common. */
const details = [
  "our flat was flooded last night",
  "i only have the old phone here",
  "the desk downstairs sent me to you",
  "two colleagues are waiting outside",
  "my train leaves at seven",
  "nobody picked up when i rang",
  "the doctor needs it before surgery",
  "grandma cannot read small print",
  "we switched banks over winter",
  "the children start school soon",
  "my manager already signed",
  "there was thunder and power went off",
  "i wrote three mails without any reply",
  "our lawyer wants copies",
  "the dog chewed half of it",
  "i am abroad until march",
  "the number ends with forty two",
  "your shop near the harbour closed early",
  "my surname changed after the wedding",
  "somebody stole my bag yesterday",
  "payday is next tuesday",
  "we share one account at home",
  "the lift is broken again here",
  "my eyesight got worse lately",
] as const;
const strays = [
  "what is the weather in",
  "who won the match in",
  "tell me a joke about",
  "do you like",
  "sing about",
] as const;
const places = ["rome", "the rain", "goats", "1999", "my ex", "paris", "chess", "monday", "jazz", "the moon"] as const;

/** Shape of a generated table. */
export interface GeneratedShape {
  /** At most 300. */
  readonly intents: number;
  /** Different texts of each intent, at most 1,000. */
  readonly rows: number;
  readonly seed: number;
}

/** The texts of one intent: different ones, in the voices of people in a hurry. */
function textsOf(intent: number, rows: number, seed: number): readonly string[] {
  const words = actions[intent % actions.length] ?? actions[0];
  const thing = things[Math.floor(intent / actions.length) % things.length] ?? things[0];
  const random = seededRandom(seed + intent);
  const texts = openings.flatMap((opening) =>
    asks.flatMap((ask) =>
      closings.map((closing, at) => `${opening}${ask} ${words[at % words.length]} my ${thing}${closing}`),
    ),
  );
  const told = random.shuffle(
    details.flatMap((one) => details.flatMap((other) => (one === other ? [] : `${one}, ${other}`))),
  );
  return random
    .shuffle(texts)
    .slice(0, rows)
    .map((text, at) => `${text}. ${told[at % told.length]}`);
}

/** The name of an intent as its owner would write it. */
const labelOf = (intent: number): string => {
  const [action] = actions[intent % actions.length] ?? actions[0];
  const thing = things[Math.floor(intent / actions.length) % things.length] ?? things[0];
  return `${action}_${thing.replaceAll(" ", "_")}`;
};

/** A table of labelled requests, the same for the same seed; one row in twenty is out of scope. */
export function generatedCsv({ intents, rows, seed }: GeneratedShape): string {
  const labelled = Array.from({ length: intents }, (_, intent) =>
    textsOf(intent, rows, seed).map((text) => `"${text}",${labelOf(intent)}`),
  ).flat();
  const outside = strays
    .flatMap((stray) => places.map((place) => `"${stray} ${place}",out_of_scope`))
    .slice(0, Math.max(1, Math.floor(labelled.length / 20)));
  return `${["text,intent", ...labelled, ...outside].join("\n")}\n`;
}
