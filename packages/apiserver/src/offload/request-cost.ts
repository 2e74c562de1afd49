/**
 * What costs more than the main thread can spend on one request: nothing interrupts the reading, checking and printing of an
 * object, and that takes a quarter of a millisecond for each kilobyte of one that was made to be slow.
 */
import type { CustomResourceStats } from "@coxswain/api";
import type { Clock } from "@coxswain/machinery";
import type { ValidationBudget } from "@coxswain/schema";
import type { HttpRequest } from "../contracts/http.ts";
import type { InlineLimits } from "../contracts/offload.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { headerOf } from "../http/exchange.ts";
import { mediaType } from "../negotiation/parse-body.ts";
import { OffloadRequired } from "../request/offload-required.ts";

/** The largest object, as sent or as stored, that is worked on between other requests. */
const inlineBytes = 64 * 1024;
/** The same where each byte may be part of an expression or, in YAML, stand for many others. */
const inlineDenseBytes = 16 * 1024;

const denseGroups: ReadonlySet<string> = new Set(["admissionregistration.k8s.io", "apiextensions.k8s.io", "resource.k8s.io"]);
const yamlTypes: ReadonlySet<string> = new Set(["application/yaml", "application/apply-patch+yaml"]);

/** Whether only knowing the resource's schema may take too long, or objects have turned out to take long to check lately. */
const isCostlyResource = ({ stats }: ServedResource, { verb }: ResourceRequest, clock: Clock): boolean =>
  (verb === "create" || verb === "update" || verb === "patch") &&
  ((stats.bytes ?? 0) > inlineDefinitionBytes || (stats.slowUntil !== undefined && clock.monotonic() < stats.slowUntil));

const inlineDefinitionBytes = 512 * 1024;

export const createInlineLimits = (clock: Clock): InlineLimits => ({
  maxBytes: maxInlineBytes,
  checkResource(resource, info) {
    if (isCostlyResource(resource, info, clock)) throw new OffloadRequired();
  },
});

/** For checking one custom object between other requests. Where it ends, the next objects are not even tried for a while. */
export function inlineValidationBudget(clock: Clock, stats: CustomResourceStats): ValidationBudget {
  const deadline = clock.monotonic() + shortMs;
  const exceeded = (): never => {
    stats.slowUntil = clock.monotonic() + slowMs;
    throw new OffloadRequired();
  };
  return {
    cost: 300_000,
    defaultBytes: inlineBytes,
    check: () => {
      if (clock.monotonic() > deadline) exceeded();
    },
    exceeded,
  };
}

const shortMs = 10;
const slowMs = 60_000;

/** Connections last, lists are written piece by piece, and what is set aside for a Service is known to one thread only. */
export function isOffloadable({ verb, group, resource, subresource }: ResourceRequest): boolean {
  if (verb === "watch" || verb === "list") return false;
  return !connections.has(subresource) && !(group === "" && resource === "services");
}

/** Of the largest stored object that this thread works on. What has several steps cannot begin again after the first. */
export const maxInlineBytes = (info: ResourceRequest): number =>
  isOffloadable(info) && info.verb !== "deletecollection" && info.subresource !== "eviction" ? inlineBytes : Number.POSITIVE_INFINITY;

const connections: ReadonlySet<string> = new Set(["attach", "exec", "portforward", "proxy", "log"]);

interface Sent {
  readonly request: Pick<HttpRequest, "headers">;
  readonly body: Uint8Array;
}

/** Whether the body alone says that the request is too heavy. */
export function isCostlyBody({ request, body }: Sent, info: ResourceRequest): boolean {
  if (body.byteLength <= inlineDenseBytes) return false;
  return body.byteLength > inlineBytes || denseGroups.has(info.group) || yamlTypes.has(mediaType(headerOf(request, "content-type")));
}
