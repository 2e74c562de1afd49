/**
 * Tokens with which new nodes join a cluster, and the rights that their holders need for that.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
import { type Client, clusterRoleBindings, secrets } from "@coxswain/client";
import { isAlreadyExists, wireTime } from "@coxswain/machinery";

/** The group that kubeadm gives to the tokens it makes. */
export const defaultTokenGroup = "system:bootstrappers:kubeadm:default-node-token";

const namespace = "kube-system";
const secretType = "bootstrap.kubernetes.io/token";
const usagePrefix = "usage-bootstrap-";

export interface BootstrapToken {
  /** `ID.SECRET` */
  readonly token: string;
  /** In the form of the wire; undefined: never. */
  readonly expires: string | undefined;
  readonly usages: readonly string[];
  readonly groups: readonly string[];
  readonly description: string;
}

/** As Kubernetes writes them: six and sixteen characters. */
export const isBootstrapToken = (text: string): boolean => /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text);

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** @param bytesOf so many that nobody can foresee */
export function generateToken(bytesOf: (count: number) => Uint8Array): string {
  const text = (length: number): string => {
    let made = "";
    // Bytes that would make some characters likelier than others are not used.
    while (made.length < length)
      for (const byte of bytesOf(length)) if (byte < 252 && made.length < length) made += alphabet[byte % alphabet.length];
    return made;
  };
  return `${text(6)}.${text(16)}`;
}

const secretNameOf = (id: string): string => `bootstrap-token-${id}`;

/** @throws StatusError, where there is one with its id too */
export async function createBootstrapToken(client: Client, { token, expires, usages, groups, description }: BootstrapToken): Promise<void> {
  const [id = "", secret = ""] = token.split(".");
  await client.resource(secrets, namespace).create({
    metadata: { name: secretNameOf(id), namespace },
    type: secretType,
    stringData: {
      "token-id": id,
      "token-secret": secret,
      ...(expires === undefined ? {} : { expiration: expires }),
      ...Object.fromEntries(usages.map((usage) => [`${usagePrefix}${usage}`, "true"])),
      ...(groups.length === 0 ? {} : { "auth-extra-groups": groups.join(",") }),
      ...(description === "" ? {} : { description }),
    },
  });
}

/** By their ids. */
export async function listBootstrapTokens(client: Client): Promise<BootstrapToken[]> {
  const { items } = await client.resource(secrets, namespace).list({ fieldSelector: `type=${secretType}` });
  return items.map(({ data = {} }) => {
    const read = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
    return {
      token: `${read("token-id")}.${read("token-secret")}`,
      expires: read("expiration") || undefined,
      usages: Object.keys(data)
        .filter((key) => key.startsWith(usagePrefix) && read(key) === "true")
        .map((key) => key.slice(usagePrefix.length))
        .sort(),
      groups: read("auth-extra-groups")
        .split(",")
        .filter((group) => group !== ""),
      description: read("description"),
    };
  });
}

/** @throws StatusError where there is none */
export async function deleteBootstrapToken(client: Client, id: string): Promise<void> {
  await client.resource(secrets, namespace).delete(secretNameOf(id));
}

/** When a token of so many milliseconds ends; 0: never. */
export const expiryOf = (ttlMs: number, now: number): string | undefined => (ttlMs === 0 ? undefined : wireTime(now + ttlMs));

/** By the names that kubeadm gives them. */
const bindings = [
  ["kubeadm:kubelet-bootstrap", "system:node-bootstrapper", defaultTokenGroup],
  ["kubeadm:node-autoapprove-bootstrap", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", defaultTokenGroup],
  ["kubeadm:node-autoapprove-certificate-rotation", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"],
] as const;

/** Lets holders of tokens request a node's first certificate, and nodes their next one, without anybody's approval. */
export async function bindJoiningRoles(client: Client): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  for (const [name, role, group] of bindings) {
    try {
      await client.resource(clusterRoleBindings).create({
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup, kind: "Group", name: group }],
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
