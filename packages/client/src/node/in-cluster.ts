/**
 * What every container of a Pod is given: where the API server is, and the Pod's own account.
 * @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyUser, type Kubeconfig, type KubeconfigCluster } from "../kubeconfig/kubeconfig.ts";

const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Where to find the environment and the files that a Pod is given; `directory` defaults to the usual one. */
export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory?: string;
}

/** Undefined when this process does not run in a Pod with an account. */
export async function inClusterKubeconfig({ env, directory = accountDirectory }: InClusterOptions): Promise<Kubeconfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  const tokenFile = join(directory, "token");
  if (host === "" || port === "" || (await textIn(tokenFile)) === undefined) return undefined;
  const certificateAuthority = join(directory, "ca.crt");
  const cluster: KubeconfigCluster = {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tlsServerName: "",
    insecureSkipTlsVerify: false,
    certificateAuthority: (await textIn(certificateAuthority)) === undefined ? "" : certificateAuthority,
    certificateAuthorityData: undefined,
    proxyUrl: "",
    disableCompression: false,
    execConfig: undefined,
  };
  const namespace = (await textIn(join(directory, "namespace")))?.trim() ?? "";
  return {
    clusters: new Map([[name, cluster]]),
    users: new Map([[name, { ...emptyUser, tokenFile }]]),
    contexts: new Map([[name, { cluster: name, user: name, namespace }]]),
    currentContext: name,
  };
}

const name = "in-cluster";

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
