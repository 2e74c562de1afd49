/** Volumes put together from several sources, and the files of the downward API. */
import { field, validatePathSegmentName } from "@coxswain/machinery";
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "@coxswain/types/core-v1";
import { type Errors, oneOf, requiredText } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { validateAnnotationsSize, validateLabelKey } from "../metadata/parts.ts";
import { fileMode, nonReservedPath } from "../paths.ts";
import { ratchet } from "../ratcheting.ts";
import { validateSignerName } from "../signer-name.ts";
import { validateFieldRef, validateResourceFieldRef } from "./env.ts";
import { validateItems } from "./key-to-path.ts";

const volumeFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const daySeconds = 86400;
const minCertificateSeconds = 3600;

/** Errors name the list, not the file: that is how Kubernetes reports them. */
export function validateDownwardFiles(out: Errors, path: string, files: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const file of files ?? []) {
    requiredText(out, `${path}.path`, file.path);
    nonReservedPath(out, `${path}.path`, file.path ?? "");
    if (file.fieldRef) {
      validateFieldRef(out, `${path}.fieldRef`, file.fieldRef, volumeFields);
      if (file.resourceFieldRef) {
        out.push(field.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
      }
    } else if (file.resourceFieldRef) {
      validateResourceFieldRef(out, `${path}.resourceFieldRef`, file.resourceFieldRef, true);
    } else {
      out.push(field.required(path, "one of fieldRef and resourceFieldRef is required"));
    }
    fileMode(out, `${path}.mode`, file.mode);
  }
}

export function validateProjected(out: Errors, path: string, { sources }: ProjectedVolumeSource): void {
  const paths = new Set<string>();
  const claim = (target: string | undefined, shown: string | undefined) => {
    if (!target) return;
    if (paths.has(target)) out.push(field.invalid(path, shown ?? "", "conflicting duplicate paths"));
    paths.add(target);
  };
  sources?.forEach((source, i) => {
    const at = `${path}.sources[${i}]`;
    validateKeyedSources(out, at, source, claim);
    const { downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
    if (downwardAPI) validateDownwardFiles(out, `${at}.downwardAPI`, downwardAPI.items);
    for (const file of downwardAPI?.items ?? []) claim(file.path, file.path);
    if (serviceAccountToken) validateToken(out, path, `${at}.serviceAccountToken`, serviceAccountToken);
    if (clusterTrustBundle) {
      validateTrustBundle(out, `${at}.clusterTrustBundle`, clusterTrustBundle);
      claim(clusterTrustBundle.path, clusterTrustBundle.path);
    }
    if (podCertificate) {
      validateCertificate(out, `${at}.podCertificate`, podCertificate);
      for (const target of certificatePaths) claim(podCertificate[target], podCertificate[target]);
    }
    if (Object.values(source).filter(Boolean).length > 1) {
      out.push(field.forbidden(at, "may not specify more than 1 volume type per source"));
    }
  });
}

type Claim = (target: string | undefined, shown: string | undefined) => void;

function validateKeyedSources(out: Errors, path: string, source: VolumeProjection, claim: Claim): void {
  for (const name of ["secret", "configMap"] as const) {
    const keyed = source[name];
    if (!keyed) continue;
    requiredText(out, `${path}.${name}.name`, keyed.name);
    validateItems(out, `${path}.${name}.items`, keyed.items);
    for (const item of keyed.items ?? []) claim(item.path, keyed.name);
  }
}

function validateToken(out: Errors, volumePath: string, path: string, token: ServiceAccountTokenProjection): void {
  const seconds = token.expirationSeconds ?? 0;
  if (seconds < 600) out.push(field.invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > 2 ** 32)
    out.push(field.invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
  if (!token.path) out.push(field.required(`${volumePath}.path`));
  else ratchet(out, "token path", () => nonReservedPath(out, `${volumePath}.path`, token.path));
}

function validateTrustBundle(out: Errors, path: string, bundle: ClusterTrustBundleProjection): void {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    out.push(field.invalid(path, bundle, "only one of name and signerName may be used"));
  } else if (name !== undefined) {
    if (name === "") out.push(field.required(`${path}.name`, "must be a valid object name"));
    for (const problem of validatePathSegmentName(name.replaceAll(":", "-"))) {
      out.push(field.invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${problem}`));
    }
    if (labelSelector) {
      out.push(field.invalid(`${path}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified"));
    }
  } else if (signerName !== undefined) {
    if (signerName === "") out.push(field.required(`${path}.signerName`, "must be a valid signer name"));
    validateSignerName(out, `${path}.signerName`, signerName);
    validateLabelSelector(out, `${path}.labelSelector`, labelSelector);
  } else {
    out.push(field.required(path, "either name or signerName must be specified"));
  }
  requiredText(out, `${path}.path`, bundle.path);
  nonReservedPath(out, `${path}.path`, bundle.path ?? "");
}

const certificatePaths = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;

/** @see https://kep.k8s.io/4317 */
function validateCertificate(out: Errors, path: string, certificate: PodCertificateProjection): void {
  const { maxExpirationSeconds: seconds } = certificate;
  validateSignerName(out, `${path}.signerName`, certificate.signerName ?? "");
  if (certificate.userAnnotations) validateUserAnnotations(out, `${path}.userAnnotations`, certificate.userAnnotations);
  oneOf(out, `${path}.keyType`, certificate.keyType ?? "", keyTypes);
  const max = certificate.signerName?.startsWith("kubernetes.io/") ? daySeconds : 91 * daySeconds;
  if (seconds !== undefined && seconds < minCertificateSeconds) {
    const detail = `if provided, maxExpirationSeconds must be >= ${minCertificateSeconds}`;
    out.push(field.invalid(`${path}.maxExpirationSeconds`, seconds, detail));
  }
  if (seconds !== undefined && seconds > max) {
    out.push(field.invalid(`${path}.maxExpirationSeconds`, seconds, `if provided, maxExpirationSeconds must be <= ${max}`));
  }
  if (certificatePaths.every((name) => !certificate[name])) {
    out.push(field.required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
  }
  for (const name of certificatePaths) {
    const target = certificate[name];
    if (target) nonReservedPath(out, `${path}.${name}`, target);
  }
}

/** What the Pod hands to the signer: annotations whose keys all have a domain. */
function validateUserAnnotations(out: Errors, path: string, annotations: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(annotations).map((name) => name.toLowerCase())) {
    const before = out.length;
    if (key === "") out.push(field.required(path));
    else validateLabelKey(out, key, path);
    if (out.length === before && !key.includes("/")) {
      out.push(field.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
    }
  }
  validateAnnotationsSize(out, annotations, path);
}
