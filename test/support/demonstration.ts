/** What the demonstration fixes in advance, for benches, which may not import the command line. */
export { quickstartSettings as demonstrationSettings } from "../../cli/quickstart/settings.js";
