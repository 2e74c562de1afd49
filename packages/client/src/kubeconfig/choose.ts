/** From a whole kubeconfig, what one client needs. */
import { validateDns1123Label } from "@coxswain/machinery";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

/** Others than those the file chooses. */
export interface KubeconfigChoice {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** One cluster and one user of a kubeconfig, and the namespace for objects that name none. */
export interface ClusterAccess {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace: string;
}

/**
 * Finds the cluster, the user and the namespace that the kubeconfig and the choice name.
 * @throws KubeconfigError that lists everything wrong with what is chosen; the rest of the file may be as it likes
 */
export function chooseAccess(config: Kubeconfig, choice: KubeconfigChoice = {}): ClusterAccess {
  const name = choice.context || config.currentContext;
  const context = config.contexts.get(name);
  if (name === "" && (!choice.cluster || !choice.user))
    throw new KubeconfigError("no context chosen: the kubeconfig has no current-context");
  if (name !== "" && context === undefined) throw new KubeconfigError(`context was not found for specified context: ${name}`);
  const clusterName = choice.cluster || context?.cluster || "";
  const userName = choice.user || context?.user || "";
  const cluster = config.clusters.get(clusterName);
  const user = config.users.get(userName);
  const namespace = choice.namespace || context?.namespace || "";
  const problems = [
    ...(userName === "" ? [`user was not specified for context ${quote(name)}`] : []),
    ...(clusterName === "" ? [`cluster was not specified for context ${quote(name)}`] : []),
    ...(clusterName !== "" && cluster === undefined ? [`cluster ${quote(clusterName)} was not found for context ${quote(name)}`] : []),
    ...(userName !== "" && user === undefined ? [`user ${quote(userName)} was not found for context ${quote(name)}`] : []),
    ...(namespace !== "" && validateDns1123Label(namespace).length > 0
      ? [`namespace ${quote(namespace)} for context ${quote(name)} does not conform to the kubernetes DNS_LABEL rules`]
      : []),
    ...(cluster === undefined ? [] : clusterProblems(clusterName, cluster)),
    ...(user === undefined ? [] : userProblems(userName, user)),
  ];
  if (cluster === undefined || user === undefined || problems.length > 0)
    throw new KubeconfigError(`invalid configuration: ${problems.join(", ")}`);
  return { cluster, user, namespace: namespace || "default" };
}

const quote = (text: string): string => JSON.stringify(text);

function* clusterProblems(name: string, cluster: KubeconfigCluster): Iterable<string> {
  if (cluster.server === "") yield `no server found for cluster ${quote(name)}`;
  else if (!/^https?:$/.test(schemeOf(cluster.server)))
    yield `server ${quote(cluster.server)} of cluster ${quote(name)} is not an http or https address`;
  if (cluster.proxyUrl !== "" && !/^(https?|socks5):$/.test(schemeOf(cluster.proxyUrl))) {
    yield `invalid 'proxy-url' ${quote(cluster.proxyUrl)} for cluster ${quote(name)}: its scheme must be http, https, or socks5`;
  }
  const hasData = cluster.certificateAuthorityData !== undefined;
  if (cluster.certificateAuthority !== "" && hasData) {
    yield `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`;
  }
  if (cluster.insecureSkipTlsVerify && (hasData || cluster.certificateAuthority !== "")) {
    yield "specifying a root certificates file with the insecure flag is not allowed";
  }
}

const schemeOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : "");

function* userProblems(name: string, user: KubeconfigUser): Iterable<string> {
  const { exec, impersonate } = user;
  const [hasCertificate, hasKey] = [user.clientCertificateData !== undefined, user.clientKeyData !== undefined];
  if (user.token !== "" && (user.username !== "" || user.password !== "")) {
    yield `more than one authentication method found for ${name}; found [token basicAuth], only one is allowed`;
  }
  if (user.clientCertificate !== "" || hasCertificate) {
    if (user.clientCertificate !== "" && hasCertificate) {
      yield `client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`;
    }
    if (user.clientKey !== "" && hasKey)
      yield `client-key-data and client-key are both specified for ${name}; client-key-data will override`;
    if (user.clientKey === "" && !hasKey) {
      yield `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`;
    }
  }
  if (exec !== undefined) {
    const plugin = "to use exec authentication plugin";
    if (user.authProvider !== "") yield `authProvider cannot be provided in combination with an exec plugin for ${name}`;
    if (exec.command === "") yield `command must be specified for ${name} ${plugin}`;
    if (exec.apiVersion === "") yield `apiVersion must be specified for ${name} ${plugin}`;
    else if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(exec.apiVersion))
      yield `exec plugin: invalid apiVersion ${quote(exec.apiVersion)}`;
    if (exec.env.some((one) => one.name === "")) yield `env variable name must be specified for ${name} ${plugin}`;
    if (exec.interactiveMode === "") yield `interactiveMode must be specified for ${name} ${plugin}`;
    else if (!/^(Never|IfAvailable|Always)$/.test(exec.interactiveMode))
      yield `invalid interactiveMode for ${name}: ${quote(exec.interactiveMode)}`;
  } else if (user.authProvider !== "") {
    yield `the auth-provider ${quote(user.authProvider)} of ${name} is not supported; use an exec plugin in its place`;
  }
  if (impersonate.user === "" && (impersonate.uid !== "" || impersonate.groups.length > 0 || Object.keys(impersonate.extra).length > 0)) {
    yield `requesting uid, groups or user-extra for ${name} without impersonating a user`;
  }
}
