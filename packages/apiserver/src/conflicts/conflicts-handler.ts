/** `GET /coxswain/v1/conflicts`: the last conflicts, newest first. */
import { badRequest, type ConflictList } from "@coxswain/machinery";
import type { RecentConflicts } from "./recent-conflicts.ts";

export const conflictsPath = "/coxswain/v1/conflicts";

/** @throws badRequest() for a limit that is no number */
export function listConflicts(recent: RecentConflicts, query: URLSearchParams): ConflictList {
  const given = query.get("limit") ?? "";
  if (given !== "" && !/^\d{1,9}$/.test(given)) throw badRequest("limit must be a number of conflicts");
  const asked = (name: string): string | undefined => query.get(name) || undefined;
  const items = recent.list({
    namespace: asked("namespace"),
    resource: asked("resource"),
    name: asked("name"),
    limit: given === "" || Number(given) === 0 ? undefined : Number(given),
  });
  return { kind: "ConflictList", apiVersion: "coxswain/v1", items };
}
