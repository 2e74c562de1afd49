/** Whether a text is a JSON object, and what Go says when it is not. */
import { goJsonTypeOf, messageOf, parseJson } from "@coxswain/machinery";

export function jsonObjectProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return messageOf(error);
  }
  // `null` and objects are fine.
  const kind = goJsonTypeOf(value);
  return kind === "null" || kind === "object" ? undefined : `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}
