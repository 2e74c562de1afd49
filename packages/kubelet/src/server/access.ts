/** Who may ask a kubelet: by default only who has a certificate of the cluster that lets it do everything. */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { ServerError } from "./answer.ts";

export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Whether somebody who has proved to be the caller may do what the path says. */
export type Access = (caller: Caller, request: { readonly method: string; readonly path: string }) => boolean | Promise<boolean>;

const administrators = "system:masters";

/** The API server's certificate for kubelets is one of these. */
export const administratorsOnly: Access = ({ groups }) => groups.includes(administrators);

/** @throws ServerError 401 and 403 */
export async function checkAccess(request: IncomingMessage, access: Access): Promise<void> {
  const caller = callerOf(request);
  if (caller === undefined) throw new ServerError(401, "Unauthorized");
  const { method = "GET", url = "/" } = request;
  const path = url.split("?", 1)[0] ?? "/";
  if (await access(caller, { method, path })) return;
  throw new ServerError(403, `Forbidden (user=${caller.name}, verb=${verbs[method] ?? method.toLowerCase()}, resource=nodes)`);
}

const verbs: Readonly<Record<string, string>> = { GET: "get", POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** The subject of a certificate that counts: its common name, and its organisations. */
function callerOf({ socket }: IncomingMessage): Caller | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { CN, O } = socket.getPeerCertificate().subject ?? {};
  const name = Array.isArray(CN) ? CN[0] : CN;
  return typeof name === "string" && name !== "" ? { name, groups: O === undefined ? [] : [O].flat() } : undefined;
}
