/**
 * The parameters of a binding.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#parameter-resources
 */
import type { admissionregistrationV1 } from "@coxswain/api";
import { type KubeObject, labelSelectorFromObject, messageOf, parseApiVersion } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { ServedResource } from "../../contracts/served-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { keyOf, prefixOf } from "../../storage/served-resource.ts";
import { entryAt } from "../../storage/versions.ts";
import { namespaceOf } from "../matching/attributes.ts";
import type { Policy, PolicyBinding } from "./policy-hooks.ts";

/** One of the objects to evaluate a policy with; undefined where it has none. */
export type Params = Readonly<KubeObject> | undefined;

/** A policy or binding that cannot be asked as it is configured: the failure policy decides. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}

/** Where objects of the policy's kind of parameters are; undefined where it has none. @throws ConfigurationError for a kind that is not served */
export function paramResource({ served }: Pick<ObjectReader, "served">, { spec }: Readonly<Policy>): ServedResource | undefined {
  const { paramKind } = spec;
  if (paramKind === undefined) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const found = served.byKind(group, version, kind);
  if (found !== undefined && found.prefix !== "") return found;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
}

/** Empty where there are none, and the binding allows that. @throws ConfigurationError */
export async function paramsOf(
  reader: ObjectReader,
  resource: ServedResource | undefined,
  { paramRef }: PolicyBinding,
  request: AdmissionRequest,
): Promise<readonly Params[]> {
  if (resource === undefined || paramRef === undefined) return none;
  const namespace = paramNamespace(resource, paramRef, request);
  const found = await find(reader, resource, namespace, paramRef);
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny")
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return found;
}

const none: readonly Params[] = [undefined];

/** @throws ConfigurationError */
function paramNamespace(
  { definition }: ServedResource,
  { namespace = "" }: admissionregistrationV1.ParamRef,
  request: AdmissionRequest,
): string {
  if (!definition.namespaced) {
    if (namespace !== "") throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const found = namespace || namespaceOf(request);
  if (found === "") throw new ConfigurationError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  return found;
}

async function find(
  { store, cache }: ObjectReader,
  resource: ServedResource,
  namespace: string,
  { name, selector }: admissionregistrationV1.ParamRef,
): Promise<readonly Readonly<KubeObject>[]> {
  const read = async (entry: Entry): Promise<Readonly<KubeObject>> => cache.objectAt(await entryAt(cache, entry, resource), resource);
  try {
    if (name) {
      const { entry } = await store.get(keyOf(resource, namespace, name));
      return entry === undefined ? [] : [await read(entry)];
    }
    const labels = labelSelectorFromObject(selector ?? {});
    const { entries } = await store.list(prefixOf(resource, namespace));
    return await Promise.all(entries.filter((entry) => labels.matches(cache.labelsOf(entry))).map(read));
  } catch (error) {
    throw new ConfigurationError(messageOf(error));
  }
}
