/** What kind of patch a request brings. */
import { failure, unsupportedMediaType } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";

export type PatchKind = "json" | "merge" | "strategic" | "apply";

export const applyMediaType = "application/apply-patch+yaml";

const kinds: ReadonlyMap<string, PatchKind> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  [applyMediaType, "apply"],
]);

const all = [...kinds.keys()];
/** A strategic merge patch needs what only built-in types have. */
const custom = all.filter((type) => kinds.get(type) !== "strategic");

/** Types are compared as they are written. @throws 415, in the words of the router where no part of the header is a patch */
export function patchKindOf({ request, resource }: RequestContext): PatchKind {
  const header = request.headers["content-type"];
  const text = (typeof header === "string" ? header : header?.[0]) ?? "";
  const accepted = resource.definition.custom === undefined ? all : custom;
  const semicolon = text.indexOf(";");
  const type = semicolon > 0 ? text.slice(0, semicolon) : text;
  const kind = accepted.includes(type) ? kinds.get(type) : undefined;
  if (kind !== undefined) return kind;
  // Custom resources have no router in front of them.
  if (resource.definition.custom === undefined && !text.split(",").some(isRouted))
    throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  throw unsupportedMediaType(accepted);
}

const isRouted = (part: string): boolean => kinds.has((part.split(";", 1)[0] ?? "").trim());
