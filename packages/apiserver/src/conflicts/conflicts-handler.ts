/** `GET /coxswain/v1/conflicts`: the last conflicts, newest first, on objects that who asks may read. */
import { badRequest, type ConflictList } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { RecentConflicts } from "./recent-conflicts.ts";

export const conflictsPath = "/coxswain/v1/conflicts";

/** @throws badRequest() for a limit that is no number */
export async function listConflicts(
  recent: RecentConflicts,
  query: URLSearchParams,
  { authorize, user }: { readonly authorize: Authorizer; readonly user: UserInfo },
): Promise<ConflictList> {
  const given = query.get("limit") ?? "";
  if (given !== "" && !/^\d{1,9}$/.test(given)) throw badRequest("limit must be a number of conflicts");
  const asked = (name: string): string | undefined => query.get(name) || undefined;
  const items = await recent.list({
    namespace: asked("namespace"),
    resource: asked("resource"),
    name: asked("name"),
    limit: given === "" || Number(given) === 0 ? undefined : Number(given),
    mayRead: async (info) => (await authorize({ ...info, user, verb: "get", subresource: "" })).kind === "allow",
  });
  return { kind: "ConflictList", apiVersion: "coxswain/v1", items };
}
