/** Whether a text is a JSON object, and what Go says when it is not. */
import { parseJson } from "@coxswain/machinery";

export function jsonObjectProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const kind = goKind(value);
  return kind === undefined ? undefined : `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

/** `null` and objects are fine. */
function goKind(value: unknown): string | undefined {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "number";
    default:
      return undefined;
  }
}
