/** The answer to an apply that would change what others manage. */
import { compareBytes, failure, goQuote, type StatusError } from "@coxswain/machinery";
import { type FieldPath, type FieldSet, hasPath, pathsOf } from "../field-path/field-set.ts";
import { formatPath } from "../field-path/format-path.ts";
import { type FieldManager, managerId } from "../managed-fields/managed-fields.ts";

export interface ApplyConflict {
  readonly manager: FieldManager;
  readonly path: FieldPath;
}

/** Each path of each manager, the managers in the order of the message. */
export function listConflicts(
  conflicts: readonly { readonly manager: FieldManager; readonly fields: FieldSet }[],
): readonly ApplyConflict[] {
  return conflicts
    .toSorted((a, b) => compareBytes(managerId(a.manager), managerId(b.manager)))
    .flatMap(({ manager, fields }) => [...pathsOf(fields)].map((path) => ({ manager, path })));
}

export const conflictsOutside = (conflicts: readonly ApplyConflict[], allowed: FieldSet): readonly ApplyConflict[] =>
  conflicts.filter(({ path }) => !hasPath(allowed, path));

/** 409, with a cause for each path. */
export function applyConflict(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describe(manager)}`,
    field: formatPath(path),
  }));
  return failure(409, "Conflict", messageOf(conflicts), { causes });
}

function messageOf(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined)
    return `Apply failed with 1 conflict: conflict with ${describe(first.manager)}: ${formatPath(first.path)}`;
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager].flatMap(([manager, own]) => [
    `conflicts with ${describe(manager)}:`,
    ...own.map(({ path }) => `- ${formatPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describe({ manager, operation, apiVersion, subresource }: FieldManager): string {
  const name = subresource === "" ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
