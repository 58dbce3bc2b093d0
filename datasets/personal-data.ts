/** A kind of personal data that a text may contain. */
export type PersonalDataKind = "email" | "phone" | "iban" | "card";

const emailPattern = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
/** Digits with single separators; the length decides: international numbers have 8 to 15 digits. */
const digitRunPattern = /\+?\(?\d(?:[ ()./-]{0,2}\d){6,22}/gu;
const ibanPattern = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/giu;

/**
 * Kinds of personal data that a text seems to contain. Patterns are not proof: order numbers can look like phone
 * numbers.
 */
export function personalDataIn(text: string): ReadonlySet<PersonalDataKind> {
  const kinds = new Set<PersonalDataKind>();
  if (emailPattern.test(text)) kinds.add("email");
  const ibans = [...text.matchAll(ibanPattern)].map(([match]) => match).filter(isIban);
  if (ibans.length > 0) kinds.add("iban");
  const rest = ibans.reduce((remaining, iban) => remaining.replace(iban, " "), text);
  for (const [run] of rest.matchAll(digitRunPattern)) {
    const digits = run.replace(/\D/g, "");
    if (isCardNumber(digits)) kinds.add("card");
    else if (isPhone(run, digits)) kinds.add("phone");
  }
  return kinds;
}

/** 13 to 19 digits with a valid Luhn check digit. */
function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^0+$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, character, index) => {
    const doubled = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** 8 to 15 digits that start with a plus or a zero, or are written in groups; dates and amounts are shorter. */
function isPhone(run: string, digits: string): boolean {
  if (digits.length < 8 || digits.length > 15) return false;
  if (/^\(?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(run)) return false;
  return run.startsWith("+") || digits.startsWith("0") || /\d[ ()./-]+\d/.test(run);
}

/** ISO 13616: the first four characters moved to the end, letters as 10 to 35, modulo 97 is 1. */
function isIban(match: string): boolean {
  const compact = match.replace(/ /g, "").toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  const numeric = [...moved].map((c) => Number.parseInt(c, 36).toString()).join("");
  return [...numeric].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0) === 1;
}
