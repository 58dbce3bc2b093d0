import { Type } from "../base/typebox.js";
import { LanguageSchema, object, type ReadonlyStatic } from "./primitives.js";

/** What is read of a text and its two sides, in the order of the weights. Scores are those of the retriever. */
export const wishColumns = [
  "least_score",
  "greatest_score",
  "least_lead",
  "greatest_lead",
  "whole_top",
  "whole_lead",
  "whole_least",
  "both_lead_whole",
  "lead_times_score",
  "log_words_of_shorter",
  "log_words",
  "announced",
  "word",
  "sentence",
  "right_opens",
  "left_opens",
] as const;
export type WishColumn = (typeof wishColumns)[number];

const pattern = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const weights = Object.fromEntries(wishColumns.map((name) => [name, Type.Number()])) as Record<
  WishColumn,
  ReturnType<typeof Type.Number>
>;

/** How a text with two wishes is told from one with one. All patterns are RE2, and ignore case. */
export const SeveralWishesSchema = object({
  /** Language of the words. */
  language: LanguageSchema,
  /** What joins two clauses of one sentence, with the spaces and commas around it. */
  joiners: pattern(400),
  /** Those that announce something else. */
  announcing: pattern(200),
  /** How a wish begins. */
  openers: pattern(800),
  /** What a run puts between two of the project's requests, to find out how many such texts are recognised. */
  joins: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 20 }),
  /** Log odds of two wishes, where the sides lead to different workflows: intercept, and weight of each column. */
  intercept: Type.Number(),
  weights: object(weights),
});
export type SeveralWishes = ReadonlyStatic<typeof SeveralWishesSchema>;

/** Weights: `bench/fit-wish-weights.ts`, on joined requests of BANKING77, Bitext and the service desk. */
export const englishSeveralWishes: SeveralWishes = {
  language: "en",
  joiners: String.raw`\s*,?\s*\b(?:and also|and then|as well as|and after that|after that|in addition|and|also|then|plus)\b,?\s+|\s*[,;]\s+`,
  announcing: String.raw`\b(?:also|then|plus|as well as|in addition|after that)\b`,
  openers: String.raw`(?:please|pls|can|could|would|will|how|what|where|when|why|who|which|is|are|do|does|i want|i need|i would|i'd|i have to|i must|help|let|tell|show|give|cancel|change|update|reset|order|send|get|make|check|book|find|add|remove|delete|close|open|unlock|activate|pay|track|set|create|transfer|move)\b`,
  joins: [" and ", ", ", ". ", " and also ", ", then ", "; ", ". Also, ", " plus "],
  intercept: -6.578,
  weights: {
    least_score: 10.27,
    greatest_score: 6.822,
    least_lead: 1.062,
    greatest_lead: 1.87,
    whole_top: -15.21,
    whole_lead: 1.096,
    whole_least: -7.139,
    both_lead_whole: 0.3698,
    lead_times_score: 4.46,
    log_words_of_shorter: 0.2527,
    log_words: 1.624,
    announced: 0.7454,
    word: 0.8092,
    sentence: 0.4446,
    right_opens: 0.2414,
    left_opens: 0.1442,
  },
};
