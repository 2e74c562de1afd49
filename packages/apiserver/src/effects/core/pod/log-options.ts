/** What may be asked of a log: `/pods/NAME/log?tailLines=10`. */
import { type FieldError, field, invalid } from "@coxswain/machinery";
import { parseInteger } from "../../../request/options.ts";

/** @throws invalid() on PodLogOptions, for options that contradict or make no sense. */
export function checkLogOptions(pod: string, query: URLSearchParams): void {
  const errors: FieldError[] = [...atLeast(query, "tailLines", 0), ...atLeast(query, "limitBytes", 1)];
  if ((query.get("sinceTime") ?? "") !== "" && (query.get("sinceSeconds") ?? "") !== "") {
    errors.push(field.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else {
    errors.push(...atLeast(query, "sinceSeconds", 1));
  }
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
}

function atLeast(query: URLSearchParams, name: string, least: 0 | 1): FieldError[] {
  const value = parseInteger(query.get(name));
  if (value === undefined || value >= least) return [];
  return [field.invalid(name, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0")];
}
