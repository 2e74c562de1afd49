import { field } from "@coxswain/machinery";
import type { CustomResourceSubresources } from "../../../types/apiextensions-v1.ts";
import type { Errors } from "../../../validation/checks.ts";

/** The paths of the scale subresource; the controllers that scale know no others. */
export function validateSubresources(out: Errors, path: string, { scale }: Readonly<CustomResourceSubresources> = {}): void {
  if (scale === undefined) return;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  validatePath(out, `${path}.scale.specReplicasPath`, specReplicasPath, [".spec."], "should be a json path under .spec");
  validatePath(out, `${path}.scale.statusReplicasPath`, statusReplicasPath, [".status."], "should be a json path under .status");
  if (!labelSelectorPath) return;
  const why = "should be a json path under either .spec or .status";
  validatePath(out, `${path}.scale.labelSelectorPath`, labelSelectorPath, [".spec.", ".status."], why);
}

/** A path of plain fields, `.spec.replicas`, that begins with one of `starts`. */
export function validatePath(out: Errors, at: string, path: string | undefined, starts: readonly string[] = ["."], why = ""): void {
  if (!path) out.push(field.required(at));
  else if (!path.startsWith(".")) out.push(field.invalid(at, path, "must be a simple json path starting with ."));
  else if (!starts.some((start) => path.startsWith(start))) out.push(field.invalid(at, path, why));
}
