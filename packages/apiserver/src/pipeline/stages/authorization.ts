import { type Clock, type FieldRequirement, goQuote, validatePathSegmentName } from "@coxswain/machinery";
import { notAuthorized, withoutHtml } from "../../authorization/forbidden.ts";
import { readFieldSelector, readLabelSelector } from "../../authorization/read-selector.ts";
import type { AccessMetrics } from "../../contracts/access-metrics.ts";
import type { AuditRecord } from "../../contracts/audit.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";
import type { Reply } from "../../contracts/http.ts";
import { textReply } from "../../http/exchange.ts";
import type { PipelineExchange, Stage } from "../stage.ts";

export interface AuthorizationStageOptions {
  readonly authorize: Authorizer;
  readonly clock: Pick<Clock, "monotonic">;
  readonly metrics: { readonly access: Pick<AccessMetrics, "recordAuthorization"> };
}

/** Lets through what the user may do. @throws forbidden() */
export function authorization({ authorize, clock, metrics }: AuthorizationStageOptions): Stage {
  const record = ({ kind, error }: Decision, startedAt: number): void => {
    const result = kind !== "allow" && error !== undefined ? "error" : results[kind];
    metrics.access.recordAuthorization(result, (clock.monotonic() - startedAt) / 1000);
  };
  return {
    name: "authorization",
    wrap: (next) => (exchange) => {
      const startedAt = clock.monotonic();
      const attributes = attributesOf(exchange);
      const decision = authorize(attributes);
      if (decision instanceof Promise) {
        return decision.then((known) => {
          record(known, startedAt);
          if (exchange.audit !== undefined) annotate(exchange.audit, known);
          return known.kind === "allow" ? next(exchange) : refuse(known, attributes, exchange);
        });
      }
      record(decision, startedAt);
      if (exchange.audit !== undefined) annotate(exchange.audit, decision);
      return decision.kind === "allow" ? next(exchange) : refuse(decision, attributes, exchange);
    },
  };
}

function annotate({ annotations }: AuditRecord, { kind, reason, error }: Decision): void {
  if (kind !== "allow" && error !== undefined) return void annotations.set("authorization.k8s.io/reason", "internal error");
  annotations.set("authorization.k8s.io/decision", kind === "allow" ? "allow" : "forbid");
  annotations.set("authorization.k8s.io/reason", reason);
}

/** Where nobody knows, the answer is no Status, as Kubernetes'. @throws forbidden() */
async function refuse({ reason, error }: Decision, attributes: AuthorizationAttributes, { request }: PipelineExchange): Promise<Reply> {
  if (error === undefined) throw notAuthorized(attributes, reason);
  const { path, query } = request;
  const asked = goQuote(query === "" ? path : `${path}?${query}`);
  return textReply(500, `${withoutHtml(`Internal Server Error: ${asked}: ${error}`)}\n`);
}

const results = { allow: "allowed", deny: "denied", noOpinion: "no-opinion" } as const;

/** What is asked of authorizers about a request. A selector that cannot be read is refused later, by whoever selects. */
export function attributesOf(exchange: Pick<PipelineExchange, "request" | "info" | "user" | "query">): AuthorizationAttributes {
  const { request, user, query } = exchange;
  const info = exchange.info.kind === "path" ? (exchange.info.resource ?? exchange.info) : exchange.info;
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  if (query.size === 0 || !isOfMany(info.verb) || (info.verb === "watch" && isOlderWatch(request.path))) return { ...info, user };
  const fieldSelector = readFieldSelector(query.get("fieldSelector") ?? "").requirements;
  const labelSelector = readLabelSelector(query.get("labelSelector") ?? "").requirements;
  const name = info.name === "" && info.verb !== "deletecollection" ? nameIn(fieldSelector) : info.name;
  return { ...info, user, name, fieldSelector, labelSelector };
}

/** Who lists or watches one object by its name asks for that object. */
function nameIn(fieldSelector: readonly FieldRequirement[] = []): string {
  const name = fieldSelector.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value ?? "";
  return validatePathSegmentName(name).length === 0 ? name : "";
}

/** The older paths of watches, some of them of one object, are authorized without selectors. */
const isOlderWatch = (path: string): boolean => /^\/?(?:api|apis\/[^/]+)\/[^/]+\/watch\//.test(decodeURIComponent(path));

const isOfMany = (verb: string): boolean => verb === "list" || verb === "watch" || verb === "deletecollection";
