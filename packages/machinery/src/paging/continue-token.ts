/**
 * Where a list goes on. Clients must not look inside, but they may send anything: a token never reaches beyond its prefix.
 * The form is Kubernetes' own, so that servers which share one store also share tokens.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */

import { badRequest, internalError, type StatusError } from "../errors/status.ts";
import { goQuote } from "../go/quote.ts";
import { goJsonTypeOf } from "../go/value.ts";
import { parseJson } from "../json/json.ts";
import { trimRight } from "../text/trim.ts";
import { fromBase64, toBase64 } from "../values/base64.ts";
import { DecodeError } from "../values/decode-error.ts";
import { getOwn, isObject } from "../values/json-object.ts";

/** Where a list's next page begins, and in which snapshot. */
export interface ContinueToken {
  /** The snapshot that all pages share; -1 for whatever is newest, after the snapshot was compacted. */
  readonly revision: number;
  /** The key of the last item of the page before. */
  readonly start: string;
}

const version = "meta.k8s.io/v1";

/**
 * Returns the token in Kubernetes' form: base64 of JSON with the key relative to `prefix`.
 * @throws internalError() when the key is not below the prefix
 */
export function encodeContinue({ revision, start }: ContinueToken, prefix: string): string {
  if (!start.startsWith(prefix)) throw internalError("unable to encode next field: the key and key prefix do not match");
  // In the token, the place to start at is the first key that can follow.
  const json = JSON.stringify({ v: version, rv: revision, start: `${start.slice(prefix.length)}\0` });
  return trimRight(toBase64(new TextEncoder().encode(json)), "=")
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/** Reads a client's token; the key comes back with `prefix` before it. @throws badRequest() */
export function decodeContinue(token: string, prefix: string): ContinueToken {
  const fields = parseFields(decodeBase64(token));
  const v = typed(fields, "v", "string", "");
  const revision = typed(fields, "rv", "int64", 0);
  const start = typed(fields, "start", "string", "");
  if (v !== version) throw malformed(`: server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(revision) || revision === 0 || revision < -1)
    throw malformed(`: incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") throw malformed(`: encoded start key empty (version ${version})`);
  const relative = start.startsWith("/") ? start.slice(1) : start;
  if (relative.split("/").some((part) => part === "" || part === "." || part === "..")) throw malformed(`: ${start}`);
  return { revision, start: prefix + relative.replace(/\0$/, "") };
}

function decodeBase64(token: string): Uint8Array {
  const strange = token.search(/[^A-Za-z0-9_-]/);
  const illegal = strange >= 0 ? strange : token.length % 4 === 1 ? token.length - 1 : -1;
  if (illegal >= 0) throw malformed(`: illegal base64 data at input byte ${illegal}`);
  return fromBase64(token.replaceAll("-", "+").replaceAll("_", "/"));
}

function parseFields(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parse(bytes);
  if (value === null) return {};
  if (!isObject(value)) throw malformed(`: json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type storage.continueToken`);
  return value;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    // Go shows the byte that it stumbled on, also where no character begins with it.
    const first = String.fromCharCode(bytes[0] ?? 0);
    if (first > "\x7f") throw malformed(`: invalid character '${goQuote(first).slice(1, -1)}' looking for beginning of value`);
    throw error instanceof DecodeError ? malformed(`: ${error.message}`) : error;
  }
}

type FieldType = { readonly string: string; readonly int64: number };

function typed<T extends keyof FieldType>(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  type: T,
  absent: FieldType[T],
): FieldType[T] {
  const given = getOwn(fields, name) ?? absent;
  const value = typeof given === "bigint" ? Number(given) : given;
  const fits = typeof value === typeof absent && (type === "string" || Number.isInteger(value));
  if (fits) return value as FieldType[T];
  const shown = typeof value === "number" && type === "int64" ? `number ${value}` : goJsonTypeOf(value);
  throw malformed(`: json: cannot unmarshal ${shown} into Go struct field continueToken.${name} of type ${type}`);
}

const malformed = (why: string): StatusError => badRequest(`invalid continue token: continue key is not valid${why}`);
