/** The storage behind a PersistentVolume: exactly one of many. */
import { field, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { CSIPersistentVolumeSource, PersistentVolumeSpec, SecretReference } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, oneOf, requiredText } from "../checks.ts";
import { noBacksteps } from "../paths.ts";
import { legacySourceRules } from "../pod-spec/legacy-volume-sources.ts";

/** In the order in which Kubernetes checks them. */
export const persistentVolumeSources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

type SourceName = (typeof persistentVolumeSources)[number];

export function validateVolumeSource(out: Errors, spec: Readonly<PersistentVolumeSpec>, volumeName: string): void {
  const [first, ...others] = persistentVolumeSources.filter((name) => spec[name] !== undefined);
  if (first === undefined) return void out.push(field.required("spec", "must specify a volume type"));
  validateSource(out, spec, first, volumeName);
  for (const name of others) {
    // Flex volumes may come second, for no reason but history.
    if (name === "flexVolume") validateSource(out, spec, name, volumeName);
    else out.push(field.forbidden(`spec.${name === "cephfs" ? "cephFS" : name}`, "may not specify more than 1 volume type"));
  }
}

function validateSource(out: Errors, spec: Readonly<PersistentVolumeSpec>, source: SourceName, name: string): void {
  const { hostPath, local, csi } = spec;
  if (source === "csi" && csi) validateCsi(out, csi);
  else if (source === "hostPath" && hostPath) {
    requiredText(out, "spec.hostPath.path", hostPath.path);
    if (!hostPath.path) return;
    noBacksteps(out, "spec.hostPath.path", hostPath.path);
    oneOf(out, "spec.hostPath.type", hostPath.type, hostPathTypes);
  } else if (source === "local" && local) {
    requiredText(out, "spec.local.path", local.path);
    noBacksteps(out, "spec.local.path", local.path ?? "");
    if (spec.nodeAffinity === undefined) out.push(field.required("spec.nodeAffinity", "Local volume requires node affinity"));
  } else {
    legacySourceRules[source as keyof typeof legacySourceRules]?.(out, "spec", { name, ...spec });
    validateNamespaces(out, spec, source);
  }
}

const hostPathTypes = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

/** Volumes belong to no namespace, so what they refer to must say its own. */
function validateNamespaces(
  out: Errors,
  { azureFile, cinder, storageos, glusterfs }: Readonly<PersistentVolumeSpec>,
  source: SourceName,
): void {
  if (source === "azureFile" && azureFile?.secretNamespace === "") out.push(field.required("spec.azureFile.secretNamespace"));
  if (source === "cinder" && cinder?.secretRef) requiredText(out, "spec.cinder.secretRef.namespace", cinder.secretRef.namespace);
  if (source === "storageos" && storageos?.secretRef)
    requiredText(out, "spec.storageos.secretRef.namespace", storageos.secretRef.namespace);
  const endpoints = source === "glusterfs" ? glusterfs?.endpointsNamespace : undefined;
  if (endpoints === "") {
    const why = "if the endpointnamespace is set, it must be a valid namespace name";
    out.push(field.invalid("spec.glusterfs.endpointsNamespace", endpoints, why));
  } else if (endpoints !== undefined) addInvalid(out, "spec.glusterfs.endpointsNamespace", endpoints, validateDns1123Label(endpoints));
}

function validateCsi(out: Errors, csi: Readonly<CSIPersistentVolumeSource>): void {
  const { driver = "" } = csi;
  if (driver === "") out.push(field.required("spec.csi.driver"));
  else {
    if (driver.length > 63) out.push(field.tooLong("spec.csi.driver", 63));
    addInvalid(out, "spec.csi.driver", driver, validateDns1123Subdomain(driver.toLowerCase()));
  }
  requiredText(out, "spec.csi.volumeHandle", csi.volumeHandle);
  for (const key of ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"] as const) {
    if (csi[key] !== undefined) validateSecretReference(out, `spec.csi.${key}`, csi[key]);
  }
}

function validateSecretReference(out: Errors, path: string, { name = "", namespace = "" }: SecretReference): void {
  if (name === "") out.push(field.required(`${path}.name`));
  else addInvalid(out, `${path}.name`, name, validateDns1123Subdomain(name));
  if (namespace === "") out.push(field.required(`${path}.namespace`));
  else addInvalid(out, `${path}.namespace`, namespace, validateDns1123Label(namespace));
}
