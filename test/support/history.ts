import { type History, openHistory } from "../../store/history/open.js";

/** Opens a history, uses it and closes it. */
export function reopened<T>(path: string, use: (history: History) => T, options = {}): T {
  const history = openHistory(path, options);
  try {
    return use(history);
  } finally {
    history.close();
  }
}
