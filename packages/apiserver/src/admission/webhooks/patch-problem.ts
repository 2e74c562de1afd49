/** Why a JSON patch does not apply, in the words of the library that Kubernetes applies it with. */
import { applyJsonPatch, isObject, type JsonPatchOperation, StatusError } from "@coxswain/machinery";

/** Of a patch that does not apply. */
export function patchProblem(doc: unknown, patch: readonly unknown[]): string {
  // As soon as one operation fails, every longer beginning fails too.
  let [applies, fails] = [0, patch.length];
  while (fails - applies > 1) {
    const middle = (applies + fails) >> 1;
    if (appliesTo(doc, patch.slice(0, middle))) applies = middle;
    else fails = middle;
  }
  const before = applyJsonPatch(doc, patch.slice(0, applies));
  return problemOf(before, (patch[applies] ?? {}) as JsonPatchOperation);
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
      return `testing value ${path} failed: test failed`;
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
