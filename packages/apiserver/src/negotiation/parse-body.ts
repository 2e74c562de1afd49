/** Request bodies as plain data, with the errors that Kubernetes gives for what is none. */
import {
  DecodeError,
  type DecodeReport,
  goJsonTypeOf,
  type KubeObject,
  parseJson,
  parseYaml,
  type Type,
  unsupportedMediaType,
} from "@coxswain/machinery";
import type { Encoding } from "../contracts/representation.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { textOf } from "../storage/stored-object.ts";
import { encodingOf } from "./negotiate.ts";

const accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The type without its parameters; empty when the header is missing. */
export function mediaType(header: string | readonly string[] | undefined): string {
  const text = typeof header === "string" ? header : (header?.[0] ?? "");
  if (text === "application/json") return text;
  const semicolon = text.indexOf(";");
  return (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
}

/** How the body is written; JSON where nothing is said. @throws 415 */
export function checkMediaType({ request }: RequestContext): Encoding {
  const header = request.headers["content-type"] ?? "";
  const type = mediaType(header);
  const encoding = header === "" ? "json" : accepted.includes(type) && hasSoundParameters(String(header)) ? encodingOf(type) : undefined;
  if (encoding === undefined) throw unsupportedMediaType(accepted);
  return encoding;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameters = new RegExp(`^[^;]*(;\\s*${token}\\s*=\\s*(${token}|"([^"\\\\]|\\\\.)*")\\s*)*(;\\s*)?$`);

/** A semicolon may end them; what is no `name=value` makes a type unknown. */
const hasSoundParameters = (type: string): boolean => !type.includes(";") || parameters.test(type);

/** What JSON, at once, or YAML says, as an object whose kind and apiVersion are text where they are given; null is an empty one. @throws DecodeError */
export function parseObject(ctx: RequestContext, report: DecodeReport, type: Type | undefined): KubeObject | Promise<KubeObject> {
  return checkMediaType(ctx) === "yaml"
    ? parseYaml(textOf(ctx.body), { report }).then(checkObject)
    : checkObject(parseText(ctx.body, report, type));
}

function checkObject(value: unknown): KubeObject {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw unidentified(
      `json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  checkTypeMeta(value);
  return value as KubeObject;
}

function parseText(body: Uint8Array, report: DecodeReport, type: Type | undefined): unknown {
  try {
    return parseJson(body, { report, type });
  } catch (error) {
    throw error instanceof DecodeError ? unidentified(error.message) : error;
  }
}

/** @throws DecodeError for a kind or an apiVersion that is no text */
export function checkTypeMeta({ kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown }): void {
  checkText("kind", kind);
  checkText("apiVersion", apiVersion);
}

function checkText(name: string, value: unknown): void {
  if (value === undefined || value === null || typeof value === "string") return;
  throw unidentified(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go struct field .${name} of type string`);
}

const unidentified = (why: string): DecodeError => new DecodeError(`couldn't get version/kind; json parse error: ${why}`);

const maxSummaryBytes = 30;

/** How Kubernetes shows a body that it could not read: as text when it looks like an object, else in hex. */
export function summary(body: Uint8Array): string {
  if (body.byteLength === 0) return "<empty>";
  const cut = body.byteLength > maxSummaryBytes;
  const shown = cut ? body.subarray(0, maxSummaryBytes) : body;
  const text = body[0] === 0x7b ? textOf(shown) : Buffer.from(shown).toString("hex");
  return cut ? `${text} ...` : text;
}
