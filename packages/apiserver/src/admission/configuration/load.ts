/**
 * The AdmissionConfiguration: what plugins are configured with, in the document itself or in files that it names.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
import { isObject, messageOf, parseYaml } from "@coxswain/machinery";
import type { AdmissionPluginConfigurations } from "../../contracts/admission-configuration.ts";
import type { KubeconfigReader } from "../../contracts/webhook-credentials.ts";
import { decodeDocument, UnknownKindError } from "./decode-document.ts";
import { ConfigurationError, pluginConfigurations } from "./plugin-configurations.ts";

export interface LoadAdmissionOptions {
  /** The names of the plugins that are on: nobody reads what is for others. */
  readonly enabled: readonly string[];
  /** Reads a file that the document names, by a path that may be relative to the document's. */
  readonly readPath: (path: string) => Promise<string>;
  /** Reads the kubeconfigs that configurations of plugins name. */
  readonly kubeconfigs: KubeconfigReader;
}

/** @param text undefined where there is no document @throws Error in Kubernetes' words */
export async function loadAdmissionConfiguration(
  text: string | undefined,
  { enabled, readPath, kubeconfigs }: LoadAdmissionOptions,
): Promise<AdmissionPluginConfigurations> {
  const textOf = await readDocument(text, readPath);
  let all: AdmissionPluginConfigurations = {};
  for (const [name, read] of pluginConfigurations) {
    if (!enabled.includes(name)) continue;
    const own = await textOf(name);
    try {
      all = { ...all, ...(await read(own, kubeconfigs)) };
    } catch (error) {
      const what = error instanceof ConfigurationError ? "failed to initialize" : "couldn't init";
      throw new Error(`${what} admission plugin ${JSON.stringify(name)}: ${messageOf(error)}`, { cause: error });
    }
  }
  return all;
}

interface PluginEntry {
  readonly name?: string;
  readonly path?: string;
  readonly configuration?: unknown;
}

/** What the document has for a plugin. */
type TextOf = (name: string) => Promise<string | undefined>;

const kinds = [
  {
    kind: "AdmissionConfiguration",
    versions: ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"],
    type: "AdmissionConfiguration",
  },
];

async function readDocument(text: string | undefined, readPath: LoadAdmissionOptions["readPath"]): Promise<TextOf> {
  if (text === undefined) return async () => undefined;
  try {
    const { plugins = [] } = (await decodeDocument(text, { kinds })) as { readonly plugins?: readonly PluginEntry[] };
    return async (name) => {
      const { path = "", configuration } = plugins.find((plugin) => plugin.name === name) ?? {};
      if (configuration !== undefined) return JSON.stringify(configuration);
      return path === "" ? undefined : await readPath(path);
    };
  } catch (error) {
    if (error instanceof UnknownKindError && (await isOfOnePlugin(text))) return async (name) => (older.includes(name) ? text : undefined);
    throw new Error(`failed to read plugin config: ${messageOf(error)}`, { cause: error });
  }
}

/** Before there was AdmissionConfiguration, the file was that of one plugin. */
async function isOfOnePlugin(text: string): Promise<boolean> {
  const document = await parseYaml(text);
  return isObject(document) && ("podNodeSelectorPluginConfig" in document || "imagePolicy" in document);
}

const older = ["PodNodeSelector", "ImagePolicyWebhook"];
