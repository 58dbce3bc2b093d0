/** What the demonstration fixes in advance, for benches, which may not import the command line. */
export { quickstartSettings as demonstrationSettings } from "../../stages/demonstration/settings.js";
