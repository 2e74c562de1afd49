/** Volumes that name a storage system directly. Most of them no longer work; the API still takes them. */
import { field } from "@coxswain/machinery";
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
  Volume,
} from "@coxswain/types/core-v1";
import type { VolumeSourceName } from "../../pod-spec/volume-source-names.ts";
import { type Errors, oneOf, requiredText } from "../checks.ts";
import { descendingPath } from "../paths.ts";

/** `path` is the volume's. */
type SourceRule = (out: Errors, path: string, volume: Readonly<Volume>) => void;

export const legacySourceRules: Readonly<Partial<Record<VolumeSourceName, SourceRule>>> = {
  gitRepo: (out, path, { gitRepo }) => {
    requiredText(out, `${path}.gitRepo.repository`, gitRepo?.repository);
    descendingPath(out, `${path}.gitRepo.directory`, gitRepo?.directory ?? "");
  },
  gcePersistentDisk: (out, path, { gcePersistentDisk: disk }) => {
    requiredText(out, `${path}.persistentDisk.pdName`, disk?.pdName);
    byteRange(out, `${path}.persistentDisk.partition`, disk?.partition);
  },
  awsElasticBlockStore: (out, path, { awsElasticBlockStore: disk }) => {
    requiredText(out, `${path}.awsElasticBlockStore.volumeID`, disk?.volumeID);
    byteRange(out, `${path}.awsElasticBlockStore.partition`, disk?.partition);
  },
  nfs: (out, path, { nfs }) => {
    requiredText(out, `${path}.nfs.server`, nfs?.server);
    requiredText(out, `${path}.nfs.path`, nfs?.path);
    if (!nfs?.path?.startsWith("/")) out.push(field.invalid(`${path}.nfs.path`, nfs?.path ?? "", "must be an absolute path"));
  },
  iscsi: (out, path, { name, iscsi }) => {
    if (iscsi) validateIscsi(out, path, name, iscsi);
  },
  glusterfs: (out, path, { glusterfs }) => {
    requiredText(out, `${path}.glusterfs.endpoints`, glusterfs?.endpoints);
    requiredText(out, `${path}.glusterfs.path`, glusterfs?.path);
  },
  flocker: (out, path, { flocker }) => {
    if (flocker) validateFlocker(out, `${path}.flocker`, flocker);
  },
  rbd: (out, path, { rbd }) => {
    if (!rbd?.monitors?.length) out.push(field.required(`${path}.rbd.monitors`));
    requiredText(out, `${path}.rbd.image`, rbd?.image);
  },
  cinder: (out, path, { cinder }) => {
    requiredText(out, `${path}.cinder.volumeID`, cinder?.volumeID);
    if (cinder?.secretRef) requiredText(out, `${path}.cinder.secretRef.name`, cinder.secretRef.name);
  },
  cephfs: (out, path, { cephfs }) => {
    if (!cephfs?.monitors?.length) out.push(field.required(`${path}.cephfs.monitors`));
  },
  quobyte: (out, path, { quobyte }) => {
    if (quobyte) validateQuobyte(out, `${path}.quobyte`, quobyte);
  },
  fc: (out, path, { fc }) => {
    if (fc) validateFibreChannel(out, `${path}.fc`, fc);
  },
  flexVolume: (out, path, { flexVolume }) => {
    requiredText(out, `${path}.flexVolume.driver`, flexVolume?.driver);
    for (const key of Object.keys(flexVolume?.options ?? {})) {
      if (/(^|\.)(kubernetes|k8s)\.io$/.test((key.split("/")[0] ?? "").toLowerCase())) {
        out.push(field.invalid(`${path}.flexVolume.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"));
      }
    }
  },
  azureFile: (out, path, { azureFile }) => {
    requiredText(out, `${path}.azureFile.secretName`, azureFile?.secretName);
    requiredText(out, `${path}.azureFile.shareName`, azureFile?.shareName);
  },
  vsphereVolume: (out, path, { vsphereVolume }) => requiredText(out, `${path}.vsphereVolume.volumePath`, vsphereVolume?.volumePath),
  photonPersistentDisk: (out, path, { photonPersistentDisk }) =>
    requiredText(out, `${path}.photonPersistentDisk.pdID`, photonPersistentDisk?.pdID),
  portworxVolume: (out, path, { portworxVolume }) => requiredText(out, `${path}.portworxVolume.volumeID`, portworxVolume?.volumeID),
  azureDisk: (out, path, { azureDisk }) => {
    if (azureDisk) validateAzureDisk(out, `${path}.azureDisk`, azureDisk);
  },
  storageos: (out, path, { storageos }) => {
    requiredText(out, `${path}.storageos.volumeName`, storageos?.volumeName);
    if (storageos?.secretRef) requiredText(out, `${path}.storageos.secretRef.name`, storageos.secretRef.name);
  },
  scaleIO: (out, path, { scaleIO }) => {
    requiredText(out, `${path}.scaleIO.gateway`, scaleIO?.gateway);
    requiredText(out, `${path}.scaleIO.system`, scaleIO?.system);
    requiredText(out, `${path}.scaleIO.volumeName`, scaleIO?.volumeName);
  },
};

function byteRange(out: Errors, path: string, value: number | undefined): void {
  if (value !== undefined && (value < 0 || value > 255)) out.push(field.invalid(path, value, "must be between 1 and 255, inclusive"));
}

const iscsiNames = [
  { prefix: "iqn", isValid: isIqn },
  { prefix: "eui", isValid: (name: string) => /^eui.[A-Za-z0-9]{16}$/.test(name) },
  { prefix: "naa", isValid: (name: string) => /^naa.[A-Za-z0-9]{32}$/.test(name) },
];

/** Whether `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` is found, in time that grows with the length alone. */
function isIqn(name: string): boolean {
  const parts = (name.split(/[,;*&$|\s]/).at(-1) ?? "").split(":");
  const beforeColons = parts.slice(0, parts.at(-1) === "" ? -2 : -1);
  return beforeColons.some((part) => /iqn\.\d{4}-\d{2}\../.test(part.split(/[^A-Za-z0-9.-]/).at(-1) ?? ""));
}

function validateIscsiName(out: Errors, path: string, name: string): void {
  const kind = iscsiNames.find(({ prefix }) => name.startsWith(prefix));
  if (kind === undefined) out.push(field.invalid(path, name, "must be valid format starting with iqn, eui, or naa"));
  else if (!kind.isValid(name)) out.push(field.invalid(path, name, "must be valid format"));
}

function validateIscsi(out: Errors, volumePath: string, volumeName: string, iscsi: ISCSIVolumeSource): void {
  const path = `${volumePath}.iscsi`;
  requiredText(out, `${path}.targetPortal`, iscsi.targetPortal);
  if (!iscsi.iqn) out.push(field.required(`${path}.iqn`));
  else validateIscsiName(out, `${path}.iqn`, iscsi.iqn);
  if (iscsi.lun < 0 || iscsi.lun > 255) out.push(field.invalid(`${path}.lun`, iscsi.lun, "must be between 0 and 255, inclusive"));
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef) out.push(field.required(`${path}.secretRef`));
  if (iscsi.initiatorName === undefined) return;
  validateIscsiName(out, `${path}.initiatorname`, iscsi.initiatorName);
  if (`${volumeName}:${iscsi.targetPortal}`.length > 64) {
    const detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    out.push(field.invalid(`${volumePath}.name`, volumeName, detail));
  }
}

function validateFlocker(out: Errors, path: string, { datasetName = "", datasetUUID = "" }: FlockerVolumeSource): void {
  if (datasetName === "" && datasetUUID === "") out.push(field.required(path, "one of datasetName and datasetUUID is required"));
  if (datasetName !== "" && datasetUUID !== "") {
    out.push(field.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (datasetName.includes("/")) out.push(field.invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
}

function validateQuobyte(out: Errors, path: string, { registry, tenant = "", volume }: QuobyteVolumeSource): void {
  const form = "must be a host:port pair or multiple pairs separated by commas";
  if (!registry) out.push(field.required(`${path}.registry`, form));
  else if (tenant.length >= 65) out.push(field.required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  else {
    for (const pair of registry.split(",")) {
      if (!/^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair)) out.push(field.invalid(`${path}.registry`, registry, form));
    }
  }
  requiredText(out, `${path}.volume`, volume);
}

function validateFibreChannel(out: Errors, path: string, { targetWWNs = [], wwids = [], lun }: FCVolumeSource): void {
  if (targetWWNs.length === 0 && wwids.length === 0) {
    out.push(field.required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0)
    out.push(field.invalid(`${path}.targetWWNs`, targetWWNs, "targetWWNs and wwids can not be specified simultaneously"));
  if (lun === undefined) out.push(field.required(`${path}.lun`, "lun is required if targetWWNs is specified"));
  else if (lun < 0 || lun > 255) out.push(field.invalid(`${path}.lun`, lun, "must be between 0 and 255, inclusive"));
}

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function validateAzureDisk(out: Errors, path: string, { diskName, diskURI = "", cachingMode, kind }: AzureDiskVolumeSource): void {
  requiredText(out, `${path}.diskName`, diskName);
  requiredText(out, `${path}.diskURI`, diskURI);
  oneOf(out, `${path}.cachingMode`, cachingMode, ["None", "ReadOnly", "ReadWrite"]);
  oneOf(out, `${path}.kind`, kind, ["Dedicated", "Managed", "Shared"]);
  if (kind === undefined) return;
  const [prefix, form] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  if (!diskURI.startsWith(prefix)) out.push(field.notSupported(`${path}.diskURI`, diskURI, [form]));
}
