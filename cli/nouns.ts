/** One line of help for each noun that has verbs. */
export const nounDescriptions: Readonly<Record<string, string>> = {
  catalog: "check, show, lint, compare and export catalogs of workflows",
  dataset: "import, split and audit labelled requests",
  model: "describe and check model directories, fit the default models",
  eval: "score a data set once, and look at the metrics",
  calibrate: "fit thresholds with a stated guarantee",
  report: "render stored records as HTML, Markdown or JSON",
  key: "create signing keys, and show their ids",
  trust: "write down who may sign what, and change it with enough signatures",
  manifest: "pin every identity of a bundle, and sign it as producer",
  bundle: "export, import and verify bundles",
  history: "read, verify, prove and back up the append-only history of a workspace",
};
