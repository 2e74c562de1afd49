/** What a kubeconfig says of its user now: whoever writes it anew does so before the credentials in it end. */
import { readFile } from "node:fs/promises";
import type { Clock } from "@coxswain/machinery";
import type { ClusterAccess } from "../kubeconfig/choose.ts";
import type { KubeconfigUser } from "../kubeconfig/kubeconfig.ts";
import type { Credential, Credentials } from "../transport/credentials.ts";
import { keepCredential, periodMs, tokenIn } from "./file-credentials.ts";
import { renewedCredentials } from "./renewed-credentials.ts";

/** Loads the kubeconfig again, and chooses from it as before. */
export type ReloadAccess = () => Promise<ClusterAccess>;

/** What cannot be read leaves the last credential as it is. @throws Error when there is none yet */
export const followedCredentials = (
  reload: ReloadAccess,
  authorizationOf: (user: KubeconfigUser) => string | undefined,
  clock: Clock,
): Credentials =>
  renewedCredentials(clock, async (last) => {
    const expiresAt = clock.now() + periodMs;
    try {
      const { user } = await reload();
      return { credential: keepCredential(last, await credentialOf(user, authorizationOf(user))), expiresAt };
    } catch (error) {
      if (last === undefined) throw error;
      return { credential: last, expiresAt };
    }
  });

async function credentialOf(user: KubeconfigUser, authorization: string | undefined): Promise<Credential> {
  const hasCertificate = user.clientCertificate !== "" || user.clientCertificateData !== undefined;
  return {
    authorization: user.tokenFile === "" ? authorization : await tokenIn(user.tokenFile, authorization),
    certificate: hasCertificate
      ? {
          cert: user.clientCertificateData ?? (await readFile(user.clientCertificate)),
          key: user.clientKeyData ?? (await readFile(user.clientKey)),
        }
      : undefined,
  };
}
