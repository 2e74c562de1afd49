/** One document of a configuration: its kind is looked up, and its fields are those of that kind. */
import { DecodeReport, decodeInto, isObject, type JsonObject, parseYaml } from "@coxswain/machinery";
import { typeNamed } from "./types.ts";

/** A document that a plugin, or the server, takes. */
export interface DocumentKind {
  readonly kind: string;
  readonly versions: readonly string[];
  /** Of its fields. */
  readonly type: string;
}

export interface DecodeOptions {
  readonly kinds: readonly DocumentKind[];
  /** Whether fields that are not known are left out instead of refused. */
  readonly isLenient?: boolean;
}

/** Thrown for a document without a kind that is known here. */
export class UnknownKindError extends Error {}

/** @param text as it stands in the file @throws Error in Kubernetes' words */
export async function decodeDocument(text: string, { kinds, isLenient = false }: DecodeOptions): Promise<JsonObject> {
  const report = new DecodeReport();
  const object = await parseYaml(text, { report });
  if (!isObject(object)) throw new UnknownKindError(`Object 'Kind' is missing in '${text}'`);
  const { kind = "", apiVersion = "" } = object;
  if (kind === "") throw new UnknownKindError(`Object 'Kind' is missing in '${text}'`);
  if (apiVersion === "") throw new UnknownKindError(`Object 'apiVersion' is missing in '${text}'`);
  const known = kinds.find((one) => one.kind === kind && one.versions.some((version) => version === apiVersion));
  if (known === undefined) {
    throw new UnknownKindError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  }
  decodeInto(typeNamed(known.type), object, report);
  if (!isLenient && report.problems.length > 0) throw new Error(`strict decoding error: ${report.problems.join(", ")}`);
  return object;
}
