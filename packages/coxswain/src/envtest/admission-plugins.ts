/** Which admission plugins the flags of kube-apiserver ask for, and what becomes of those that are not here. */
import { type AdmissionChoice, isAdmissionPlugin } from "@coxswain/apiserver";
import { StartError } from "../process/start-error.ts";
import { type Flags, listOf } from "./parse-flags.ts";

/** ServiceAccount is on by itself, as in Kubernetes. */
export function admissionOf(flags: Flags): AdmissionChoice {
  const known = (name: string): string[] => listOf(flags, name).filter(isAdmissionPlugin);
  return { enable: ["ServiceAccount", ...known("enable-admission-plugins")], disable: known("disable-admission-plugins") };
}

/** Those of kube-apiserver 1.36 that are on by default there and do nothing there: they are for features whose gates are off. */
const inactive = ["ClusterTrustBundleAttest", "JobValidation", "PodGroupProtection", "PodGroupWorkloadExists"];

/** @throws StartError for one that would have to do something and is not there */
export function checkAdmissionPlugins(flags: Flags): void {
  for (const name of listOf(flags, "enable-admission-plugins")) {
    if (!isAdmissionPlugin(name) && !inactive.includes(name))
      throw new StartError(`--enable-admission-plugins: there is no admission plug-in ${JSON.stringify(name)}`);
  }
}
