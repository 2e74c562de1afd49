/** The request of an `httpGet` of a probe or a hook. */
import type { coreV1 } from "@coxswain/api";
import { goQuote, messageOf, parseUrl } from "@coxswain/machinery";
import type { Container } from "../pod/pod.ts";
import { type Dial, type HttpAnswer, type HttpCall, joinHostPort } from "./dial.ts";

export interface HttpGetOptions {
  readonly action: coreV1.HTTPGetAction;
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
  readonly purpose: "probe" | "lifecycle";
  readonly timeoutMs: number;
}

/** @throws Error in Kubernetes' words when its port is none */
export function httpGet({ action, container, containerId, podIp, purpose, timeoutMs }: HttpGetOptions): HttpCall {
  const host = (action.host ?? "") === "" ? podIp : (action.host ?? "");
  const port = resolvePort(action.port, container);
  const scheme = action.scheme?.toLowerCase() === "https" ? "https" : "http";
  return { containerId, scheme, host, port, path: requestPath(action.path ?? ""), headers: headersOf(action, purpose), timeoutMs };
}

/** A number, the name of one of the container's ports, or a number that is written as text. @throws Error */
export function resolvePort(wanted: string | number, container: Container): number {
  const port = typeof wanted === "number" ? wanted : (portNamed(container, wanted) ?? parseNumber(wanted));
  if (port > 0 && port < 65536) return port;
  throw new Error(`invalid port number: ${port}`);
}

export const urlText = ({ scheme, host, port, path }: HttpCall): string => `${scheme}://${joinHostPort(host, port)}${path}`;

const maxRedirects = 10;

/**
 * Asks, and follows redirects to the same host; one to another is an answer.
 * @throws Error with the text of Go's client: `Get "http://10.0.0.7:80/": dial tcp …`
 */
export async function getHttp(dial: Dial, first: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  let call = first;
  for (let asked = 1; ; asked++) {
    const answer = await dial.http(call, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw getError(urlText(call), messageOf(error));
    });
    const { status, location = "" } = answer;
    if (!redirects.has(status) || location === "") return answer;
    const next = redirected(call, location);
    if (next?.host !== first.host) return answer;
    if (asked >= maxRedirects) throw getError(location, `stopped after ${maxRedirects} redirects`);
    call = next;
  }
}

const getError = (url: string, message: string): Error => new Error(`Get ${goQuote(url)}: ${message}`);

const redirects = new Set([301, 302, 303, 307, 308]);

function redirected(call: HttpCall, location: string): HttpCall | undefined {
  const from = urlText(call);
  if (!URL.canParse(location, from)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(location, from);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const headers = call.headers.filter(([name]) => name !== "Host" && name !== "Referer");
  return {
    ...call,
    scheme: protocol === "https:" ? "https" : "http",
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    path: pathname + search,
    headers: [...headers, ["Referer", from]],
  };
}

/** The path may bring a query. What Go cannot read is a path as it stands. */
function requestPath(text: string): string {
  const url = parseUrl(text);
  if (typeof url === "string") return encodeURI(text.startsWith("/") ? text : `/${text}`).replaceAll("?", "%3F");
  const { escapedPath, rawQuery } = url;
  return `${escapedPath.startsWith("/") ? "" : "/"}${escapedPath}${rawQuery === undefined ? "" : `?${rawQuery}`}`;
}

/** An empty Accept sends none. */
function headersOf({ httpHeaders = [] }: coreV1.HTTPGetAction, purpose: string): HttpCall["headers"] {
  const own = httpHeaders.map(({ name, value }) => [canonicalName(name), value] as const);
  const firstOf = (name: string) => own.find((header) => header[0] === name);
  const agent = firstOf("User-Agent") === undefined ? [["User-Agent", `kube-${purpose}/1.36`] as const] : [];
  const accept = firstOf("Accept") === undefined ? [["Accept", "*/*"] as const] : [];
  const isMuted = firstOf("Accept")?.[1] === "";
  return [...own.filter(([name]) => name !== "Accept" || !isMuted), ...agent, ...accept];
}

const canonicalName = (name: string): string =>
  name
    .split("-")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
    .join("-");

const portNamed = ({ ports = [] }: Container, name: string): number | undefined => ports.find((port) => port.name === name)?.containerPort;

function parseNumber(text: string): number {
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw new Error(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
}
