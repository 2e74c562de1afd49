/** What a Pod would get access to through its spec: a mirror Pod may not name anything. */
import { configMapNames, type coreV1, secretNames } from "@coxswain/api";

/** Kubernetes' name for the first thing that is named; undefined for a Pod that names nothing. */
export function apiReference(spec: Readonly<coreV1.PodSpec>): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  if (secretNames(spec).length > 0) return "secrets";
  if (configMapNames(spec).length > 0) return "configmaps";
  if ((spec.resourceClaims ?? []).length > 0) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    const named = ofVolume(volume);
    if (named !== undefined) return named;
  }
  return undefined;
}

function ofVolume({
  configMap,
  secret,
  csi,
  glusterfs,
  persistentVolumeClaim,
  ephemeral,
  azureFile,
  projected,
}: coreV1.Volume): string | undefined {
  if (configMap !== undefined) return "configmaps (via configmap volumes)";
  if (secret !== undefined) return "secrets (via secret volumes)";
  if (csi !== undefined) return "csidrivers (via CSI volumes)";
  if (glusterfs !== undefined) return "endpoints (via glusterFS volumes)";
  if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
  if (ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
  if (azureFile !== undefined) return "secrets (via azureFile volumes)";
  return (projected?.sources ?? []).map(ofSource).find((named) => named !== undefined);
}

function ofSource({
  configMap,
  secret,
  serviceAccountToken,
  clusterTrustBundle,
  podCertificate,
}: coreV1.VolumeProjection): string | undefined {
  if (configMap !== undefined) return "configmaps (via projected volumes)";
  if (secret !== undefined) return "secrets (via projected volumes)";
  if (serviceAccountToken !== undefined) return "serviceaccounts (via projected volumes)";
  if (clusterTrustBundle !== undefined) return "clustertrustbundles";
  return podCertificate === undefined ? undefined : "podcertificates";
}
