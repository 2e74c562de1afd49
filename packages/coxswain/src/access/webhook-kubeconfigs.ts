/** Kubeconfigs that say where admission webhooks are and as whom the server comes to them. */
import { readFile } from "node:fs/promises";
import type { FileOrText, KubeconfigReader, WebhookCredentials } from "@coxswain/apiserver";
import { chooseAccess, type KubeconfigCluster, type KubeconfigUser } from "@coxswain/client";
import { loadKubeconfig } from "@coxswain/client/node";
import { goQuote } from "@coxswain/machinery";

/** An empty path stands for the kubeconfig of kubectl, as with kube-apiserver. */
const load = (path: string) => loadKubeconfig(path === "" ? {} : { paths: [path] });

export const webhookKubeconfigs: KubeconfigReader = {
  async users(path) {
    const { users, contexts, currentContext } = await load(path);
    const byName = Object.fromEntries([...users].map(([name, user]) => [name, credentialsOf(user, `user ${goQuote(name)}`)]));
    const current = byName[contexts.get(currentContext)?.user ?? ""];
    return { byName, ...(current === undefined ? {} : { current }) };
  },
  async access(path) {
    const { cluster, user } = chooseAccess(await load(path));
    if (cluster.proxyUrl !== "") throw new Error("webhooks are not asked through a proxy: proxy-url is not supported");
    return {
      url: cluster.server,
      caBundle: Buffer.from(await authorityOf(cluster)).toString("base64"),
      serverName: cluster.tlsServerName,
      isUnchecked: cluster.insecureSkipTlsVerify,
      credentials: credentialsOf(user, "the user"),
    };
  },
};

async function authorityOf({ certificateAuthority, certificateAuthorityData }: KubeconfigCluster): Promise<Uint8Array> {
  if (certificateAuthorityData !== undefined) return certificateAuthorityData;
  return certificateAuthority === "" ? new Uint8Array() : await readFile(certificateAuthority);
}

/** @throws Error for what this server does not do at webhooks */
function credentialsOf(user: KubeconfigUser, who: string): WebhookCredentials {
  const { exec, authProvider, impersonate, username, password } = user;
  if (authProvider !== "") throw new Error("auth provider not supported");
  if (exec !== undefined) throw new Error(`${who} has its credentials from a program, which is not supported at webhooks`);
  if (impersonate.user !== "") throw new Error(`${who} impersonates another, which is not supported at webhooks`);
  return {
    certificate: fileOrText(user.clientCertificate, user.clientCertificateData),
    key: fileOrText(user.clientKey, user.clientKeyData),
    token: { ...(user.tokenFile === "" ? {} : { path: user.tokenFile }), ...(user.token === "" ? {} : { text: user.token }) },
    username,
    password,
  };
}

/** What stands in the kubeconfig itself goes before a file. */
function fileOrText(path: string, data: Uint8Array | undefined): FileOrText {
  if (data !== undefined) return { text: Buffer.from(data).toString("utf8") };
  return path === "" ? {} : { path };
}
