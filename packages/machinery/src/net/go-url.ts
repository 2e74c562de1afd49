/**
 * URLs as Go's net/url reads them, which is neither what browsers do nor quite what RFC 3986 says.
 * Errors have its texts.
 */

import { goQuote } from "../go/quote.ts";
import { encodedAgain, percentDecode, percentEncode, UrlProblem } from "./go-url-escape.ts";
import { parseZonedAddress } from "./netip.ts";

/** The parts of a URL as Go's net/url parses it. */
export interface GoUrl {
  readonly scheme: string;
  /** `name` or `name:password`, escaped; undefined when there is no `@`. */
  readonly user: string | undefined;
  /** With the port. */
  readonly host: string;
  /** What is left without leading slashes after a scheme, as in `mailto:a@b`. */
  readonly opaque: string;
  readonly escapedPath: string;
  /** Without the question mark; undefined when there is none. */
  readonly rawQuery: string | undefined;
  readonly escapedFragment: string;
  /** `file:/x` and not `file:///x`. */
  readonly omitHost: boolean;
}

/** An absolute URL or an absolute path: what Go takes for the target of a request. The URL, or what is wrong. */
export function parseRequestUrl(text: string): GoUrl | string {
  // As a request's target it may have no fragment, which then would be of the path.
  return requestUrlProblem(text) ?? parseUrl(text);
}

/** Any URL, also a relative one, or what is wrong. */
export function parseUrl(text: string): GoUrl | string {
  const [whole, fragment = ""] = cut(text, "#");
  const url = problemOf(whole, () => parse(whole, false));
  if (typeof url === "string") return url;
  return problemOf(text, () => ({ ...url, escapedFragment: encodedAgain(fragment, "fragment") }));
}

/** Why Go does not take the text for the target of a request, in which what looks like a fragment is part of the path. */
export function requestUrlProblem(text: string): string | undefined {
  const result = problemOf(text, () => parse(text, true));
  return typeof result === "string" ? result : undefined;
}

/** Whether Go's url.ParseRequestURI accepts the text. */
export const isRequestUrl = (text: string): boolean => requestUrlProblem(text) === undefined;

/** As `String()` of Go prints it, for comparisons. */
export function formatUrl(url: GoUrl): string {
  const { scheme, user, host, opaque, escapedPath, rawQuery, escapedFragment, omitHost } = url;
  let text = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") text += opaque;
  else {
    const hasAuthority = host !== "" || user !== undefined;
    if (hasAuthority || (scheme !== "" && !omitHost && escapedPath !== "")) text += "//";
    if (user !== undefined) text += `${user}@`;
    text += percentEncode(host, "host") + escapedPath;
  }
  if (rawQuery !== undefined) text += `?${rawQuery}`;
  return escapedFragment === "" ? text : `${text}#${escapedFragment}`;
}

/** The host without its port and without the brackets of IPv6. */
export const hostname = ({ host }: GoUrl): string => splitPort(host)[0].replace(/^\[(.*)\]$/s, "$1");

/** Returns the port of a URL as text; empty when it names none. */
export const port = ({ host }: GoUrl): string => splitPort(host)[1];

/** Go reads no more parameters than this; from a query with more, none. */
const maxParameters = 10_000;

/** All values by name. What cannot be decoded, or has a semicolon, is left out. */
export function parseQuery(rawQuery: string): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>();
  const parts = rawQuery.split("&");
  if (parts.length > maxParameters) return values;
  for (const part of parts) {
    if (part === "" || part.includes(";")) continue;
    const [key, value = ""] = cut(part, "=");
    try {
      const name = percentDecode(key, "query");
      const decoded = percentDecode(value, "query");
      values.set(name, [...(values.get(name) ?? []), decoded]);
    } catch (error) {
      if (!(error instanceof UrlProblem)) throw error;
    }
  }
  return values;
}

function problemOf<T>(text: string, read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return `parse ${goQuote(text)}: ${error.message}`;
  }
}

function parse(text: string, asRequest: boolean): GoUrl {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlProblem("net/url: invalid control character in URL");
  if (text === "" && asRequest) throw new UrlProblem("empty url");
  const empty = {
    scheme: "",
    user: undefined,
    host: "",
    opaque: "",
    escapedPath: "",
    rawQuery: undefined,
    escapedFragment: "",
    omitHost: false,
  };
  if (text === "*") return { ...empty, escapedPath: "*" };
  const { scheme, rest } = splitScheme(text);
  const [path, rawQuery] = cut(rest, "?");
  const url = { ...empty, scheme, rawQuery };
  if (!path.startsWith("/")) {
    if (scheme !== "") return { ...url, opaque: path };
    if (asRequest) throw new UrlProblem("invalid URI for request");
    if (cut(path, "/")[0].includes(":")) throw new UrlProblem("first path segment in URL cannot contain colon");
  }
  const hasAuthority = path.startsWith("//") && (scheme !== "" || (!asRequest && !path.startsWith("///")));
  if (!hasAuthority) return { ...url, omitHost: scheme !== "" && path.startsWith("/"), escapedPath: encodedAgain(path, "path") };
  const slash = path.indexOf("/", 2);
  const authority = path.slice(2, slash < 0 ? undefined : slash);
  return { ...url, ...parseAuthority(scheme, authority), escapedPath: encodedAgain(slash < 0 ? "" : path.slice(slash), "path") };
}

function splitScheme(text: string): { scheme: string; rest: string } {
  if (text.startsWith(":")) throw new UrlProblem("missing protocol scheme");
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  return scheme === undefined ? { scheme: "", rest: text } : { scheme: scheme.toLowerCase(), rest: text.slice(scheme.length + 1) };
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlProblem("net/url: invalid userinfo");
  const parts = cut(user, ":").map((part) => percentEncode(percentDecode(part ?? "", "user"), "user"));
  return { user: parts.join(":"), host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new UrlProblem("invalid IP-literal");
  if (bracket === 0) return parseBracketedHost(host);
  const colon = scheme === "http" || scheme === "https" ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0) checkPort(host.slice(colon));
  return percentDecode(host, "host");
}

function parseBracketedHost(host: string): string {
  const end = host.lastIndexOf("]");
  if (end < 0) throw new UrlProblem("missing ']' in host");
  checkPort(host.slice(end + 1));
  const inside = host.slice(1, end);
  const zone = inside.indexOf("%25");
  const name =
    zone < 0 ? percentDecode(inside, "host") : percentDecode(inside.slice(0, zone), "host") + percentDecode(inside.slice(zone), "zone");
  const address = parseZonedAddress(name);
  if (typeof address === "string") throw new UrlProblem(`invalid host: ${address}`);
  if (!name.includes(":")) throw new UrlProblem("invalid IP-literal");
  return `[${name}]${host.slice(end + 1)}`;
}

function checkPort(colonPort: string): void {
  if (!isPort(colonPort)) throw new UrlProblem(`invalid port ${goQuote(colonPort)} after host`);
}

const isPort = (colonPort: string): boolean => /^(:[0-9]*)?$/.test(colonPort);

function splitPort(host: string): [host: string, port: string] {
  const colon = host.lastIndexOf(":");
  return colon >= 0 && isPort(host.slice(colon)) ? [host.slice(0, colon), host.slice(colon + 1)] : [host, ""];
}

function cut(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
