/** A format that is not read, and what to do instead. */
export interface UnreadFormat {
  readonly found: string;
  readonly hint: string;
}

const asTable = "Save it as .xlsx or CSV, and use that file.";
const exported = "Export the table of requests as CSV, and use that file.";

/** Formats by the beginning of their bytes, as Latin-1 text. */
const byBytes: readonly (readonly [begin: string, found: string, hint: string])[] = [
  ["\u00d0\u00cf\u0011\u00e0", "an Excel 97-2003 workbook (.xls) or another old Office file", asTable],
  [
    "SQLite format 3",
    "an SQLite database",
    'Export the table: sqlite3 -header -csv FILE "select * from TABLE" > requests.csv',
  ],
  ["ARROW1", "an Arrow file", "Write it as Parquet or CSV, in Python: dataset.to_parquet(NAME) or to_csv(NAME)"],
  [
    "\u00ff\u00ff\u00ff\u00ff",
    "an Arrow stream",
    "Write it as Parquet or CSV, in Python: dataset.to_parquet(NAME) or to_csv(NAME)",
  ],
  ["ORC", "an ORC file", "Write it as Parquet or CSV, and use that file."],
  ["Obj\u0001", "an Avro file", "Write it as Parquet or CSV, and use that file."],
  ["%PDF", "a PDF", exported],
  ["\u0080\u0002", "a Python pickle", "Write it as Parquet or CSV, and use that file."],
  ["\u0080\u0003", "a Python pickle", "Write it as Parquet or CSV, and use that file."],
  ["\u0080\u0004", "a Python pickle", "Write it as Parquet or CSV, and use that file."],
  ["\u0080\u0005", "a Python pickle", "Write it as Parquet or CSV, and use that file."],
  ["7z\u00bc\u00af", "a 7-Zip archive", "Unpack it, and use the file or folder inside."],
  ["Rar!", "a RAR archive", "Unpack it, and use the file or folder inside."],
  ["BZh", "a bzip2 file", "Unpack it: bunzip2 FILE"],
  ["\u00fd7zXZ", "an xz file", "Unpack it: unxz FILE"],
  ["(\u00b5/\u00fd", "a Zstandard file", "Unpack it: unzstd FILE"],
  ["\u0089HDF", "an HDF5 file", "Write it as Parquet or CSV, and use that file."],
  ["\u0089PNG", "a picture", exported],
  ["\u00ff\u00d8\u00ff", "a picture", exported],
];

/** Formats by a pattern at the beginning of their text. */
const byText: readonly (readonly [pattern: RegExp, found: string, hint: string])[] = [
  [
    /^(?:<!--.{0,200}-->\s*)?(?:<!doctype html|<html|<head|<body|<table|<div|<meta)\b/i,
    "HTML",
    "Open it in a spreadsheet program, and save it as .xlsx or CSV.",
  ],
  [/^<\?xml\b.{0,500}urn:schemas-microsoft-com:office:spreadsheet/is, "an Excel 2003 XML workbook", asTable],
  [/^<(?:\?xml|[a-z][\w:.-]{0,60}(?:\s[^<>]{0,500})?>)/i, "XML", exported],
  [
    /^(?:\s*(?:--|\/\*|#)[^\n]{0,300}\n)*\s*(?:insert\s+(?:ignore\s+)?into|create\s+(?:table|database|schema)|drop\s+table|set\s+\w+\s*=|begin\s+transaction|use\s+\w+;|copy\s+\S+\s*\()/i,
    "SQL",
    exported,
  ],
  [/^\{\\rtf/, "an RTF document", exported],
  [
    /^(?:\s*(?:\/\/|#|\/?\*)[^\n]{0,300}\n)*\s*(?:import\s[^\n]{0,200}\sfrom\s+["']|from\s+[\w.]+\s+import\s|export\s+(?:const|default|function|class)\s|(?:const|let|var)\s[^\n]{0,100}=|["']use strict["'])/,
    "program code",
    "Write what the program defines as JSON, such as a list of its tools, and use that file.",
  ],
  [
    /^\s*[[{]\s*'[^'\n]{1,60}'\s*:/,
    "Python literals with single quotes, which are not JSON",
    "Write JSON: json.dumps(row) in Python writes one line.",
  ],
  [/^(?:From \S+ .*\n|(?:Return-Path|Received|Delivered-To|MIME-Version): )/, "an email or a mailbox", exported],
];

const examined = 2000;

/** What a file is, judged by its beginning; null if it may be a table or a document. */
export function unreadBytes(bytes: Uint8Array): UnreadFormat | null {
  const begin = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const [, found, hint] = byBytes.find(([mark]) => begin.startsWith(mark)) ?? [];
  return found === undefined || hint === undefined ? null : { found, hint };
}

/** The same for decoded text. */
export function unreadText(text: string): UnreadFormat | null {
  const begin = text.slice(0, examined).trimStart();
  const [, found, hint] = byText.find(([pattern]) => pattern.test(begin)) ?? [];
  return found === undefined || hint === undefined ? null : { found, hint };
}

/** What an archive is by the names of its files; null for a folder of files. */
export function unreadArchive(names: ReadonlySet<string>): UnreadFormat | null {
  if (names.has("word/document.xml")) return { found: "a Word document", hint: exported };
  if (names.has("ppt/presentation.xml")) return { found: "a presentation", hint: exported };
  if (names.has("content.xml") && names.has("META-INF/manifest.xml")) {
    return { found: "an OpenDocument file", hint: asTable };
  }
  return names.has("Index/Document.iwa") ? { found: "an Apple iWork document", hint: asTable } : null;
}
