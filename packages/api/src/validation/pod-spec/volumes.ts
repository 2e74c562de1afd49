/** A pod's volumes: names, and exactly one source for each. */
import { field, parseQuantity, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { HostPathVolumeSource, ImageVolumeSource, KeyToPath, Volume } from "@coxswain/types/core-v1";
import { type VolumeSourceName, volumeSourceNames } from "../../pod-spec/volume-source-names.ts";
import { addInvalid, type Errors, oneOf, requiredOneOf, requiredText } from "../checks.ts";
import { fileMode, noBacksteps } from "../paths.ts";
import { validateEphemeralClaim } from "./ephemeral-claim.ts";
import { validateItems } from "./key-to-path.ts";
import { legacySourceRules } from "./legacy-volume-sources.ts";
import { validateDownwardFiles, validateProjected } from "./projected-volume.ts";

export interface PodContext {
  /** Only a pod's own name is known; a template's pods are named later. */
  readonly podName: string | undefined;
  readonly isPod: boolean;
}

export type Volumes = ReadonlyMap<string, Readonly<Volume>>;

/** Paths that Kubernetes reports under another name than the field's. */
const misnamed: Readonly<Partial<Record<VolumeSourceName, string>>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };
const hostPathTypes = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

/** Returns the volumes that containers may mount: those without an error. */
export function validateVolumes(out: Errors, path: string, volumes: readonly Volume[] | undefined, context: PodContext): Volumes {
  const valid = new Map<string, Volume>();
  if (!volumes) return valid;
  const { podName } = context;
  const created = new Set(podName ? volumes.filter((v) => v.ephemeral).map((v) => `${podName}-${v.name}`) : []);
  volumes.forEach((volume, i) => {
    const at = `${path}[${i}]`;
    const before = out.length;
    validateSource(out, at, volume, context);
    if (!volume.name) out.push(field.required(`${at}.name`));
    else addInvalid(out, `${at}.name`, volume.name, validateDns1123Label(volume.name));
    if (valid.has(volume.name)) out.push(field.duplicate(`${at}.name`, volume.name));
    if (out.length === before) valid.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && created.has(claimName)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      out.push(field.invalid(`${at}.persistentVolumeClaim.claimName`, claimName, detail));
    }
  });
  return valid;
}

function validateSource(out: Errors, path: string, volume: Readonly<Volume>, context: PodContext): void {
  const [first, ...others] = volumeSourceNames.filter((name) => volume[name]);
  if (first === undefined) return void out.push(field.required(path, "must specify a volume type"));
  const { ephemeral, image } = volume;
  if (first === "ephemeral" && ephemeral) validateEphemeralClaim(out, path, volume, context.podName);
  else if (first === "image" && image) validateImage(out, `${path}.image`, image, context.isPod);
  else if (!validateOwnFields(out, `${path}.${first}`, volume, first)) legacySourceRules[first]?.(out, path, volume);
  for (const name of others) out.push(field.forbidden(`${path}.${misnamed[name] ?? name}`, "may not specify more than 1 volume type"));
}

/** Whether the source is one of those that are checked here. */
function validateOwnFields(out: Errors, at: string, volume: Readonly<Volume>, source: VolumeSourceName): boolean {
  const { emptyDir, hostPath, secret, configMap, downwardAPI, projected, persistentVolumeClaim, csi } = volume;
  if (emptyDir) {
    const limit = emptyDir.sizeLimit === undefined ? undefined : parseQuantity(emptyDir.sizeLimit);
    if (limit !== undefined && limit.sign() < 0) {
      out.push(field.forbidden(`${at}.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
    }
  } else if (hostPath) validateHostPath(out, at, hostPath);
  else if (secret) {
    requiredText(out, `${at}.secretName`, secret.secretName);
    validateKeys(out, at, secret);
  } else if (source === "persistentVolumeClaim") requiredText(out, `${at}.claimName`, persistentVolumeClaim?.claimName);
  else if (source === "configMap" && configMap) {
    requiredText(out, `${at}.name`, configMap.name);
    validateKeys(out, at, configMap);
  } else if (source === "downwardAPI" && downwardAPI) {
    fileMode(out, `${at}.defaultMode`, downwardAPI.defaultMode);
    validateDownwardFiles(out, at, downwardAPI.items);
  } else if (source === "projected" && projected) {
    fileMode(out, `${at}.defaultMode`, projected.defaultMode);
    validateProjected(out, at, projected);
  } else if (source === "csi" && csi) validateCsi(out, at, csi.driver, csi.nodePublishSecretRef);
  else return false;
  return true;
}

function validateHostPath(out: Errors, path: string, { path: target, type }: HostPathVolumeSource): void {
  if (!target) return void out.push(field.required(`${path}.path`));
  noBacksteps(out, `${path}.path`, target);
  oneOf(out, `${path}.type`, type, hostPathTypes);
}

interface Keyed {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
}

function validateKeys(out: Errors, path: string, { defaultMode, items }: Keyed): void {
  fileMode(out, `${path}.defaultMode`, defaultMode);
  validateItems(out, `${path}.items`, items);
}

function validateCsi(out: Errors, path: string, driver: string, secret: { name?: string } | undefined): void {
  if (!driver) out.push(field.required(`${path}.driver`));
  else if (driver.length > 63) out.push(field.tooLong(`${path}.driver`, 63));
  const lower = (driver ?? "").toLowerCase();
  if (driver) addInvalid(out, `${path}.driver`, driver, validateDns1123Subdomain(lower));
  if (!secret) return;
  if (!secret.name) out.push(field.required(`${path}.nodePublishSecretRef.name`));
  else addInvalid(out, `${path}.name`, secret.name, validateDns1123Subdomain(secret.name));
}

function validateImage(out: Errors, path: string, { reference, pullPolicy }: ImageVolumeSource, isPod: boolean): void {
  if (isPod) requiredText(out, `${path}.reference`, reference);
  requiredOneOf(out, `${path}.pullPolicy`, pullPolicy, ["Always", "IfNotPresent", "Never"]);
}
