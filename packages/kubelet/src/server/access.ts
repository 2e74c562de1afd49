/** Who may ask a kubelet what. @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/ */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { ServerError } from "./answer.ts";

/** Who calls the kubelet's server, as a client certificate or a token says. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** On `nodes/<subresource>` of the node. */
export interface AccessRequest {
  readonly node: string;
  readonly verb: string;
  /** One that is allowed is enough: the first is the narrowest. */
  readonly subresources: readonly string[];
}

/** Says whether a caller of the kubelet's server may do what it asks for. */
export interface Access {
  /** Who has a bearer token; undefined when it is unknown. Without it only certificates count. */
  authenticate?(token: string): Promise<Caller | undefined>;
  allows(caller: Caller, request: AccessRequest): boolean | Promise<boolean>;
}

const administrators = "system:masters";

export const isAdministrator = ({ groups }: Caller): boolean => groups.includes(administrators);

/** The API server's certificate for kubelets is one of these. */
export const administratorsOnly: Access = { allows: isAdministrator };

/** @param node which the request is for. @param now milliseconds since the epoch. @throws ServerError 401 and 403 */
export async function checkAccess(request: IncomingMessage, access: Access, node: string, now: number): Promise<void> {
  const caller = certifiedCaller(request, now) ?? (await tokenCaller(request, access));
  if (caller === undefined) throw new ServerError(401, "Unauthorized");
  const { method = "GET", url = "/" } = request;
  const verb = verbs[method] ?? "";
  const subresources = subresourcesOf(url.split("?", 1)[0] ?? "/");
  if (await access.allows(caller, { node, verb, subresources })) return;
  throw new ServerError(403, `Forbidden (user=${caller.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}])`);
}

const verbs: Readonly<Record<string, string>> = {
  __proto__: null as never,
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

function subresourcesOf(path: string): readonly string[] {
  const [, first = ""] = path.split("/");
  return narrower[first] ?? ["proxy"];
}

const narrower: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  pods: ["pods", "proxy"],
  runningpods: ["pods", "proxy"],
  healthz: ["healthz", "proxy"],
  configz: ["configz", "proxy"],
  stats: ["stats"],
  metrics: ["metrics"],
};

/** The subject of a certificate that counts: its common name, and its organisations. A connection may outlast its certificate. */
function certifiedCaller({ socket }: IncomingMessage, now: number): Caller | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject, valid_to: end } = socket.getPeerCertificate();
  if (!(now <= Date.parse(end))) return undefined;
  const { CN, O } = subject ?? {};
  const name = Array.isArray(CN) ? CN[0] : CN;
  return typeof name === "string" && name !== "" ? { name, groups: O === undefined ? [] : [O].flat() } : undefined;
}

async function tokenCaller({ headers }: IncomingMessage, access: Access): Promise<Caller | undefined> {
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return token === undefined ? undefined : await access.authenticate?.(token);
}
