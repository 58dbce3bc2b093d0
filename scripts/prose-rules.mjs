// Wordings that the prose check refuses, each with its replacement. A blank in a pattern matches any white space, so
// that phrases that span two lines are found.

const rule = (words, instead) => ({
  pattern: new RegExp(`(?<![\\p{L}\\d_-])(?:${words.replaceAll(" ", "\\s+")})`, "giu"),
  instead,
});

export const proseRules = [
  rule("data[ -]sets?\\b", "dataset"),
  rule("an? own\\b", 'a possessive: "its own key"'),
  rule("(?:the|with|by|no|any|each|every|some) own (?=[a-z])", 'a possessive: "their own key"'),
  rule("others than\\b", '"differ from" or "other than"'),
  rule("another (?:\\w+ )?than\\b", '"different from", "differs from" or "not"'),
  rule("(?:nothing|something|anything|somebody) else than\\b", '"other than"'),
  rule("anew\\b", "again"),
  rule("once more\\b", "again"),
  rule("beside\\b", '"next to", "with" or "compared with"'),
  rule("(?:is|are) told (?:in|on)\\b", '"See ..."'),
  rule("(?:when|if|where) absent\\b", '"By default ..."'),
  rule("of them not scored\\b", '"N requests, M failed"'),
  rule("(?:stop|stops|stopped) to be\\b", '"expires", "is no longer"'),
  rule("(?:is|are) not concerned\\b", '"unaffected"'),
  rule("from (?:now|then|there|here|\\w+ \\w+) on(?=[.,;:)])", '"since", "after" or "starting with"'),
  rule("(?:take|takes|took) the place of\\b", '"replaces"'),
  rule("(?:bring|brings|brought) along\\b", "a plain verb"),
  rule("also (?:when|if)\\b", '"even when" or "also applies when"'),
  rule("(?:not|nobody|nothing|no \\w+)(?: \\w+){0,4} any more\\b", '"no longer"'),
  rule("(?:allow|allows) to\\b", '"lets you" or "allows you to"'),
  rule("how (?:it|they|this|that|these) looks? like\\b", '"what it looks like"'),
  rule("independent from\\b", "independent of"),
  rule("(?:possibility|possibilities) to\\b", '"can" or "option to"'),
  rule("informations\\b", "information"),
  rule("an other\\b", "another"),
  rule("like the present ones\\b", '"like these"'),
  rule("tested as (?:they were|it was)\\b", '"the test still uses the originals"'),
  rule("(?:is|are) better on:", '"is better in", or the difference'),
  rule("whose texts? (?:has|have) (?:two|several) \\w+", '"have the same text but different labels"'),
  rule("no request is held out\\b", '"There is no separate held-out set."'),
  { pattern: /(?<![\p{L}\d_-])(?:Found|Ask|Missing|Shown): (?=[\w$])/gu, instead: "a sentence" },
  { pattern: /\d[ \u00a0]%(?!\w)/gu, instead: '"5%"' },
  rule(
    "requests to (?:(?:a|an|the|one|each|these|that|this|its|same|\\d+) )*workflows?\\b",
    '"requests for a workflow"',
  ),
  rule("asks? nobody\\b", '"does not authenticate", "does not ask"'),
  rule("(?:is|are) of no (?:kind|use)\\b", '"is not a" or "is useless"'),
  rule("by what (?:(?:a|an|the) )?\\w+ (?:is|are|was) judged\\b", '"inputs to"'),
  rule("(?:two|three|four|five|these|those|several) orders\\b(?! of magnitude)", '"commands"'),
  rule("[;,] may be (?:deleted|removed|omitted|left out)\\b", 'a whole sentence: "It is safe to delete."'),
  rule("(?:need|needs) not \\w+ (?:it|them) again\\b", '"does not ... it again"'),
  rule(
    "(?:buy|buys|bought) (?:meaning|comparability|certainty|trust|speed|safety)\\b",
    "what it does, without a metaphor",
  ),
  rule("(?:is|was) it true on\\b", '"Checking ... on"'),
  rule("(?:is|are|be|was|were|being) looked at\\b", '"examined" or "checked"'),
  rule("(?:go|goes|went) on (?:where|from|at|with)\\b", '"resume" or "continue"'),
  rule("of (?:them|these|which) not \\w+ \\d", '"N requests, M failed"'),
  rule("(?:some|part|none) of it (?:is|was|has|had)\\b", 'the noun: "some targets were"'),
  rule("(?:know|knows|knew) better\\b", "what improves"),
  rule("(?:is|are|be|was|were) (?:\\w+ and )?led\\b", '"controlled"'),
  rule(
    "(?:calibrator|threshold|server|router|model|network|bundle|manifest|policy|file|flag|command|page|report)s? (?:ask|know|tell|wish|want|believe|buy)(?:e?s)?\\b",
    "a verb for a thing: sets, contains, states, requires",
  ),
];

/** Replaces line breaks, comment markers and the seams of string concatenation with blanks; offsets do not change. */
export function unwrapped(text) {
  return text
    .replace(/(["'`])\s*\+\s*\n\s*["'`]/gu, (seam) => " ".repeat(seam.length))
    .replace(/\n[ \t]*(?:\*(?!\/)|\/\/+|>|#)?[ \t]*/gu, (seam) => " ".repeat(seam.length));
}

/** Violations of the rules, in the order of the text: line (from 1), what was found, what to write instead. */
export function proseFaults(text) {
  const plain = unwrapped(text);
  return proseRules
    .flatMap(({ pattern, instead }) =>
      [...plain.matchAll(pattern)].map((match) => ({
        line: text.slice(0, match.index).split("\n").length,
        found: match[0].replace(/\s+/gu, " "),
        instead,
      })),
    )
    .sort((a, b) => a.line - b.line);
}
