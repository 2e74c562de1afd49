import { field } from "@coxswain/machinery";
import type { CustomResourceSubresources } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";

/** The paths of the scale subresource; the controllers that scale know no others. */
export function validateSubresources(out: Errors, path: string, { scale }: Readonly<CustomResourceSubresources> = {}): void {
  if (scale === undefined) return;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  validatePath(out, `${path}.scale.specReplicasPath`, specReplicasPath, underSpec);
  validatePath(out, `${path}.scale.statusReplicasPath`, statusReplicasPath, underStatus);
  if (!labelSelectorPath) return;
  validatePath(out, `${path}.scale.labelSelectorPath`, labelSelectorPath, underEither);
}

/** Where a path may lead, and what is said of one that leads elsewhere. */
interface Root {
  readonly starts: readonly string[];
  readonly why: string;
}

const anywhere: Root = { starts: ["."], why: "" };
const underSpec: Root = { starts: [".spec."], why: "should be a json path under .spec" };
const underStatus: Root = { starts: [".status."], why: "should be a json path under .status" };
const underEither: Root = { starts: [".spec.", ".status."], why: "should be a json path under either .spec or .status" };

/** A path of plain fields, `.spec.replicas`. */
export function validatePath(out: Errors, at: string, path: string | undefined, { starts, why }: Root = anywhere): void {
  if (!path) out.push(field.required(at));
  else if (!path.startsWith(".")) out.push(field.invalid(at, path, "must be a simple json path starting with ."));
  else if (!starts.some((start) => path.startsWith(start))) out.push(field.invalid(at, path, why));
}
