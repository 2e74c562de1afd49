/** Paths inside a container or a volume. */
import { field } from "@coxswain/machinery";
import type { Errors } from "./checks.ts";

export function noBacksteps(out: Errors, path: string, target: string): void {
  if (target.split("/").includes("..")) out.push(field.invalid(path, target, "must not contain '..'"));
}

export function descendingPath(out: Errors, path: string, target: string): void {
  if (target.startsWith("/")) out.push(field.invalid(path, target, "must be a relative path"));
  noBacksteps(out, path, target);
}

/** Names that start with `..` are kept for the kubelet's own links. */
export function nonReservedPath(out: Errors, path: string, target: string): void {
  descendingPath(out, path, target);
  if (target.startsWith("..") && !target.startsWith("../") && target !== "..") {
    out.push(field.invalid(path, target, "must not start with '..'"));
  }
}

export function fileMode(out: Errors, path: string, mode: number | undefined): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    out.push(field.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
  }
}
