/**
 * Comma-separated values by the rules of Go's encoding/csv, which decides what a token file may look like: quotes only
 * around whole fields, `""` for a quote inside them, line breaks allowed inside them, blank lines ignored.
 */

/** @throws Error with the line and the column of what cannot be read. */
export function parseCsv(text: string): string[][] {
  const source = text.replaceAll("\r\n", "\n").replace(/\r$/, "");
  const records: string[][] = [];
  for (let at = 0; at < source.length; ) {
    if (source[at] === "\n") {
      at++;
      continue;
    }
    const record: string[] = [];
    at = readRecord(source, at, record);
    records.push(record);
  }
  return records;
}

/** Returns where the next record starts. */
function readRecord(source: string, start: number, record: string[]): number {
  let at = start;
  for (;;) {
    at = source[at] === '"' ? readQuoted(source, at, start, record) : readPlain(source, at, record);
    if (source[at] !== ",") return at + 1;
    at++;
  }
}

function readPlain(source: string, start: number, record: string[]): number {
  let end = start;
  while (end < source.length && source[end] !== "," && source[end] !== "\n") {
    if (source[end] === '"') throw problem(source, start, end, 'bare " in non-quoted-field');
    end++;
  }
  record.push(source.slice(start, end));
  return end;
}

function readQuoted(source: string, start: number, recordStart: number, record: string[]): number {
  let value = "";
  let at = start + 1;
  for (;;) {
    const quote = source.indexOf('"', at);
    if (quote < 0) throw problem(source, recordStart, source.length, 'extraneous or missing " in quoted-field');
    value += source.slice(at, quote);
    const next = source[quote + 1];
    if (next === '"') {
      value += '"';
      at = quote + 2;
      continue;
    }
    if (next !== undefined && next !== "," && next !== "\n") {
      throw problem(source, recordStart, quote, 'extraneous or missing " in quoted-field');
    }
    record.push(value);
    return quote + 1;
  }
}

/** Lines and columns count from 1, columns in bytes. A text that ends too early is wrong at the end of its last line. */
function problem(source: string, recordStart: number, at: number, what: string): Error {
  const lineStart = source.lastIndexOf("\n", Math.min(at, source.length - 1) - 1) + 1;
  const lineOf = (index: number): number => source.slice(0, index).split("\n").length;
  const column = Buffer.byteLength(source.slice(lineStart, at)) + 1;
  const place = `parse error on line ${lineOf(lineStart)}, column ${column}: ${what}`;
  return new Error(lineOf(recordStart) === lineOf(lineStart) ? place : `record on line ${lineOf(recordStart)}; ${place}`);
}
