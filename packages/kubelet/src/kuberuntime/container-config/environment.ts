/**
 * The environment of a container: what it takes whole from ConfigMaps and Secrets, what it names one by one, and where
 * services are.
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
import type { coreV1 } from "@coxswain/api";
import { goQuote } from "@coxswain/machinery";
import { fieldValue } from "../../downward-api/field-value.ts";
import { resourceValue } from "../../downward-api/resource-value.ts";
import { unlessMissing } from "../../object-managers/unless-missing.ts";
import type { SecretAndConfigMapManager } from "../../object-managers/watch-based-manager.ts";
import { expand } from "../../pod/expand.ts";
import type { Container, Pod } from "../../pod/pod.ts";
import { readInside } from "../../volume-manager/inside.ts";
import type { MountedVolumes } from "../../volume-manager/mounted-volumes.ts";
import { variableOfFile } from "./env-file.ts";

export interface EnvironmentSources {
  readonly objects: Pick<SecretAndConfigMapManager, "getConfigMap" | "getSecret">;
  readonly services: ReadonlyMap<string, string>;
  readonly hostIps: readonly string[];
  readonly podIps: readonly string[];
  readonly allocatable: Readonly<Record<string, string>>;
  readonly volumes: MountedVolumes;
  readonly signal: AbortSignal;
}

/** In the order in which they are made. @throws Error in Kubernetes' words for what is missing and not optional */
export async function environmentOf(pod: Pod, container: Container, sources: EnvironmentSources): Promise<Map<string, string>> {
  const variables = new Map<string, string>();
  for (const source of container.envFrom ?? []) {
    for (const [key, value] of await wholeObject(pod, source, sources)) variables.set((source.prefix ?? "") + key, value);
  }
  const valueFor = (name: string): string | undefined => variables.get(name) ?? sources.services.get(name);
  for (const variable of container.env ?? []) {
    const { name, value = "", valueFrom } = variable;
    const resolved = value !== "" || valueFrom === undefined ? expand(value, valueFor) : await resolve(pod, container, valueFrom, sources);
    if (resolved !== undefined) variables.set(name, resolved);
  }
  for (const [name, value] of sources.services) if (!variables.has(name)) variables.set(name, value);
  return variables;
}

async function wholeObject(
  pod: Pod,
  { configMapRef, secretRef }: coreV1.EnvFromSource,
  { objects, signal }: EnvironmentSources,
): Promise<readonly (readonly [string, string])[]> {
  const namespace = pod.metadata?.namespace ?? "";
  if (configMapRef !== undefined) {
    const { name = "", optional } = configMapRef;
    const found = await unlessMissing(objects.getConfigMap(namespace, name, signal), { kind: "configmap", name }, optional);
    return Object.entries(found?.data ?? {});
  }
  if (secretRef === undefined) return [];
  const { name = "", optional } = secretRef;
  const found = await unlessMissing(objects.getSecret(namespace, name, signal), { kind: "secret", name }, optional);
  return Object.entries(found?.data ?? {}).map(([key, value]) => [key, decode(value)] as const);
}

/** Undefined: it is optional and not there, so that the variable is left out. */
async function resolve(
  pod: Pod,
  container: Container,
  source: coreV1.EnvVarSource,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  const { objects, signal } = sources;
  const { namespace = "" } = pod.metadata ?? {};
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) return fieldValue(pod, fieldRef.fieldPath, sources);
  if (resourceFieldRef !== undefined) return resourceValue(pod, resourceFieldRef, container, sources.allocatable);
  if (configMapKeyRef !== undefined) {
    const { name = "", key, optional } = configMapKeyRef;
    const found = await unlessMissing(objects.getConfigMap(namespace, name, signal), { kind: "configmap", name }, optional);
    if (found?.data !== undefined && Object.hasOwn(found.data, key)) return found.data[key];
    return missing(optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
  }
  if (secretKeyRef !== undefined) {
    const { name = "", key, optional } = secretKeyRef;
    const found = await unlessMissing(objects.getSecret(namespace, name, signal), { kind: "secret", name }, optional);
    if (found?.data !== undefined && Object.hasOwn(found.data, key)) return decode(found.data[key] ?? "");
    return missing(optional, `couldn't find key ${key} in Secret ${namespace}/${name}`);
  }
  return fileKeyRef === undefined ? "" : await fromFile(fileKeyRef, sources.volumes);
}

async function fromFile({ key, volumeName, path, optional }: coreV1.FileKeySelector, volumes: MountedVolumes): Promise<string | undefined> {
  const volume = volumes.get(volumeName);
  if (volume === undefined) throw new Error(`cannot find the volume ${goQuote(volumeName)} referenced by FileKeyRef`);
  let found: string | undefined;
  try {
    found = variableOfFile(await readInside(volume.path, path), key);
  } catch (error) {
    throw new Error("couldn't parse env file", { cause: error });
  }
  return found ?? missing(optional, `environment variable key ${goQuote(key)} not found in file ${goQuote(`${volume.path}/${path}`)}`);
}

function missing(optional: boolean | undefined, what: string): undefined {
  if (optional !== true) throw new Error(what);
}

const decode = (base64: string): string => Buffer.from(base64, "base64").toString();
