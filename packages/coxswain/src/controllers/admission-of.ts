import type { AdmissionChoice } from "@coxswain/apiserver";
import type { Options } from "../options/cluster-options.ts";

/** Pods are given service accounts where a controller makes the one that each Namespace has. */
export async function admissionOf({ admission = {}, controllers }: Pick<Options, "admission" | "controllers">): Promise<AdmissionChoice> {
  const { enable = [], disable = [] } = admission;
  return { enable: (await makesAccounts(controllers)) ? ["ServiceAccount", ...enable] : enable, disable };
}

async function makesAccounts(choice: readonly string[]): Promise<boolean> {
  // What every cluster has is not looked up before the server is up.
  if (choice.every((word) => word === "*")) return choice.length > 0;
  const { chooseControllers, serviceAccountController } = await import("@coxswain/controllers");
  return chooseControllers(choice).some(({ name }) => name === serviceAccountController.name);
}
