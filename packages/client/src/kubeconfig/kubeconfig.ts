/**
 * The file with the addresses of clusters and the credentials for them.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
import { messageOf, parseYaml } from "@coxswain/machinery";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { Reader } from "./reader.ts";

/**
 * A kubeconfig, read: entries by name, with every absent text as an empty one.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  /** Empty when none is chosen. */
  readonly currentContext: string;
}

/** Where a cluster is, and by what its certificate is checked. */
export interface KubeconfigCluster {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** A path. */
  readonly certificateAuthority: string;
  readonly certificateAuthorityData: Uint8Array | undefined;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** What credential plugins get about the cluster, whatever it is. */
  readonly execConfig: unknown;
}

/** By what a user proves who they are; empty fields are not used. */
export interface KubeconfigUser {
  /** Paths. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly tokenFile: string;
  readonly clientCertificateData: Uint8Array | undefined;
  readonly clientKeyData: Uint8Array | undefined;
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly impersonate: Impersonation;
  readonly exec: ExecConfig | undefined;
  /** The name of an old way to sign in that only Go programs can have built in. */
  readonly authProvider: string;
}

/** The user to impersonate; all empty for none. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * The program that a user's credentials come from.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export interface ExecConfig {
  /** A path when there is a slash in it, otherwise looked for in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

/** Names of a cluster and a user that go together, and a namespace; each may be empty. */
export interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** A user without credentials, who is anonymous to the server. */
export const emptyUser: KubeconfigUser = {
  clientCertificate: "",
  clientKey: "",
  tokenFile: "",
  clientCertificateData: undefined,
  clientKeyData: undefined,
  token: "",
  username: "",
  password: "",
  impersonate: { user: "", uid: "", groups: [], extra: {} },
  exec: undefined,
  authProvider: "",
};

/** A kubeconfig without any entry. */
export const emptyKubeconfig: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: "" };

/**
 * YAML or JSON. Fields that are not known are left alone: other programs keep things here too.
 * `at` says which file it is, in errors; `resolvePath` turns the paths in it, which are relative to it, into others.
 * @throws KubeconfigError
 */
export async function parseKubeconfig(
  text: string,
  { at = "kubeconfig", resolvePath = (path) => path }: { readonly at?: string; readonly resolvePath?: (path: string) => string } = {},
): Promise<Kubeconfig> {
  const root = new Reader(at, await readYaml(text, at));
  const [apiVersion, kind] = [root.text("apiVersion"), root.text("kind")];
  if ((apiVersion !== "" && apiVersion !== "v1") || (kind !== "" && kind !== "Config")) {
    throw new KubeconfigError(
      `${at}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}: a kubeconfig is a Config of v1`,
    );
  }
  const resolve = (path: string): string => (path === "" ? "" : resolvePath(path));
  return {
    clusters: named(root, "clusters", "cluster", (cluster) => readCluster(cluster, resolve)),
    users: named(root, "users", "user", (user) => readUser(user, resolve)),
    contexts: named(root, "contexts", "context", readContext),
    currentContext: root.text("current-context"),
  };
}

async function readYaml(text: string, at: string): Promise<unknown> {
  try {
    return (await parseYaml(text)) ?? {};
  } catch (error) {
    throw new KubeconfigError(`${at}: ${messageOf(error)}`, { cause: error });
  }
}

function named<T>(root: Reader, list: string, member: string, read: (value: Reader) => T): Map<string, T> {
  const found = new Map<string, T>();
  for (const entry of root.list(list)) {
    const name = entry.text("name");
    if (found.has(name)) throw new KubeconfigError(`${root.at}: duplicate name ${JSON.stringify(name)} in ${list}`);
    found.set(name, read(entry.member(member)));
  }
  return found;
}

const readCluster = (cluster: Reader, resolve: (path: string) => string): KubeconfigCluster => ({
  server: cluster.text("server"),
  tlsServerName: cluster.text("tls-server-name"),
  insecureSkipTlsVerify: cluster.flag("insecure-skip-tls-verify"),
  certificateAuthority: resolve(cluster.text("certificate-authority")),
  certificateAuthorityData: cluster.bytes("certificate-authority-data"),
  proxyUrl: cluster.text("proxy-url"),
  disableCompression: cluster.flag("disable-compression"),
  execConfig: cluster
    .list("extensions")
    .find((one) => one.text("name") === execExtension)
    ?.raw("extension"),
});

const execExtension = "client.authentication.k8s.io/exec";

const readUser = (user: Reader, resolve: (path: string) => string): KubeconfigUser => ({
  clientCertificate: resolve(user.text("client-certificate")),
  clientKey: resolve(user.text("client-key")),
  tokenFile: resolve(user.text("tokenFile")),
  clientCertificateData: user.bytes("client-certificate-data"),
  clientKeyData: user.bytes("client-key-data"),
  token: user.text("token"),
  username: user.text("username"),
  password: user.text("password"),
  impersonate: {
    user: user.text("as"),
    uid: user.text("as-uid"),
    groups: user.texts("as-groups"),
    extra: user.member("as-user-extra").textLists(),
  },
  exec: user.has("exec") ? readExec(user.member("exec"), resolve) : undefined,
  authProvider: user.has("auth-provider") ? user.member("auth-provider").text("name") || "unnamed" : "",
});

function readExec(exec: Reader, resolve: (path: string) => string): ExecConfig {
  const command = exec.text("command");
  const apiVersion = exec.text("apiVersion");
  return {
    command: command.includes("/") ? resolve(command) : command,
    args: exec.texts("args"),
    env: exec.list("env").map((one) => ({ name: one.text("name"), value: one.text("value") })),
    apiVersion,
    installHint: exec.text("installHint"),
    provideClusterInfo: exec.flag("provideClusterInfo"),
    interactiveMode: exec.text("interactiveMode") || (apiVersion === "client.authentication.k8s.io/v1beta1" ? "IfAvailable" : ""),
  };
}

const readContext = (context: Reader): KubeconfigContext => ({
  cluster: context.text("cluster"),
  user: context.text("user"),
  namespace: context.text("namespace"),
});
