/** Texts of different lengths that every probe of a model reads; they mean nothing to a catalog. */
export const probeTexts: readonly string[] = [
  "where is my order",
  "I was charged twice for the same thing last week and would like the second payment back, please",
  "stop",
  "change the delivery address of everything that has not been sent yet",
  "könnten Sie mir bitte die Rechnung noch einmal schicken?",
  "42",
  "the new phone does not switch on any more, although it was fully charged over night",
  "cancel it",
];

/** Second texts of pairs. */
export const probeDocuments: readonly string[] = [
  "Track an order. Says where an order is now. Needs: order number.",
  "Refund a payment. Gives money back for a payment that was taken twice or in error. Does not: cancel an order.",
  "Cancel an order. Needs: order number.",
  "Change an address. Stores another address for orders that have not been sent. Needs: order number, new address.",
  "Send an invoice again.",
  "Close an account. Removes the account of a customer and everything that is kept with it. Does not: pause an account.",
  "Report a fault. Opens a case for a product that does not work. Needs: product, description of the fault.",
  "Reset a password.",
];

const fillers = "please tell me when the next delivery of my order will come to the house".split(" ");

/** A text of ordinary words; another `first` gives another text. */
export function textOfWords(words: number, first: number): string {
  return Array.from({ length: words }, (_, index) => fillers[(first + index) % fillers.length]).join(" ");
}
