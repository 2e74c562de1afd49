/** Who wrote each field of an object last. */
import { type FieldPath, formatPath } from "@coxswain/apply";
import type { FieldEdit, KubeObject } from "@coxswain/machinery";

/** What one version did to the fields of an object. */
export interface FieldWrites<Made> {
  readonly made: Made;
  readonly changes: readonly { readonly kind: FieldEdit["kind"]; readonly path: FieldPath }[];
}

/** A field, or an item of a list as a whole, with what wrote it last. */
export interface BlamedField<Made> {
  readonly field: string;
  readonly path: FieldPath;
  readonly made: Made;
}

/**
 * From all writes since the object came to be, oldest first. What was added or removed as a whole takes the place of what was said of its
 * parts; a part that was changed later stands beside the whole that it is in.
 */
export function blame<Made>(writes: readonly FieldWrites<Made>[]): readonly BlamedField<Made>[] {
  const fields = new Map<string, BlamedField<Made>>();
  for (const { made, changes } of writes) {
    for (const { kind, path } of changes) {
      if (kind !== "changed") dropBelow(fields, path);
      if (kind !== "removed") fields.set(formatPath(path), { field: formatPath(path), path, made });
    }
  }
  return [...fields.values()].sort((a, b) => (a.field < b.field ? -1 : 1));
}

function dropBelow<Made>(fields: Map<string, BlamedField<Made>>, path: FieldPath): void {
  const whole = formatPath(path);
  for (const name of fields.keys()) if (name === whole || isBelow(name, whole)) fields.delete(name);
}

const isBelow = (name: string, whole: string): boolean =>
  name.startsWith(whole) && (name[whole.length] === "." || name[whole.length] === "[");

/** An object before it came to be. */
export const nothingOf = ({ apiVersion, kind }: Readonly<KubeObject>): KubeObject => ({ apiVersion, kind }) as KubeObject;
