/** What is allowed in a pod but hardly meant. Texts as Kubernetes words them, because people search for them. */
import { deepEqual, goQuote, parseQuantity } from "@coxswain/machinery";
import type { Container, EphemeralContainer, PersistentVolumeClaimSpec, PodSpec, PodTemplateSpec, Volume } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import { ipWarnings } from "../address-warnings.ts";
import { appArmorContainer, seccompContainer, seccompPod } from "./annotations.ts";
import { profileOfAnnotation, useProfileField } from "./app-armor.ts";
import { labelDeprecation, termWarnings } from "./deprecated-labels.ts";
import { pathWarnings } from "./path-warnings.ts";
import { portNameWarnings, portWarnings } from "./port-warnings.ts";

interface Annotated {
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `prefix` is "" for a pod, else the template's path and a dot. */
export function podWarnings(prefix: string, spec: Readonly<PodSpec>, metadata: Annotated | undefined): string[] {
  const out: string[] = [];
  const annotations = metadata?.annotations ?? {};
  warnOfLabels(out, `${prefix}spec`, spec);
  for (const [key, text] of deadAnnotations) {
    if (Object.hasOwn(annotations, key)) out.push(`${prefix}metadata.annotations[${key}]: ${text}`);
  }
  spec.volumes?.forEach((volume, i) => {
    warnOfVolume(out, `${prefix}spec.volumes[${i}]`, volume);
  });
  if (spec.volumes) out.push(...pathWarnings(spec.volumes));
  warnOfDuplicates(out, `${prefix}spec`, spec);
  warnOfFractions(out, `${prefix}spec.overhead`, spec.overhead);
  warnOfProfiles(out, prefix, spec, annotations);
  visitContainers(spec, `${prefix}spec`, (container, path) => {
    warnOfFractions(out, `${path}.resources.limits`, container.resources?.limits);
    warnOfFractions(out, `${path}.resources.requests`, container.resources?.requests);
    if (container.env && container.env.length > 1) warnOfHiddenVariables(out, `${path}.env`, container);
  });
  out.push(...portWarnings(`${prefix}spec`, spec), ...portNameWarnings(`${prefix}spec`, spec));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    out.push(`${prefix}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  warnOfSelectors(out, `${prefix}spec.affinity`, spec);
  spec.dnsConfig?.nameservers?.forEach((ip, i) => {
    out.push(...ipWarnings(`${prefix}spec.dnsConfig.nameservers[${i}]`, ip));
  });
  spec.hostAliases?.forEach(({ ip }, i) => {
    out.push(...ipWarnings(`${prefix}spec.hostAliases[${i}].ip`, ip));
  });
  return out;
}

export const templateWarnings = (path: string, template: Readonly<PodTemplateSpec> | undefined): string[] =>
  template?.spec ? podWarnings(`${path}.`, template.spec, template.metadata) : [];

const deadAnnotations: readonly (readonly [string, string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function warnOfLabels(out: string[], path: string, spec: Readonly<PodSpec>): void {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const text = labelDeprecation(key);
    if (text !== undefined) out.push(`${path}.nodeSelector[${key}]: ${text}`);
  }
  const nodes = spec.affinity?.nodeAffinity;
  const base = `${path}.affinity.nodeAffinity`;
  nodes?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.forEach((term, i) => {
    const at = `${base}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`;
    out.push(...termWarnings(at, term, { checkValues: false }));
  });
  nodes?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ preference }, i) => {
    const at = `${base}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`;
    out.push(...termWarnings(at, preference, { checkValues: true }));
  });
  spec.topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, i) => {
    const text = labelDeprecation(topologyKey);
    if (text !== undefined) out.push(`${path}.topologySpreadConstraints[${i}].topologyKey: ${topologyKey} is ${text}`);
    if (!labelSelector) out.push(`${path}.topologySpreadConstraints[${i}].labelSelector: ${matchesNothing}`);
  });
}

const matchesNothing = "a null labelSelector results in matching no pod";

function warnOfSelectors(out: string[], path: string, { affinity }: Readonly<PodSpec>): void {
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const terms = affinity?.[name];
    terms?.requiredDuringSchedulingIgnoredDuringExecution?.forEach(({ labelSelector }, i) => {
      if (labelSelector) return;
      out.push(`${path}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${i}].labelSelector: ${matchesNothing}`);
    });
    terms?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm }, i) => {
      if (podAffinityTerm?.labelSelector) return;
      out.push(`${path}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm.labelSelector: ${matchesNothing}`);
    });
  }
}

const deadVolumes = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const satisfies readonly (readonly [keyof Volume, string, string])[];

function warnOfVolume(out: string[], path: string, volume: Readonly<Volume>): void {
  for (const [source, shown, text] of deadVolumes) if (volume[source]) out.push(`${path}.${shown}: ${text}`);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) out.push(...claimWarnings(`${path}.ephemeral.volumeClaimTemplate.spec`, claim));
}

export function* claimWarnings(path: string, { resources }: Readonly<PersistentVolumeClaimSpec>): Generator<string> {
  for (const which of ["requests", "limits"] as const) {
    const storage = resources?.[which]?.storage;
    if (storage !== undefined && isFraction(storage)) {
      yield `${path}.resources.${which}[storage]: fractional byte value ${goQuote(storage)} is invalid, must be an integer`;
    }
  }
}

function warnOfDuplicates(out: string[], path: string, { hostAliases, imagePullSecrets }: Readonly<PodSpec>): void {
  const ips = new Set<string>();
  hostAliases?.forEach(({ ip }, i) => {
    if (ips.has(ip)) out.push(`${path}.hostAliases[${i}].ip: duplicate ip ${goQuote(ip)}`);
    ips.add(ip);
  });
  const names = new Set<string>();
  imagePullSecrets?.forEach(({ name = "" }, i) => {
    if (names.has(name)) out.push(`${path}.imagePullSecrets[${i}].name: duplicate name ${goQuote(name)}`);
    if (name === "") out.push(`${path}.imagePullSecrets[${i}].name: invalid empty name ""`);
    names.add(name);
  });
}

const isFraction = (text: string): boolean => (parseQuantity(text)?.milli() ?? 0n) % 1000n !== 0n;

function warnOfFractions(out: string[], path: string, amounts: Readonly<Record<string, string>> | undefined): void {
  for (const name of ["memory", "ephemeral-storage"]) {
    const text = amounts?.[name];
    if (text !== undefined && isFraction(text)) {
      out.push(`${path}[${name}]: fractional byte value ${goQuote(text)} is invalid, must be an integer`);
    }
  }
}

function warnOfProfiles(out: string[], prefix: string, spec: Readonly<PodSpec>, annotations: Readonly<Record<string, string>>): void {
  const at = (key: string) => `${prefix}metadata.annotations[${key}]`;
  const useField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (!spec.securityContext?.seccompProfile && Object.hasOwn(annotations, seccompPod)) out.push(`${at(seccompPod)}: ${useField}`);
  visitContainers(spec, "", ({ name, securityContext }) => {
    const seccomp = seccompContainer + name;
    if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp)) out.push(`${at(seccomp)}: ${useField}`);
    // Of a pod's own annotations there is a warning when they become fields.
    const annotation = prefix === "" || securityContext?.appArmorProfile ? undefined : annotations[appArmorContainer + name];
    const podProfile = spec.securityContext?.appArmorProfile;
    if (annotation !== undefined && !(podProfile && deepEqual(podProfile, profileOfAnnotation(annotation)))) {
      out.push(`${at(appArmorContainer + name)}: ${useProfileField}`);
    }
  });
}

/** Using the earlier value, as in X="$(X)1", is fine. */
function warnOfHiddenVariables(out: string[], path: string, { env = [] }: Readonly<Container | EphemeralContainer>): void {
  const seen = new Set<string>();
  env.forEach(({ name, value = "", valueFrom }, i) => {
    const reference = `$(${name})`;
    if (seen.has(name) && (valueFrom || value === reference || !value.includes(reference))) {
      out.push(`${path}[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
    }
    seen.add(name);
  });
}
