import { isArray, parseJson, valueAt } from "./json.ts";
import type { Server } from "./server.ts";

/** @throws Error unless the user is in `system:masters`: with fewer rights, answers are about rights instead of rules */
export async function requireAdministrator(server: Server): Promise<void> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status, text } = await server.send({ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body });
  if (status !== 201)
    throw new Error(`the user has to be in the group system:masters; the user is unknown: ${status} ${text.slice(0, 300)}`);
  const user = valueAt(parseJson(text), "status.userInfo");
  const groups = valueAt(user, "groups");
  if (isArray(groups) && groups.includes("system:masters")) return;
  throw new Error(`the user has to be in the group system:masters; ${valueAt(user, "username")} is in ${JSON.stringify(groups ?? [])}`);
}
