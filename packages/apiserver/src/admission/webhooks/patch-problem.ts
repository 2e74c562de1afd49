/** Why a JSON patch does not apply, in the words of the library that Kubernetes applies it with. */
import { applyJsonPatch, isObject, type JsonPatchOperation, StatusError } from "@coxswain/machinery";

/** Of a patch that does not apply. */
export function patchProblem(doc: unknown, patch: readonly unknown[]): string {
  const applies = countApplied(doc, patch);
  return problemOf(applyJsonPatch(doc, patch.slice(0, applies)), operationAt(patch, applies));
}

/** Whether what fails of the patch is a test of a value, which is there and another, or is not there and should be. */
export function failsTest(doc: unknown, patch: readonly unknown[]): boolean {
  const applies = countApplied(doc, patch);
  const { op, path } = operationAt(patch, applies);
  return op === "test" && hasParent(applyJsonPatch(doc, patch.slice(0, applies)), path ?? "");
}

const operationAt = (patch: readonly unknown[], index: number): JsonPatchOperation => (patch[index] ?? {}) as JsonPatchOperation;

/** How many operations apply before the first that does not: as soon as one fails, every longer beginning fails too. */
function countApplied(doc: unknown, patch: readonly unknown[]): number {
  let [applies, fails] = [0, patch.length];
  while (fails - applies > 1) {
    const middle = (applies + fails) >> 1;
    if (appliesTo(doc, patch.slice(0, middle))) applies = middle;
    else fails = middle;
  }
  return applies;
}

function appliesTo(doc: unknown, patch: readonly unknown[]): boolean {
  try {
    applyJsonPatch(doc, patch);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

function problemOf(doc: unknown, { op, path, from }: JsonPatchOperation): string {
  const missing = `${op} operation does not apply: doc is missing`;
  switch (op) {
    case "add":
      return `${missing} path: "${path}": missing value`;
    case "replace":
      return `${missing} path: ${path}: missing value`;
    case "remove":
      return hasParent(doc, path ?? "")
        ? `error in remove for path: '${path}': Unable to remove nonexistent key: ${lastOf(path ?? "")}: missing value`
        : `${missing} path: "${path}": missing value`;
    case "test":
      return hasParent(doc, path ?? "")
        ? `testing value ${path} failed: test failed`
        : `test operation does not apply: is missing path: ${path}: missing value`;
    case "move":
    case "copy":
      return `${missing} from path: ${from}: missing value`;
    default:
      return `Unexpected kind: ${op ?? "unknown"}`;
  }
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function hasParent(doc: unknown, path: string): boolean {
  let value = doc;
  for (const part of path.split("/").slice(1, -1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) || Array.isArray(value);
}
