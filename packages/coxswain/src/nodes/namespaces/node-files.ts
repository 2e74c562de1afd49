/** By what a node and the API server know each other, as files that its kubelet reads. They change while it runs. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ContentProvider } from "@coxswain/apiserver";
import { DisposableStack } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import { writePrivately } from "../../access/private-file.ts";

/** As it is now, and later ones. */
export interface NodeCredentials {
  /** With which it asks the API server. */
  readonly client: ContentProvider<KeyPair>;
  /** With which its own server serves. */
  readonly serving: ContentProvider<KeyPair>;
  /** In PEM: who signs the API server's certificate. */
  readonly serverAuthority: ContentProvider<string>;
  /** In PEM: who signs the certificates of those that may ask it. */
  readonly clientAuthority: ContentProvider<string>;
}

export interface NodeFiles extends Disposable {
  readonly kubeconfig: string;
  readonly clientAuthority: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
}

/** They follow what they are made of until it is disposed of. */
export function writeNodeFiles(folder: string, server: string, credentials: NodeCredentials): NodeFiles {
  const { client, serving, serverAuthority, clientAuthority } = credentials;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (name: string): string => join(folder, name);
  using stack = new DisposableStack();
  const keep = <T>(provider: ContentProvider<T>, write: (value: T) => void): void => {
    write(provider.current);
    stack.use(provider.subscribe(write));
  };
  const [servingCertificate, servingKey] = [path("kubelet.crt"), path("kubelet.key")];
  keep(clientAuthority, (pem) => writePrivately(path("client-ca.crt"), pem));
  keep(serverAuthority, (pem) => writePrivately(path("ca.crt"), pem));
  // Both in one file, so that nobody reads the one of now with the other of before.
  keep(client, ({ cert, key }) => writePrivately(path("kubelet-client.pem"), `${cert}${key}`));
  // The key first: who finds it without its certificate waits for that.
  keep(serving, ({ cert, key }) => {
    writePrivately(servingKey, key);
    writePrivately(servingCertificate, cert);
  });
  const kubeconfig = path("kubeconfig");
  writePrivately(kubeconfig, kubeconfigText(server, path("ca.crt"), path("kubelet-client.pem")));
  const owned = stack.move();
  return {
    kubeconfig,
    clientAuthority: path("client-ca.crt"),
    servingCertificate,
    servingKey,
    [Symbol.dispose]: () => owned.dispose(),
  };
}

/** JSON, which is YAML too. */
function kubeconfigText(server: string, authority: string, certificate: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster: { server, "certificate-authority": authority } }],
    users: [{ name: "default-auth", user: { "client-certificate": certificate, "client-key": certificate } }],
    contexts: [{ name: "default-context", context: { cluster: "default-cluster", user: "default-auth" } }],
    "current-context": "default-context",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
