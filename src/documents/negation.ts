// cspell:ignore dont recieved
import { Type } from "../base/typebox.js";
import { LanguageSchema, object, type ReadonlyStatic } from "./primitives.js";

const pattern = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Words with which people say that something shall not be done. All patterns are RE2, and ignore case. */
export const NegationSchema = object({
  /** Language of the words. */
  language: LanguageSchema,
  /** What the wish follows; a pattern around the wish captures it in a group. */
  patterns: Type.Array(pattern(1000), { minItems: 1, maxItems: 32 }),
  /** What ends a wish that follows a pattern. */
  ends: pattern(200),
  /** First words of what nobody asks a service to do, such as states of mind. */
  states: Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: "^[\\p{L}\\p{M}' ]+$" }), { maxItems: 200 }),
});
export type Negation = ReadonlyStatic<typeof NegationSchema>;

/** Where a clause may begin. */
const begin = String.raw`(?:^|[.,;:!?]\s*|\b(?:and|but|please|pls|so|no|wait|actually|mind|sorry|hey|hi|hello|again|then|anymore|now|thanks|ok|okay|well|do,)\s*,?\s+)`;
const dont = String.raw`(?:don't|dont|do n't|do not)`;
const we = String.raw`(?:i|we)`;
const weAre = String.raw`(?:i'm|im|i am|we're|we are|i was|we were)`;
const asked = String.raw`(?:ask|asked|want|wanted|request|requested|mean|meant|intend|intended|tell|told|say|said)`;
const someone = String.raw`(?: (?:you|anyone|anybody|for you|her|him|them))?`;

export const englishNegation: Negation = {
  language: "en",
  patterns: [
    String.raw`${begin}(?:please |pls |just |kindly )?(?:${dont}(?: ever| you dare| bother(?: with| to)?| go ahead (?:and|with)| proceed with)?|never|let's not|lets not|let us not|hold off(?: on)?|forget about|never ?mind(?: about)?)\s+(?:please |just |you )?`,
    String.raw`\b(?:there's|there is) no (?:need|reason)(?: for you)? to\s+|\bno need (?:to|for)\s+|\byou can skip\s+`,
    String.raw`\b${we} (?:did not|didn't|never|have not|haven't|had not) ${asked}${someone} to\s+`,
    String.raw`\b${we} (?:do not|don't|dont|no longer|never|did not|didn't) (?:want|need|wish|like|plan|intend|have|wanna)${someone} to\s+`,
    String.raw`\b${we} (?:would not|wouldn't) (?:like|want)(?: you)? to\s+`,
    String.raw`\b(?:${weAre} not|i wasn't|we weren't) (?:asking|trying|going|planning|looking|requesting|here|ready|prepared)${someone} (?:to|for)\s+`,
    String.raw`\byou (?:do not|don't|dont)(?: (?:have|need))? to\s+|\byou (?:should not|shouldn't|must not|mustn't|need not|needn't)\s+`,
    String.raw`\bnot asking (?:you )?(?:to|for)\s+|\bstop trying to\s+`,
    String.raw`\b${we}(?:'d| would) (?:rather|prefer|rather prefer)(?: that)? (?:you|not)(?: did not| didn't| do not| don't| not)?(?: to)?\s+`,
    String.raw`\b${we}(?:'ve| have)? decided (?:not to|against)\s+`,
    String.raw`\bit (?:is not|isn't) (?:necessary|needed|required)(?: for you)? to\s+`,
    String.raw`\bleave (.+?) (?:as (?:it|they) (?:is|are|was|were)|(?:the way|how) (?:it|they) (?:is|are)|alone|unchanged)\b`,
    String.raw`${begin}([a-z]+ing\b[^.;,!?]*?) is not what (?:i|we) (?:want|wanted|asked|meant|need)\b`,
    String.raw`${begin}no ([a-z][a-z ]*?),? (?:please|thanks|thank you)(?:$|[.,;!])`,
    String.raw`${begin}not (?:a|an|the)\s+`,
  ],
  ends: String.raw`[.,;!?]|\b(?:but|yet|because|anymore|any more|any longer)\b`,
  states: [
    "actually",
    "appear",
    "arrive",
    "arrived",
    "authorised",
    "authorized",
    "be",
    "been",
    "believe",
    "came",
    "care",
    "come",
    "did",
    "done",
    "end up",
    "even",
    "exist",
    "feel",
    "forget",
    "gave",
    "get charged",
    "get how",
    "get why",
    "go",
    "got",
    "had",
    "happened",
    "have",
    "heard",
    "hesitate",
    "just",
    "keep",
    "know",
    "let",
    "like",
    "lose",
    "made",
    "make me",
    "match",
    "mind",
    "miss",
    "need",
    "only",
    "ordered",
    "pay",
    "really",
    "recall",
    "received",
    "recieved",
    "recognise",
    "recognize",
    "remember",
    "see",
    "seem",
    "seen",
    "show",
    "showed",
    "shows",
    "signed",
    "speak",
    "talk",
    "think",
    "understand",
    "used",
    "wait",
    "want",
    "went",
    "work",
    "working",
    "works",
    "worry",
  ],
};
