/** Which admission plugins the flags of kube-apiserver ask for; none is not here that would do something. */
import { type AdmissionChoice, isAdmissionPlugin } from "@coxswain/apiserver";
import { StartError } from "../process/start-error.ts";
import { type Flags, listOf } from "./parse-flags.ts";

/** ServiceAccount is on by itself, as in Kubernetes. */
export function admissionOf(flags: Flags): AdmissionChoice {
  const known = (name: string): string[] => listOf(flags, name).filter(isAdmissionPlugin);
  return { enable: ["ServiceAccount", ...known("enable-admission-plugins")], disable: known("disable-admission-plugins") };
}

/** @throws StartError for a name that no plugin of kube-apiserver has */
export function checkAdmissionPlugins(flags: Flags): void {
  for (const name of listOf(flags, "enable-admission-plugins")) {
    if (!isAdmissionPlugin(name)) throw new StartError(`--enable-admission-plugins: there is no admission plug-in ${JSON.stringify(name)}`);
  }
}
