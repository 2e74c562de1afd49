/** AppArmor, SELinux and seccomp, by which a node confines containers. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
import type { SELinuxOptions } from "@coxswain/types/core-v1";
import {
  type Check,
  type CheckPod,
  containersOf,
  named,
  namesByContext,
  namesWhere,
  plural,
  quoted,
  setters,
  sorted,
  unlessWindows,
  type Violation,
} from "./check.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const isAppArmorValue = (value: string): boolean => value === "" || value === "runtime/default" || value.startsWith("localhost/");
const allowedTypes = ["RuntimeDefault", "Localhost"];
const isForbiddenType = (type: string | undefined): type is string => type !== undefined && !allowedTypes.includes(type);

const appArmorProfile: Check = {
  id: "appArmorProfile",
  level: "baseline",
  versions: [{ since: 0, check: checkAppArmor }],
};

function checkAppArmor(pod: Parameters<CheckPod>[0]): Violation | undefined {
  const ofPod = pod.spec.securityContext?.appArmorProfile?.type;
  const names = namesByContext(pod, ({ appArmorProfile: profile }) => isForbiddenType(profile?.type));
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAppArmorValue(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const types = [ofPod, ...containersOf(pod).map(({ securityContext }) => securityContext?.appArmorProfile?.type)].filter(isForbiddenType);
  const who = [setters(isForbiddenType(ofPod), names), ...(annotations.length > 0 ? [plural("annotation", annotations)] : [])];
  const values = [...sorted(types), ...annotations];
  if (values.length === 0) return undefined;
  return {
    reason: plural("forbidden AppArmor profile", values),
    detail: `${who.filter((one) => one !== "").join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

const selinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

const seLinuxOptions: Check = {
  id: "seLinuxOptions",
  level: "baseline",
  versions: [
    { since: 0, check: checkSelinux(selinuxTypes) },
    { since: 31, check: checkSelinux([...selinuxTypes, "container_engine_t"]) },
  ],
};

function checkSelinux(allowed: readonly string[]): CheckPod {
  const isForbidden = ({ type = "", user = "", role = "" }: SELinuxOptions): boolean =>
    !allowed.includes(type) || user !== "" || role !== "";
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const ofContainers = containersOf(pod).flatMap(({ securityContext }) => securityContext?.seLinuxOptions ?? []);
    const names = namesByContext(pod, ({ seLinuxOptions: options }) => options !== undefined && isForbidden(options));
    const all = [...(ofPod === undefined ? [] : [ofPod]), ...ofContainers];
    if (!all.some(isForbidden)) return undefined;
    const types = sorted(all.map(({ type = "" }) => type).filter((type) => !allowed.includes(type)));
    const what = [
      ...(types.length > 0 ? [named("type", types)] : []),
      ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
      ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
    ];
    const who = setters(ofPod !== undefined && isForbidden(ofPod), names);
    return { reason: "seLinuxOptions", detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}` };
  };
}

const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
const isSeccompValue = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

/** Until 1.18 the profile was an annotation. */
const checkSeccompAnnotations: CheckPod = (pod) => {
  const keys = [podSeccomp, ...containersOf(pod).map(({ name }) => `${containerSeccomp}${name}`)];
  const forbidden = keys.flatMap((key) => {
    const value = pod.annotations[key];
    return value === undefined || isSeccompValue(value) ? [] : [`${key}=${JSON.stringify(value)}`];
  });
  const shown = sorted(forbidden);
  return shown.length === 0
    ? undefined
    : { reason: "seccompProfile", detail: `forbidden ${plural("annotation", shown)} ${shown.join(", ")}` };
};

const checkSeccompType: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.seccompProfile?.type;
  const names = namesByContext(pod, ({ seccompProfile }) => isForbiddenType(seccompProfile?.type));
  const types = [ofPod, ...containersOf(pod).map(({ securityContext }) => securityContext?.seccompProfile?.type)].filter(isForbiddenType);
  if (types.length === 0) return undefined;
  const who = setters(isForbiddenType(ofPod), names);
  return { reason: "seccompProfile", detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}` };
};

/** Each container has a profile, or the Pod has one for it. */
const requireSeccomp: CheckPod = (pod) => {
  const forbidden = checkSeccompType(pod);
  if (forbidden !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return forbidden;
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (names.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${named("container", names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

const seccompBaseline: Check = {
  id: "seccompProfile_baseline",
  level: "baseline",
  versions: [
    { since: 0, check: checkSeccompAnnotations },
    { since: 19, check: checkSeccompType },
  ],
};

const seccompRestricted: Check = {
  id: "seccompProfile_restricted",
  level: "restricted",
  versions: [
    { since: 19, check: requireSeccomp, overrides: seccompBaseline.id },
    { since: 25, check: unlessWindows(requireSeccomp), overrides: seccompBaseline.id },
  ],
};

export const profileChecks = [appArmorProfile, seLinuxOptions, seccompBaseline, seccompRestricted];
