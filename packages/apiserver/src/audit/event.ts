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
const plainText = /^[A-Za-z0-9 :;,.?=%()_/@+*-]*$/;

/** As Go writes JSON: what HTML knows is escaped. */
export const escapedJson = (json: string): string =>
  json.replace(htmlInJson, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const jsonOf = (value: unknown): string => escapedJson(JSON.stringify(value));

/** Most texts have nothing to escape. */
const textJson = (text: string): string => (text.length < 256 && plainText.test(text) ? `"${text}"` : jsonOf(text));

/** What is the same in all events of a request. */
interface WrittenRequest {
  readonly uri: string;
  readonly client: string;
  readonly receivedAt: string;
  objectRef: string;
  /** Of which `objectRef` is. */
  object: AuditRecord["object"];
}

/** Agents are few; one that invents many does not fill the memory. */
const maxAgents = 256;
const maxKeptAgentLength = 256;

/** Writes events, and keeps what it has written of users, of their programs and of requests under way. */
export class AuditEventWriter {
  readonly #requests = new WeakMap<AuditedRequest, WrittenRequest>();
  readonly #users = new WeakMap<UserInfo, string>();
  readonly #agents = new Map<string, string>();
  #second = Number.NaN;
  #secondText = "";

  /** One line, with its end. @param at milliseconds since the epoch, with fractions */
  write(
    audited: AuditedRequest,
    record: AuditRecord,
    { stage, at, response }: { readonly stage: AuditStage; readonly at: number; readonly response: AuditedResponse },
  ): string {
    const written = this.#written(audited, record);
    const { impersonated, requestObject } = record;
    let json = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${record.level}","auditID":${textJson(audited.id)},"stage":"${stage}"`;
    json += written.uri;
    if (impersonated !== undefined) {
      json += `,"impersonatedUser":${this.#userOf(impersonated.user)}`;
      const { constraint } = impersonated;
      if (constraint !== "") json += `,"authenticationMetadata":{"impersonationConstraint":${jsonOf(constraint)}}`;
    }
    json += written.client + written.objectRef;
    if (response.status !== undefined) json += `,"responseStatus":${statusJson(response.status)}`;
    if (requestObject !== undefined) json += `,"requestObject":${escapedJson(requestObject)}`;
    if (response.object !== undefined) json += `,"responseObject":${escapedJson(response.object)}`;
    const stageTime = at === audited.receivedAt ? written.receivedAt : this.#time(at);
    json += `,"requestReceivedTimestamp":"${written.receivedAt}","stageTimestamp":"${stageTime}"`;
    if (record.annotations.size > 0) json += `,"annotations":${annotationsJson(record.annotations)}`;
    return `${json}}\n`;
  }

  #written(audited: AuditedRequest, record: AuditRecord): WrittenRequest {
    const known = this.#requests.get(audited);
    if (known !== undefined) {
      if (known.object !== record.object) {
        known.object = record.object;
        known.objectRef = objectRefJson(audited.attributes, record);
      }
      return known;
    }
    const { request, attributes, user, receivedAt } = audited;
    const { path, query } = request;
    const uri = textJson(query === "" ? path : `${path}?${query}`);
    const written: WrittenRequest = {
      uri: `,"requestURI":${uri},"verb":${textJson(attributes.verb)},"user":${this.#userOf(user)}`,
      client: this.#clientOf(request),
      receivedAt: this.#time(receivedAt),
      object: record.object,
      objectRef: objectRefJson(attributes, record),
    };
    this.#requests.set(audited, written);
    return written;
  }

  #userOf(user: UserInfo | undefined): string {
    if (user === undefined) return "{}";
    const known = this.#users.get(user);
    if (known !== undefined) return known;
    const json = userJson(user);
    this.#users.set(user, json);
    return json;
  }

  #clientOf(request: AuditedRequest["request"]): string {
    const ips = sourceIpsOf(request);
    const sources = ips.length > 0 ? `,"sourceIPs":${JSON.stringify(ips)}` : "";
    const agent = request.headers["user-agent"];
    return typeof agent === "string" && agent !== "" ? sources + this.#agentOf(agent) : sources;
  }

  #agentOf(agent: string): string {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const json = `,"userAgent":${jsonOf(boundedAgent(agent))}`;
    if (agent.length > maxKeptAgentLength) return json;
    if (this.#agents.size >= maxAgents) this.#agents.clear();
    this.#agents.set(agent, json);
    return json;
  }

  /** As Kubernetes' MicroTime; most times are of the second of the one before. */
  #time(ms: number): string {
    const micros = Math.floor(ms * 1000);
    const second = Math.floor(micros / 1_000_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = new Date(second * 1000).toISOString().slice(0, -4);
    }
    return `${this.#secondText}${String(micros - second * 1_000_000).padStart(6, "0")}Z`;
  }
}

const boundedAgent = (agent: string): string =>
  agent.length > maxUserAgentLength ? `${agent.slice(0, maxUserAgentLength)}...TRUNCATED` : agent;

/** What is empty is left out. */
function userJson(user: UserInfo): string {
  const { name, uid, groups, extra } = user;
  const names = Object.keys(extra);
  return jsonOf({
    username: name === "" ? undefined : name,
    uid: uid === "" ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: names.length === 0 ? undefined : Object.fromEntries(names.sort().map((key) => [key, extra[key]])),
  });
}

/** With the comma before it; empty for what is no resource. */
function objectRefJson(attributes: AuthorizationAttributes, { object = {} }: AuditRecord): string {
  if (attributes.kind !== "resource") return "";
  const { resource, group, version, subresource } = attributes;
  let json = "";
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") json += `${json === "" ? "{" : ","}"${key}":${textJson(value)}`;
  };
  add("resource", resource);
  add("namespace", attributes.namespace || object.namespace);
  add("name", attributes.name || object.name);
  add("uid", object.uid);
  add("apiGroup", group);
  add("apiVersion", version);
  add("resourceVersion", object.resourceVersion);
  add("subresource", subresource);
  return `,"objectRef":${json}}`;
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  let json = "";
  for (const key of [...annotations.keys()].sort()) {
    json += `${json === "" ? "{" : ","}${textJson(key)}:${textJson(annotations.get(key) ?? "")}`;
  }
  return `${json}}`;
}

function statusJson(status: object): string {
  return isCodeOnly(status) ? `{"metadata":{},"code":${String(status.code)}}` : jsonOf(status);
}

/** Of what went well nothing else is known. */
const isCodeOnly = (status: object): status is { readonly code: number } =>
  "code" in status && !("status" in status && status.status !== undefined);
