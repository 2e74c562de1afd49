/** Who wrote each field of an object last. */
import { type FieldChange, type FieldPath, formatPath } from "@coxswain/apply";
import type { KubeObject } from "@coxswain/machinery";

/** What one version did to the fields of an object. */
export interface FieldWrites<Made> {
  readonly made: Made;
  readonly changes: readonly FieldChange[];
}

/** A field with what wrote it last. */
export interface BlamedField<Made> {
  readonly field: string;
  readonly path: FieldPath;
  readonly made: Made;
}

/**
 * Of the fields that an object has now, from all writes since it came to be, oldest first: a field was written by whatever last changed it, or
 * brought the list item that it is in.
 */
export function blame<Made>(fields: readonly FieldPath[], writes: readonly FieldWrites<Made>[]): readonly BlamedField<Made>[] {
  const last = new Map<string, number>();
  for (const [i, { changes }] of writes.entries()) for (const { kind, path } of changes) if (kind !== "removed") last.set(textOf(path), i);
  const blamed = fields.flatMap((path) => {
    const newest = Math.max(...path.map((_, i) => last.get(textOf(path.slice(0, i + 1))) ?? -1));
    const write = writes[newest];
    return write === undefined ? [] : [{ field: formatPath(path), path, made: write.made }];
  });
  return blamed.sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** Paths are equal exactly when these are. */
const textOf = (path: FieldPath): string => path.map(({ text }) => text).join("\0");

/** An object before it came to be. */
export const nothingOf = ({ apiVersion, kind }: Readonly<KubeObject>): KubeObject => ({ apiVersion, kind }) as KubeObject;
