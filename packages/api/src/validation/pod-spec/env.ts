/** Environment variables and where their values come from. */
import {
  field,
  parseQuantity,
  validateConfigMapKey,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateQualifiedName,
  validateRelaxedEnvVarName,
} from "@coxswain/machinery";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  PodSpec,
  ResourceFieldSelector,
} from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import { addInvalid, type Errors } from "../checks.ts";
import { noBacksteps } from "../paths.ts";

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** Fields that the downward API knows at all; some of them only for volumes or with a key. */
const knownFields = new Set([
  ...envFields,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);
const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

export function validateEnv(out: Errors, path: string, env: readonly EnvVar[] | undefined): void {
  env?.forEach((variable, i) => {
    const at = `${path}[${i}]`;
    if (!variable.name) out.push(field.required(`${at}.name`));
    else addInvalid(out, `${at}.name`, variable.name, validateRelaxedEnvVarName(variable.name));
    if (variable.valueFrom) validateValueFrom(out, `${at}.valueFrom`, variable.valueFrom, variable.value ?? "");
  });
}

function validateValueFrom(out: Errors, path: string, source: EnvVarSource, value: string): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) validateFieldRef(out, `${path}.fieldRef`, fieldRef, envFields);
  if (resourceFieldRef) validateResourceFieldRef(out, `${path}.resourceFieldRef`, resourceFieldRef, false);
  if (configMapKeyRef) validateKeyRef(out, `${path}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) validateKeyRef(out, `${path}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) validateFileKeyRef(out, `${path}.fileKeyRef`, fileKeyRef);
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (count === 0) {
    out.push(
      field.invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"),
    );
  } else if (value !== "") {
    out.push(field.invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (count > 1) {
    out.push(field.invalid(path, "", "may not have more than one field specified at a time"));
  }
}

/** `metadata.labels['key']` and its like carry a key; anything else is one of `allowed`. */
export function validateFieldRef(out: Errors, path: string, ref: ObjectFieldSelector, allowed: readonly string[]): void {
  if (!ref.apiVersion) return void out.push(field.required(`${path}.apiVersion`));
  if (!ref.fieldPath) return void out.push(field.required(`${path}.fieldPath`));
  const { map, key } = splitSubscript(ref.fieldPath);
  const problem = unsupportedField(ref.apiVersion, map, key);
  if (problem !== undefined)
    return void out.push(field.invalid(`${path}.fieldPath`, ref.fieldPath, `error converting fieldPath: ${problem}`));
  if (key !== undefined) addInvalid(out, path, key, validateQualifiedName(map === "metadata.annotations" ? key.toLowerCase() : key));
  else if (!allowed.includes(map)) out.push(field.notSupported(`${path}.fieldPath`, map, allowed));
}

/** `metadata.labels['key']` in its parts. */
function splitSubscript(path: string): { readonly map: string; readonly key?: string } {
  const bracket = path.indexOf("['");
  return bracket <= 0 || bracket > path.length - 4 || !path.endsWith("']")
    ? { map: path }
    : { map: path.slice(0, bracket), key: path.slice(bracket + 2, -2) };
}

function unsupportedField(apiVersion: string, map: string, key: string | undefined): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  if (key !== undefined && map !== "metadata.annotations" && map !== "metadata.labels")
    return `field label does not support subscript: ${map}['${key}']`;
  return knownFields.has(map) ? undefined : `field label not supported: ${map}`;
}

export function validateResourceFieldRef(out: Errors, path: string, ref: ResourceFieldSelector, inVolume: boolean): void {
  const { resource } = ref;
  if (inVolume && !ref.containerName) out.push(field.required(`${path}.containerName`));
  else if (!resource) out.push(field.required(`${path}.resource`));
  else if (!resourceFields.includes(resource) && !isHugePages(resource))
    out.push(field.notSupported(`${path}.resource`, resource, resourceFields));
  validateDivisor(out, `${path}.divisor`, resource ?? "", ref.divisor);
}

const isHugePages = (resource: string): boolean => resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");

function validateDivisor(out: Errors, path: string, resource: string, divisor: string | undefined): void {
  if (!divisor || parseQuantity(divisor)?.sign() === 0) return;
  const what = isHugePages(resource) ? "hugepages" : resource.slice(resource.indexOf(".") + 1);
  if (what === "cpu") {
    if (divisor !== "1m" && divisor !== "1") {
      out.push(field.invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    }
    return;
  }
  const name = what === "ephemeral-storage" ? "local ephemeral storage" : what;
  if (["memory", "local ephemeral storage", "hugepages"].includes(name) && !byteDivisors.includes(divisor)) {
    out.push(field.invalid(path, resource, `only divisor's values ${byteDivisors.join(", ")} are supported with the ${name} resource`));
  }
}

function validateKeyRef(out: Errors, path: string, { name = "", key }: { name?: string; key: string }): void {
  addInvalid(out, `${path}.name`, name, validateDns1123Subdomain(name));
  if (!key) out.push(field.required(`${path}.key`));
  else addInvalid(out, `${path}.key`, key, validateConfigMapKey(key));
}

function validateFileKeyRef(out: Errors, path: string, { key, volumeName, path: file }: FileKeySelector): void {
  if (!key) out.push(field.required(`${path}.key`));
  else addInvalid(out, `${path}.key`, key, validateRelaxedEnvVarName(key));
  if (!volumeName) out.push(field.required(`${path}.volumeName`));
  else addInvalid(out, `${path}.volumeName`, volumeName, validateDns1123Label(volumeName));
  if (!file) out.push(field.required(`${path}.path`));
  else noBacksteps(out, `${path}.path`, file);
}

/** Files that variables come from are written by another container of the pod into an emptyDir. */
export function validateFileVolumes(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  visitContainers(spec, path, (container, at) => {
    container.env?.forEach(({ valueFrom }, i) => {
      if (!valueFrom?.fileKeyRef) return;
      const { volumeName } = valueFrom.fileKeyRef;
      const volume = spec.volumes?.find((v) => v.name === volumeName);
      const where = `${at}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      if (volume === undefined) out.push(field.notFound(where, volumeName));
      else if (!volume.emptyDir) out.push(field.invalid(where, volumeName, "referenced volume must be of type emptyDir"));
    });
  });
}

export function validateEnvFrom(out: Errors, path: string, sources: readonly EnvFromSource[] | undefined): void {
  sources?.forEach(({ prefix, configMapRef, secretRef }, i) => {
    const at = `${path}[${i}]`;
    if (prefix) addInvalid(out, `${at}.prefix`, prefix, validateRelaxedEnvVarName(prefix));
    if (configMapRef) validateReferenceName(out, `${at}.configMapRef.name`, configMapRef.name);
    if (secretRef) validateReferenceName(out, `${at}.secretRef.name`, secretRef.name);
    if (!configMapRef && !secretRef) out.push(field.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (configMapRef && secretRef) out.push(field.invalid(path, "", "may not have more than one field specified at a time"));
  });
}

function validateReferenceName(out: Errors, path: string, name: string | undefined): void {
  if (!name) out.push(field.required(path));
  else addInvalid(out, path, name, validateDns1123Subdomain(name));
}
