/** What `coxswain history` and `coxswain blame` print. */
import type { FieldEdit, ObjectBlame, ObjectHistoryReport, VersionWriter } from "@coxswain/machinery";
import { age, tableOf } from "../instances/status-text.ts";
import { isSecretField } from "./secret-values.ts";

interface TextOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the values of fields are to be masked. */
  readonly isSecret: boolean;
}

/** More fields of one write are in the JSON alone. */
const maxShownChanges = 12;
/** Characters of a value. */
const maxShownValue = 60;

/** A line for each version, with what it changed below it. */
export function historyText({ items, metadata, oldest }: ObjectHistoryReport, options: TextOptions): string {
  const rows = items.map((version) => [
    version.resourceVersion,
    ageOf(version.time, options.now),
    version.verb ?? version.operation,
    version.user ?? "-",
    version.manager ?? "-",
    version.readResourceVersion ?? "-",
  ]);
  const [head = "", ...lines] = linesOf(tableOf([["RESOURCEVERSION", "AGE", "VERB", "USER", "MANAGER", "BASED ON"], ...rows]));
  const text = lines.flatMap((line, i) => [line, ...changeLines(items[i], options)]);
  return [head, ...text, ...endLines({ items, metadata, oldest }, options.now)].map((line) => `${line}\n`).join("");
}

function changeLines(version: ObjectHistoryReport["items"][number] | undefined, { isSecret }: TextOptions): readonly string[] {
  if (version === undefined) return [];
  if (version.operation === "create") return ["  created"];
  if (version.operation === "delete") return ["  deleted"];
  if (version.changes === undefined) return ["  what was before is not known"];
  const shown = version.changes.slice(0, maxShownChanges).map((edit) => `  ${editText(edit, isSecret)}`);
  const more = version.changes.length - shown.length;
  return more === 0 ? shown : [...shown, `  … and ${more} more fields, which -o json shows`];
}

function editText({ kind, field, from, to }: FieldEdit, isSecret: boolean): string {
  const hidden = isSecret && isSecretField(field);
  const [before, after] = [valueText(from, hidden), valueText(to, hidden)];
  switch (kind) {
    case "added":
      return `+ ${field}: ${after}`;
    case "removed":
      return `- ${field}: ${before}`;
    case "changed":
      return `~ ${field}: ${before} → ${after}`;
  }
}

function* endLines({ items, metadata, oldest }: Pick<ObjectHistoryReport, "items" | "metadata" | "oldest">, now: number): Iterable<string> {
  if (metadata.continue !== undefined) yield `Older versions: --at=${metadata.continue}`;
  else if (items.at(-1)?.operation !== "create")
    yield `History goes back to resourceVersion ${oldest.resourceVersion}${oldest.time === undefined ? "" : `, ${ageOf(oldest.time, now)} ago`}.`;
}

/** A line for each field, or for an item of a list that came as a whole. */
export const blameText = ({ fields }: ObjectBlame, { now, isSecret }: TextOptions): string =>
  tableOf([
    ["FIELD", "VALUE", "RESOURCEVERSION", "AGE", "VERB", "USER", "MANAGER", "REQUEST"],
    ...fields.map(({ field, value, orEarlier, ...by }) => [
      field,
      valueText(value, isSecret && isSecretField(field)),
      `${by.resourceVersion}${orEarlier === true ? " or earlier" : ""}`,
      ageOf(by.time, now),
      verbOf(by),
      by.user ?? "-",
      by.manager ?? "-",
      by.requestID ?? "-",
    ]),
  ]);

const verbOf = ({ verb, operation }: VersionWriter): string => verb ?? operation;

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

const ageOf = (time: string | undefined, now: number): string => (time === undefined ? "-" : age(now - Date.parse(time)));

/** `…` stands for what the server leaves out because it is long. */
function valueText(value: unknown, hidden: boolean): string {
  if (hidden) return "***";
  if (value === undefined) return "…";
  const text = JSON.stringify(value);
  return text.length > maxShownValue ? `${text.slice(0, maxShownValue - 1)}…` : text;
}
