/** The plugins that are enabled, with what an admission configuration says to them. */
import type { AdmissionChoice } from "../contracts/admission.ts";
import type { KubeconfigReader } from "../contracts/webhook-credentials.ts";
import { enabledPlugins } from "./plugins.ts";

/** What `--admission-control-config-file` names. */
export interface AdmissionConfigurationFile {
  readonly text: string;
  /** Reads a file that it names, by a path that may be relative to its own. */
  readonly readPath: (path: string) => Promise<string>;
  readonly kubeconfigs: KubeconfigReader;
}

/** Those that cannot be without a configuration. */
const needy = ["EventRateLimit", "ImagePolicyWebhook"];

const none: AdmissionConfigurationFile["kubeconfigs"] = {
  users: () => Promise.reject(new Error("there are no kubeconfigs")),
  access: () => Promise.reject(new Error("there are no kubeconfigs")),
};

/** Checks the configuration, and that each plugin has what it needs. @param file undefined for none @throws Error in Kubernetes' words */
export async function configuredAdmission(choice: AdmissionChoice, file: AdmissionConfigurationFile | undefined): Promise<AdmissionChoice> {
  const enabled = enabledPlugins(choice).map(({ name }) => name);
  if (file === undefined && !needy.some((name) => enabled.includes(name))) return choice;
  // What it takes to read one is loaded with the first: most servers have none.
  const { loadAdmissionConfiguration } = await import("./configuration/load.ts");
  const { readPath = async () => "", kubeconfigs = none } = file ?? {};
  return { ...choice, configuration: await loadAdmissionConfiguration(file?.text, { enabled, readPath, kubeconfigs }) };
}
