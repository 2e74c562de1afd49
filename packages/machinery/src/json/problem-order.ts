/** Strict decoding finds repeated keys when it reads a text and unknown ones afterwards; they are reported in the order of the text. */
import { type DecodeReport, duplicateField, unknownField } from "../types/decode-report.ts";
import type { Path } from "../types/path.ts";
import { readJson } from "./json-reader.ts";

/** The report's problems in the order of the JSON text that they were found in. */
export function inOrderOf(text: string, { problems }: DecodeReport): readonly string[] {
  if (problems.length < 2) return problems;
  const wanted = new Set(problems);
  const found = new Set<string>();
  const onMember = (path: Path | undefined, key: string, repeated: boolean): void => {
    for (const problem of [unknownField(path, key), ...(repeated ? [duplicateField(path, key)] : [])])
      if (wanted.has(problem)) found.add(problem);
  };
  // As literals: of a field that nobody knows, a number beyond a double is no error.
  readJson(text, { duplicates: "last", report: undefined, literals: true, onMember });
  return [...found, ...problems.filter((problem) => !found.has(problem))];
}
