/** URLs. @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library */

import { formatUrl, type GoUrl, hostname, isRequestUrl, parseQuery, parseRequestUrl, port } from "@coxswain/machinery";
import { instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { traversesFirst } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, listOf, mapOf, opaqueType, stringType } from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { CelError, CelMap, CelOpaque, type CelValue } from "../values/value.ts";

/**
 * The type of URLs.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library
 */
export const urlType = opaqueType("kubernetes.URL");

/** A URL as a value. */
export class UrlValue extends CelOpaque {
  override readonly type = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof UrlValue)) throw noSuchOverload();
    return formatUrl(this.url) === formatUrl(other.url);
  }
}

export const urls: CelLibrary = {
  name: "kubernetes.urls",
  functions: functionsOf({
    url: [{ ...plain("string_to_url", [stringType], urlType, (args) => parse(stringAt(args, 0))), ...traversesFirst(1, true) }],
    isURL: [plain("is_url_string", [stringType], boolType, (args) => isRequestUrl(stringAt(args, 0)))],
    getScheme: [part("url_get_scheme", (url) => url.scheme)],
    getHost: [part("url_get_host", (url) => url.host)],
    getHostname: [part("url_get_hostname", hostname)],
    getPort: [part("url_get_port", port)],
    getEscapedPath: [part("url_get_escaped_path", (url) => url.escapedPath)],
    getQuery: [
      method("url_get_query", [urlType], mapOf(stringType, listOf(stringType)), (args) => new QueryMap(urlAt(args).rawQuery ?? "")),
    ],
  }),
};

const urlAt = (args: readonly CelValue[]): GoUrl => instanceAt(UrlValue, args, 0).url;

function part(id: string, of: (url: GoUrl) => string): CelOverload {
  return method(id, [urlType], stringType, (args) => of(urlAt(args)));
}

function parse(text: string): UrlValue {
  const url = parseRequestUrl(text);
  if (typeof url === "string") throw new CelError(`URL parse error during conversion from string: ${url}`);
  return new UrlValue(url);
}

class QueryMap extends CelMap {
  readonly #values: ReadonlyMap<string, CelValue>;

  constructor(rawQuery: string) {
    super();
    this.#values = new Map(Array.from(parseQuery(rawQuery), ([name, values]) => [name, new ArrayList(values)]));
  }

  override get size(): number {
    return this.#values.size;
  }

  override get(key: CelValue): CelValue | undefined {
    return typeof key === "string" ? this.#values.get(key) : undefined;
  }

  override keys(): Iterable<CelValue> {
    return this.#values.keys();
  }
}
