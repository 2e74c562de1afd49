/**
 * Field selectors of a custom resource.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields
 */
import type { KubeObject } from "@coxswain/machinery";
import { type JsonPath, JsonPathError, parseJsonPath, printJsonPathValue } from "@coxswain/schema/jsonpath";

/** The name of a selectable field: its path without the dot. */
export const selectableFieldName = (path: string): string => path.replace(/^\./, "");

/** The values of all selectable fields by name; "" for one that the object does not have. */
export function selectableFieldsOf(paths: readonly string[]): (obj: Readonly<KubeObject>) => Readonly<Record<string, string>> {
  const fields = paths.map((path) => ({ name: selectableFieldName(path), find: parse(path) }));
  return (obj) => Object.fromEntries(fields.map(({ name, find }) => [name, valueAt(find, obj)]));
}

/** Paths are checked when the definition is stored: one that cannot be parsed selects nothing. */
function parse(path: string): JsonPath {
  try {
    return parseJsonPath(`{${path}}`);
  } catch (error) {
    if (error instanceof JsonPathError) return () => [];
    throw error;
  }
}

function valueAt(find: JsonPath, obj: Readonly<KubeObject>): string {
  try {
    const value = find(obj)[0]?.[0];
    return value === undefined || value === null ? "" : printJsonPathValue(value);
  } catch (error) {
    if (error instanceof JsonPathError) return "";
    throw error;
  }
}
