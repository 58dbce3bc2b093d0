// cspell:ignore dont doesnt didnt
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";

/** `same`: two requests for one workflow; `negating`: one wish, with a word of negation. */
export type Kind = "single" | "negating" | "pair" | "same" | "negated";

export interface AskedText {
  readonly kind: Kind;
  readonly text: string;
  /** Workflows of the requests that the text was made of. */
  readonly about: readonly string[];
}

const pairs = 600;
const sames = 200;
const mostNegated = 350;

const joiners =
  " and | and also |, and |. Also, | then |, then |. |; | plus | as well as |, | and then |. And |? ".split("|");

/** Ways to say that a wish, which begins with a verb, is not one. */
const refusals = [
  "don't {}|do not {}|please don't {}|please do not {}|never {}|dont {}|no need to {}|there is no need to {}",
  "I don't want to {}|I do not want you to {}|I did not ask to {}|I didn't ask you to {}|I no longer want to {}",
  "you don't have to {}|I never asked to {}|do not {} yet|I changed my mind, don't {}|wait, don't {}",
  "whatever you do, don't {}|I'm not asking to {}",
].flatMap((line) => line.split("|"));

const polite =
  /^(?:(?:hi|hello|hey|ok|okay)[,!. ]+)?(?:please |pls )?(?:(?:can|could|would|will) you(?: please)? (?:help me (?:to )?)?|(?:i|we)(?: want|'d like| would like| need| wish| have) to |id like to |help me (?:to )?|how (?:do|can|could|would|should) i |(?:can|could|may) i |i(?: am|'m) trying to |is it possible to |i wanna |please )?(?=[a-z])/iu;
const verbs = new Set(
  "cancel change update reset unlock book order delete close open create add remove transfer send refund return track check activate top freeze block verify edit get make buy reserve find switch set reactivate request use receive withdraw exchange terminate revoke approve submit rename move give grant ship schedule upgrade install replace restore lift extend assign reissue resend subscribe download modify correct recover retrieve file dispute review purchase place report arrange start turn disable enable issue export archive register enrol share reopen renew".split(
    " ",
  ),
);
export const negating = /n['’]t|\b(?:not|never|no|cannot|dont|cant|wont|doesnt|didnt|stop|without)\b/iu;

const lowered = (text: string): string =>
  /^(?:I\b|[A-Z]{2})/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
const withoutEnd = (text: string): string => text.trim().replace(/[.?!,\s]+$/u, "");

function joined(a: string, b: string, joiner: string): string {
  const startsSentence = joiner === ". " || joiner === "? ";
  return withoutEnd(a) + joiner + (startsSentence ? b.trim() : lowered(b.trim()));
}

/** The wish without politeness, from its verb; null if it does not begin with one, or negates something itself. */
function bareWish(text: string): string | null {
  const wish = lowered(withoutEnd(text.trim().replace(polite, "")));
  const words = wish.split(/\s+/u);
  const fits = words.length >= 2 && words.length <= 14 && verbs.has(words[0] ?? "") && !negating.test(wish);
  return fits ? wish : null;
}

/** Texts made of labelled requests: themselves, two of them joined, and one of them negated. Equal seeds give equal texts. */
export function askedTexts(rows: readonly LabelledRequest[], seed: number): readonly AskedText[] {
  const random = seededRandom(seed);
  const requests = random.shuffle(rows).flatMap(({ text, workflow_id: id }) => (id === null ? [] : [{ text, id }]));
  const pick = <T>(items: readonly T[]): T => items[random.integer(0, items.length - 1)] as T;
  const other = (id: string, isSame: boolean) => pick(requests.filter((one) => (one.id === id) === isSame));
  const made = (count: number, kind: "pair" | "same"): AskedText[] =>
    Array.from({ length: count }, () => {
      const a = pick(requests);
      const b = other(a.id, kind === "same");
      return { kind, text: joined(a.text, b.text, pick(joiners)), about: [...new Set([a.id, b.id])] };
    });
  const negated = requests.flatMap(({ text, id }): AskedText[] => {
    const wish = bareWish(text);
    return wish === null ? [] : [{ kind: "negated", text: pick(refusals).replace("{}", wish), about: [id] }];
  });
  const singles = requests.map(
    ({ text, id }): AskedText => ({ kind: negating.test(text) ? "negating" : "single", text, about: [id] }),
  );
  return [...singles, ...made(pairs, "pair"), ...made(sames, "same"), ...negated.slice(0, mostNegated)];
}
