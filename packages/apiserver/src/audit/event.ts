/**
 * Events of audit.k8s.io/v1 as JSON, with their fields in Kubernetes' order. What is the same at each stage of a request is written once.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
import type { AuditRecord, AuditStage } from "../contracts/audit.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import type { HttpRequest } from "../contracts/http.ts";
import { sourceIpsOf } from "./source-ips.ts";

/** What is known of a request when it comes. */
export interface AuditedRequest {
  readonly id: string;
  readonly request: Pick<HttpRequest, "path" | "query" | "headers" | "remoteAddress">;
  readonly attributes: AuthorizationAttributes;
  readonly user: UserInfo | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly receivedAt: number;
}

/** What was answered so far. */
export interface AuditedResponse {
  readonly status: object | undefined;
  /** JSON. */
  readonly object: string | undefined;
}

const maxUserAgentLength = 1024;
const htmlInJson = /[<>&\u2028\u2029]/g;

/** As Go writes JSON: what HTML knows is escaped. */
const escaped = (json: string): string => json.replace(htmlInJson, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const jsonOf = (value: unknown): string => escaped(JSON.stringify(value));

/** One line, with its end. @param at milliseconds since the epoch, with fractions */
export function auditEventJson(
  { id, request, attributes, user, receivedAt }: AuditedRequest,
  record: AuditRecord,
  { stage, at, response }: { readonly stage: AuditStage; readonly at: number; readonly response: AuditedResponse },
): string {
  const { path, query, headers } = request;
  const agent = headers["user-agent"];
  let json = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${record.level}","auditID":${jsonOf(id)},"stage":"${stage}"`;
  json += `,"requestURI":${jsonOf(query === "" ? path : `${path}?${query}`)},"verb":${jsonOf(attributes.verb)},"user":${userJson(user)}`;
  if (record.impersonated !== undefined) {
    json += `,"impersonatedUser":${userJson(record.impersonated.user)}`;
    const { constraint } = record.impersonated;
    if (constraint !== "") json += `,"authenticationMetadata":{"impersonationConstraint":${jsonOf(constraint)}}`;
  }
  const ips = sourceIpsOf(request);
  if (ips.length > 0) json += `,"sourceIPs":${JSON.stringify(ips)}`;
  if (typeof agent === "string" && agent !== "") json += `,"userAgent":${jsonOf(boundedAgent(agent))}`;
  if (attributes.kind === "resource") json += `,"objectRef":${objectRefJson(attributes, record)}`;
  if (response.status !== undefined) json += `,"responseStatus":${jsonOf(response.status)}`;
  if (record.requestObject !== undefined) json += `,"requestObject":${escaped(record.requestObject)}`;
  if (response.object !== undefined) json += `,"responseObject":${escaped(response.object)}`;
  json += `,"requestReceivedTimestamp":"${microTime(receivedAt)}","stageTimestamp":"${microTime(at)}"`;
  if (record.annotations.size > 0) json += `,"annotations":${annotationsJson(record.annotations)}`;
  return `${json}}\n`;
}

const boundedAgent = (agent: string): string =>
  agent.length > maxUserAgentLength ? `${agent.slice(0, maxUserAgentLength)}...TRUNCATED` : agent;

/** What is empty is left out. */
function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return "{}";
  const { name, uid, groups, extra } = user;
  const names = Object.keys(extra);
  return jsonOf({
    username: name === "" ? undefined : name,
    uid: uid === "" ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: names.length === 0 ? undefined : Object.fromEntries(names.sort().map((key) => [key, extra[key]])),
  });
}

type OfResource = Extract<AuthorizationAttributes, { kind: "resource" }>;

function objectRefJson(attributes: OfResource, { object = {} }: AuditRecord): string {
  const { resource, group, version, subresource } = attributes;
  const fields = {
    resource,
    namespace: attributes.namespace || object.namespace,
    name: attributes.name || object.name,
    uid: object.uid,
    apiGroup: group,
    apiVersion: version,
    resourceVersion: object.resourceVersion,
    subresource,
  };
  let json = "";
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") json += `${json === "" ? "{" : ","}"${key}":${jsonOf(value)}`;
  }
  return `${json}}`;
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  const keys = [...annotations.keys()].sort();
  return jsonOf(Object.fromEntries(keys.map((key) => [key, annotations.get(key)])));
}

/** As Kubernetes' MicroTime. */
export function microTime(ms: number): string {
  const micros = Math.floor(ms * 1000);
  const iso = new Date(Math.floor(micros / 1000)).toISOString();
  return `${iso.slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`;
}
