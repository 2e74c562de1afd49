/** Options for Windows containers, and what a pod may not set once it says which system it is for. */
import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PodSpec, WindowsSecurityContextOptions } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import { addInvalid, type Errors, isSet } from "../checks.ts";

const maxCredentialSpecKib = 64;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function validateWindowsOptions(out: Errors, path: string, options: Readonly<WindowsSecurityContextOptions> | undefined): void {
  if (!options) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (name !== undefined) addInvalid(out, `${path}.gmsaCredentialSpecName`, name, validateDns1123Subdomain(name));
  if (spec === "") out.push(field.invalid(`${path}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec cannot be an empty string"));
  if (spec !== undefined && spec.length > maxCredentialSpecKib * 1024) {
    out.push(field.invalid(`${path}.gmsaCredentialSpec`, spec, `gmsaCredentialSpec size must be under ${maxCredentialSpecKib} KiB`));
  }
  if (runAsUserName !== undefined) {
    addInvalid(
      out,
      `${path}.runAsUserName`,
      runAsUserName,
      userNameProblems(runAsUserName).map((p) => `runAsUserName${p}`),
    );
  }
}

/** `DOMAIN\user` or `user`. @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/ */
function userNameProblems(name: string): string[] {
  if (name === "") return [" cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const problems: string[] = [];
  if (domain !== undefined && domain.length >= 256) problems.push("'s Domain length must be under 256 characters");
  if (domain !== undefined && !netBios.test(domain) && !dnsName.test(domain)) {
    problems.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("'s User cannot be empty");
  if (user.length > 104) problems.push("'s User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) problems.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return problems;
}

/** A pod runs on the host as a whole or not at all. */
export function validateHostProcess(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const podWide = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let onHost = 0;
  visitContainers(spec, path, (container, at) => {
    count += 1;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (own ?? podWide) onHost += 1;
    if (own !== undefined && podWide !== undefined && own !== podWide) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${podWide}`;
      out.push(field.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
  });
  if (onHost === 0) return;
  if (onHost !== count) {
    out.push(field.invalid(path, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers"));
  }
  if (!spec.hostNetwork) {
    out.push(field.invalid(`${path}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers"));
  }
}

const linuxPodContext = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const linuxContext = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;
const linuxPod = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"] as const;
/** Where the zero value is as good as none. */
const zeroIsFine: readonly string[] = ["hostPID", "hostIPC", "sysctls"];

export function validateOs(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const { os } = spec;
  if (!os) return;
  if (!os.name) out.push(field.required(`${path}.os.name`, "cannot be empty"));
  else if (os.name === "linux") refuseWindowsFields(out, path, spec);
  else if (os.name === "windows") refuseLinuxFields(out, path, spec);
  else out.push(field.notSupported(`${path}.os`, os.name, ["linux", "windows"]));
}

function refuseWindowsFields(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const refuseAt = (at: string, options: unknown) => {
    if (isSet(options)) out.push(field.forbidden(`${at}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod"));
  };
  refuseAt(path, spec.securityContext?.windowsOptions);
  visitContainers(spec, path, (container, at) => refuseAt(at, container.securityContext?.windowsOptions));
}

function refuseLinuxFields(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const refuseAt = (at: string, name: string, value: unknown) => {
    const zero = value === false || (Array.isArray(value) && value.length === 0);
    if (isSet(value) && !(zero && zeroIsFine.includes(name))) out.push(field.forbidden(`${at}.${name}`, "cannot be set for a windows pod"));
  };
  for (const name of linuxPodContext) refuseAt(`${path}.securityContext`, name, spec.securityContext?.[name]);
  for (const name of linuxPod) refuseAt(path, name, spec[name]);
  visitContainers(spec, path, (container, at) => {
    for (const name of linuxContext) refuseAt(`${at}.securityContext`, name, container.securityContext?.[name]);
  });
}
