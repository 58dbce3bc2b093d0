/** One line of help per noun with verbs. */
export const nounDescriptions: Readonly<Record<string, string>> = {
  catalog: "check, show, lint, compare and export catalogs of workflows",
  dataset: "import, split and audit labelled requests",
  model: "describe model folders, and fit models",
  eval: "score datasets, and examine the results",
  calibrate: "plan, fit and certify thresholds",
  report: "render stored records as HTML, Markdown or JSON",
  key: "create signing keys, and show their ids",
  trust: "define who may sign what, and change it with enough signatures",
  manifest: "create and sign the manifest of a bundle as its producer",
  bundle: "export, import and verify bundles",
  history: "list, verify and back up the append-only history of a workspace",
};
