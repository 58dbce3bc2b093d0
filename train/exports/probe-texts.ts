/** Texts of different lengths for every probe of a model; they are in no catalog. */
export const probeTexts: readonly string[] = [
  "where is my order",
  "I was charged twice for the same thing last week and would like the second payment back, please",
  "stop",
  "change the delivery address of everything that has not been sent yet",
  "könnten Sie mir bitte die Rechnung noch einmal schicken?",
  "42",
  "the new phone does not switch on any more, although it was fully charged over night",
  "cancel it",
  "is it possible to pause my account for two months and keep everything that I stored",
  "report a fault",
  "please send the invoice of May again, but to my new address this time and not to the old one",
  "where can I see what I paid",
  "refund",
  "I forgot my password and the link that you sent does not work any more",
  "do you deliver on public holidays, and what does it cost",
  "move my appointment to Friday at ten",
];

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
