/** A configuration file of an API server: one document in YAML or JSON, of which nothing may be unknown. */
import { DecodeError, DecodeReport, decodeInto, goJsonTypeOf, goQuote, isObject, type JsonObject, parseYaml } from "@coxswain/machinery";

/** What a document may be. */
export interface ConfigurationKind {
  readonly kind: string;
  readonly apiVersions: ReadonlySet<unknown>;
  /** Of its fields. */
  readonly type: Parameters<typeof decodeInto>[0] | undefined;
  /** Kinds of the same versions that are for something else. */
  readonly others: readonly string[];
  /** It holds keys: messages, which go to logs, have nothing of it. */
  readonly secret?: boolean;
}

/** @throws Error in Kubernetes' words */
export async function decodeConfiguration(
  text: string,
  { kind, apiVersions, type, others, secret = false }: ConfigurationKind,
): Promise<JsonObject> {
  const report = new DecodeReport();
  const object = await parse(text, report, secret);
  const { kind: given = "", apiVersion = "" } = object;
  const shown = secret ? "<secret contents redacted>" : text;
  if (given === "") throw new Error(`Object 'Kind' is missing in '${shown}'`);
  if (apiVersion === "") throw new Error(`Object 'apiVersion' is missing in '${shown}'`);
  const isKnown = apiVersions.has(apiVersion);
  if (isKnown && others.some((other) => other === given)) throw new Error(`expected ${kind}, got *apiserver.${String(given)}`);
  if (given !== kind || !isKnown) {
    const what = `no kind ${goQuote(String(given))} is registered for version ${goQuote(String(apiVersion))}`;
    throw new Error(`${what} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (type === undefined) throw new Error(`the facts lack ${kind}`);
  decodeInto(type, object, report);
  if (report.problems.length > 0) throw new Error(`strict decoding error: ${report.problems.join(", ")}`);
  return object;
}

async function parse(text: string, report: DecodeReport, secret: boolean): Promise<JsonObject> {
  let value: unknown;
  try {
    value = await parseYaml(text, { report });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const prefix = "couldn't get version/kind; json parse error: ";
    throw secret ? new Error(prefix + withoutQuoted(error.message)) : new Error(prefix + error.message, { cause: error });
  }
  if (isObject(value)) return value;
  const shape = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  throw new Error(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type ${shape}`,
  );
}

/** Without what the message quotes of the text, as the name of an anchor, which may be a key with an asterisk in place of a quote. */
function withoutQuoted(message: string): string {
  const first = message.search(/['"`]/);
  const last = Math.max(...["'", '"', "`"].map((quote) => message.lastIndexOf(quote)));
  return first < last ? `${message.slice(0, first + 1)}redacted${message.slice(last)}` : message;
}
