/** Admission plugins as a file configures them. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type AdmissionChoice, configuredAdmission } from "@coxswain/apiserver";
import { messageOf } from "@coxswain/machinery";
import { StartError } from "../process/start-error.ts";

/** Files that it names are relative to it. @param path undefined for none @throws StartError */
export async function configureAdmission(choice: AdmissionChoice, path: string | undefined): Promise<AdmissionChoice> {
  try {
    const readPath = (named: string): Promise<string> => readFile(resolve(dirname(path ?? ""), named), "utf8");
    if (path === undefined) return await configuredAdmission(choice, undefined);
    // What reads kubeconfigs is loaded for who has a configuration.
    const { webhookKubeconfigs: kubeconfigs } = await import("./webhook-kubeconfigs.ts");
    return await configuredAdmission(choice, { text: await readConfiguration(path), readPath, kubeconfigs });
  } catch (error) {
    throw new StartError(`failed to apply admission: ${messageOf(error)}`, { cause: error });
  }
}

async function readConfiguration(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const why = `unable to read admission control configuration from ${JSON.stringify(path)} [${messageOf(error)}]`;
    throw new Error(`failed to read plugin config: ${why}`, { cause: error });
  }
}
