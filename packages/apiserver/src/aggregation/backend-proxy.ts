/** Requests that another server answers, as it gets them, and its answers. */
import { type Clock, StatusError } from "@coxswain/machinery";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { RequestHeaderNames } from "../contracts/request-header-names.ts";
import { textReply } from "../http/exchange.ts";
import { proxiedHeaders } from "../kubelets/forwarded-headers.ts";
import { streamReply, tunnelReply } from "../kubelets/forwarded-reply.ts";
import { isUpgrade } from "../kubelets/kubelets.ts";
import type { BackendResponse, OutgoingHeaders } from "../kubelets/round-trip.ts";
import { isLongRunning } from "../request/long-running.ts";
import { transportProblem } from "../webhooks/webhook-error.ts";
import type { Backend } from "./backend.ts";
import type { BackendConnections } from "./backend-connections.ts";
import { deadlineSignal } from "./deadline-signal.ts";
import { identityHeaders, withoutIdentity } from "./identity-headers.ts";

export interface BackendProxyOptions {
  readonly connections: Pick<BackendConnections, "endpointOf" | "send">;
  /** In which else, by what is published, the servers would believe to find identities. */
  readonly identityNames: RequestHeaderNames | undefined;
  readonly forwardRedirects: boolean;
  /** How long a request may take that has an end. */
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

/** Clients wait for all groups and versions before they begin. */
const discoveryTimeoutMs = 5_000;

export class BackendProxy {
  readonly #options: BackendProxyOptions;
  readonly #isIdentity: (name: string) => boolean;

  constructor(options: BackendProxyOptions) {
    this.#options = options;
    this.#isIdentity = identityTest(options.identityNames);
  }

  /** Whatever becomes of the request: what fails is answered in Kubernetes' words. @throws internalError() for a user who has no name in headers */
  async answer(exchange: Exchange, backend: Backend): Promise<Reply> {
    const { connections, clock, requestTimeoutMs } = this.#options;
    const { request, info, body, query } = exchange;
    const path = canonicalPath(request.path);
    if (path === undefined) return textReply(404, "404 page not found\n");
    if (!backend.isAvailable) return unavailable();
    const endpoint = await connections.endpointOf(backend).catch(() => undefined);
    if (endpoint === undefined) return unavailable();
    const upgrade = isUpgrade(request);
    const headers = this.#headersOf(exchange, upgrade);
    const isDiscovery = info.kind === "path" && info.segments.length === 3;
    const deadline = deadlineSignal(clock, isDiscovery ? discoveryTimeoutMs : requestTimeoutMs);
    const asked = query.size === 0 ? path : `${path}?${query}`;
    try {
      const sent = { endpoint, method: request.method, path: asked, headers, body, upgrade, signal: deadline.signal };
      const answer = await connections.send(backend, sent);
      const mayLast = upgrade || isLongRunning(info);
      if (mayLast) deadline[Symbol.dispose]();
      else answer.response.once("close", () => deadline[Symbol.dispose]());
      return this.#replyOf(answer, upgrade);
    } catch (error) {
      deadline[Symbol.dispose]();
      if (error instanceof StatusError && error.code >= 500) throw error;
      const why = error instanceof StatusError ? error.message : transportProblem(error);
      return textReply(503, upgrade ? `error dialing backend: ${why}\n` : `error trying to reach service: ${why}\n`);
    }
  }

  #headersOf(exchange: Exchange, upgrade: boolean): OutgoingHeaders {
    const { request, body, user, requestId } = exchange;
    const { host: _host, "content-length": _length, ...passed } = withoutIdentity(proxiedHeaders(request, upgrade), this.#isIdentity);
    const hasBody = body.byteLength > 0 || !bodiless.has(request.method);
    return {
      ...passed,
      ...identityHeaders(user),
      "audit-id": requestId,
      ...(hasBody ? { "content-length": String(body.byteLength) } : {}),
    };
  }

  #replyOf(answer: BackendResponse, upgrade: boolean): Reply {
    if (answer.kind === "upgraded") return tunnelReply(answer);
    const { response } = answer;
    const { statusCode = 0, headers } = response;
    const isRedirect = statusCode >= 300 && statusCode <= 399 && (headers.location ?? "") !== "";
    if (isRedirect && !this.#options.forwardRedirects) {
      response.destroy();
      return { ...textReply(502, "the backend attempted to redirect this request, which is not permitted"), closeConnection: upgrade };
    }
    if (upgrade && statusCode < 400) {
      response.destroy();
      return { ...textReply(503, `invalid upgrade response: status code ${statusCode}\n`), closeConnection: true };
    }
    // What follows on a connection that was refused its upgrade is nobody's.
    return upgrade ? { ...streamReply({ response }), closeConnection: true } : streamReply({ response });
  }
}

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const unavailable = (): Reply => textReply(503, "service unavailable\n");

function identityTest(names: RequestHeaderNames | undefined): (name: string) => boolean {
  const { usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = names ?? {};
  const exact = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.trim().toLowerCase()));
  const prefixes = [...extraHeaderPrefixes.map((prefix) => prefix.trim().toLowerCase()).filter((prefix) => prefix !== ""), "x-remote-"];
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * The path that was authorized, spelled in one way: the server behind reads nothing else in it. Undefined for one with dots or
 * nothing between slashes, which might lead elsewhere.
 */
export function canonicalPath(path: string): string | undefined {
  // Authorized already, so it can be decoded.
  const segments = decodeURIComponent(path).split("/");
  const last = segments.length - 1;
  const isWrong = (segment: string, at: number): boolean => segment === "." || segment === ".." || (segment === "" && at > 0 && at < last);
  return segments.some(isWrong) ? undefined : segments.map(encodeURIComponent).join("/");
}
