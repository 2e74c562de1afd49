/** One recording of two: only that on which both agree is a rule, the rest is chance. */
import { compareAnswers } from "./difference.ts";
import { isArray, isObject, type Json } from "./json.ts";
import type { Answer, Recording } from "./scenario.ts";

/** The first recording, in which the fields that the second does not have equal are named as unstable. */
export function agree(first: Recording, second: Recording): Recording {
  return { name: first.name, answers: first.answers.map((answer, i) => agreedAnswer(answer, second.answers[i])) };
}

function agreedAnswer(first: Answer, second: Answer | undefined): Answer {
  const fields = compareAnswers(first, second).map(({ field }) => listOf(field, first, second));
  if (fields.length === 0) return first;
  // Where not even the status is the same, nothing is.
  const unstable = fields.includes("/status") ? ["/status", "/type", "/warnings", "/body"] : [...new Set(fields)].sort();
  const kept = unstable.reduce<Json>((answer, field) => leaveOut(answer, keysOf(field)), first as unknown as Json);
  return { ...(kept as unknown as Answer), unstable };
}

/** Of lists of different lengths no item can be matched with another: the list as a whole is unstable. */
function listOf(field: string, first: Answer, second: Answer | undefined): string {
  const keys = keysOf(field);
  let [one, other]: (Json | undefined)[] = [first as unknown as Json, second as unknown as Json];
  for (const [i, key] of keys.entries()) {
    if (isArray(one) && isArray(other) && one.length !== other.length)
      return `/${field
        .split("/")
        .slice(1, i + 1)
        .join("/")}`;
    one = memberOf(one, key);
    other = memberOf(other, key);
  }
  return field;
}

/** Without the member; an item of a list becomes null, so that the others keep their places. */
function leaveOut(value: Json, [key, ...rest]: readonly string[]): Json {
  if (key === undefined) return null;
  if (isArray(value)) return value.map((item, i) => (String(i) === key ? leaveOut(item, rest) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== key || rest.length > 0);
  return Object.fromEntries(entries.map(([name, member]) => [name, name === key ? leaveOut(member, rest) : member]));
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (isArray(value)) return value[Number(key)];
  return isObject(value) ? value[key] : undefined;
}

const keysOf = (field: string): string[] =>
  field
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
