/** Who a container runs as and what it may do. Windows' own options are in windows.ts. */
import { field, validateGroupId, validateUserId } from "@coxswain/machinery";
import type { AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext, Sysctl } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, oneOf } from "../checks.ts";
import { descendingPath } from "../paths.ts";
import { ratchet } from "../ratcheting.ts";
import { validateWindowsOptions } from "./windows.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

export function validateSecurityContext(
  out: Errors,
  path: string,
  context: Readonly<SecurityContext> | undefined,
  hostUsers: boolean,
): void {
  if (!context) return;
  const { runAsUser, runAsGroup, procMount } = context;
  if (runAsUser !== undefined) addInvalid(out, `${path}.runAsUser`, runAsUser, validateUserId(runAsUser));
  if (runAsGroup !== undefined) addInvalid(out, `${path}.runAsGroup`, runAsGroup, validateGroupId(runAsGroup));
  oneOf(out, `${path}.procMount`, procMount, ["Default", "Unmasked"]);
  if (hostUsers && procMount === "Unmasked") {
    out.push(field.invalid(`${path}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`"));
  }
  validateSeccompProfile(out, `${path}.seccompProfile`, context.seccompProfile);
  validateEscalation(out, path, context);
  validateWindowsOptions(out, `${path}.windowsOptions`, context.windowsOptions);
  validateAppArmorProfile(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

/** What already has all rights cannot be kept from getting more. */
function validateEscalation(out: Errors, path: string, context: Readonly<SecurityContext>): void {
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged) {
    out.push(field.invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
  }
  if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
    out.push(field.invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"));
  }
}

export function validatePodSecurityContext(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const context = spec.securityContext;
  if (!context) return;
  validatePodIds(out, path, context);
  if (spec.shareProcessNamespace && spec.hostPID) {
    out.push(field.invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"));
  }
  if (context.sysctls?.length) validateSysctls(out, `${path}.sysctls`, context.sysctls, spec);
  oneOf(out, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]);
  validateSeccompProfile(out, `${path}.seccompProfile`, context.seccompProfile);
  validateWindowsOptions(out, `${path}.windowsOptions`, context.windowsOptions);
  validateAppArmorProfile(out, `${path}.appArmorProfile`, context.appArmorProfile);
  oneOf(out, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ["Merge", "Strict"]);
  // Mounting with a label needs a feature that is off by default.
  oneOf(out, `${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ["Recursive"]);
}

function validatePodIds(out: Errors, path: string, { fsGroup, runAsUser, runAsGroup, supplementalGroups }: PodSecurityContext): void {
  if (fsGroup !== undefined) addInvalid(out, `${path}.fsGroup`, fsGroup, validateGroupId(fsGroup));
  if (runAsUser !== undefined) addInvalid(out, `${path}.runAsUser`, runAsUser, validateUserId(runAsUser));
  if (runAsGroup !== undefined) addInvalid(out, `${path}.runAsGroup`, runAsGroup, validateGroupId(runAsGroup));
  supplementalGroups?.forEach((id, i) => {
    addInvalid(out, `${path}.supplementalGroups[${i}]`, id, validateGroupId(id));
  });
}

function validateSeccompProfile(out: Errors, path: string, profile: Readonly<SeccompProfile> | undefined): void {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  if (!type) out.push(field.required(`${path}.type`, "type is required when seccompProfile is set"));
  else oneOf(out, `${path}.type`, type, profileTypes);
  const at = `${path}.localhostProfile`;
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) {
      out.push(field.invalid(at, { Type: type, LocalhostProfile: localhostProfile }, "can only be set when seccomp type is Localhost"));
    }
  } else if (localhostProfile === undefined) {
    out.push(field.required(at, "must be set when seccomp type is Localhost"));
  } else {
    descendingPath(out, at, localhostProfile);
  }
}

/** Longest path that Linux takes, without the final zero. */
const maxProfileLength = 4095;

export function validateAppArmorProfile(out: Errors, path: string, profile: Readonly<AppArmorProfile> | undefined): void {
  if (!profile) return;
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (!type) return void out.push(field.required(`${path}.type`, "type is required when appArmorProfile is set"));
  if (!profileTypes.includes(type)) return void out.push(field.notSupported(`${path}.type`, type, profileTypes));
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) out.push(field.invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost"));
    return;
  }
  if (localhostProfile !== undefined && localhostProfile.trim() !== localhostProfile) {
    out.push(field.invalid(at, localhostProfile, "must not be padded with whitespace"));
  } else if (!localhostProfile) out.push(field.required(at, "must be set when AppArmor type is Localhost"));
  if ((localhostProfile ?? "").length > maxProfileLength) out.push(field.tooLong(at, maxProfileLength));
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlSource = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
/** One character class after another without choice, so that no name makes the match slow. */
const sysctlName = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const maxSysctlLength = 253;
const ipcSysctls = new Set(["kernel.sem", "kernel.shm_rmid_forced"]);

function validateSysctls(out: Errors, path: string, sysctls: readonly Sysctl[], spec: Readonly<PodSpec>): void {
  const seen = new Set<string>();
  sysctls.forEach(({ name }, i) => {
    const at = `${path}[${i}].name`;
    if (!name) out.push(field.required(at));
    else if (name.length > maxSysctlLength || !sysctlName.test(name)) {
      out.push(field.invalid(at, name, `must have at most ${maxSysctlLength} characters and match regex ${sysctlSource}`));
    } else if (seen.has(name)) out.push(field.duplicate(at, name));
    const dotted = normalizeSysctl(name ?? "");
    const shared =
      spec.hostNetwork && dotted.startsWith("net.") ? "hostNetwork" : spec.hostIPC && isIpcSysctl(dotted) ? "hostIPC" : undefined;
    if (shared !== undefined)
      ratchet(out, "host sysctls", () => out.push(field.invalid(at, name, `may not be specified when '${shared}' is true`)));
    seen.add(name);
  });
}

const isIpcSysctl = (name: string): boolean =>
  ipcSysctls.has(name) || name.startsWith("kernel.shm") || name.startsWith("kernel.msg") || name.startsWith("fs.mqueue.");

/** `net/ipv4/x` is `net.ipv4.x`: whichever of the two signs comes first separates, the other stands for itself. */
function normalizeSysctl(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === ".") return name;
  return name.replace(/[./]/g, (c) => (c === "/" ? "." : "/"));
}
