/**
 * Tokens of service accounts for Pods, each asked for once and renewed before it ends.
 * @see https://kubernetes.io/docs/concepts/storage/projected-volumes/#serviceaccounttoken
 */
import type { authenticationV1 } from "@coxswain/api";
import { type Client, serviceAccounts } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";

export interface PodTokenRequest {
  readonly namespace: string;
  readonly account: string;
  /** Empty: the API server's own. */
  readonly audience: string;
  readonly expirationSeconds: number;
  readonly pod: { readonly name: string; readonly uid: string };
}

export interface PodToken {
  readonly token: string;
  /** When it should be requested again; milliseconds since the epoch. */
  readonly renewAt: number;
}

/**
 * The token manager gets the tokens of service accounts for Pods.
 * @see https://kubernetes.io/docs/concepts/storage/projected-volumes/#serviceaccounttoken
 */
export interface TokenManager {
  /** An old one while it still counts, when a new one is not to be had. */
  getServiceAccountToken(wanted: PodTokenRequest, signal: AbortSignal): Promise<PodToken>;
  /** Forgets the tokens of a Pod. */
  deleteServiceAccountTokens(podUid: string): void;
}

interface Kept extends PodToken {
  readonly expiresAt: number;
}

const maxMs = 24 * 60 * 60 * 1000;
const maxJitterMs = 10_000;
/** After a failure the old token serves so long before the next attempt. */
const retryMs = 10_000;

/** Makes a manager of service account tokens: each is asked for once and renewed after 80 % of its life. */
export function createTokenManager(client: Client, log: { warn(fields: object, message: string): void }): TokenManager {
  const { clock, random } = client;
  const kept = new Map<string, Map<string, Kept>>();

  async function get(wanted: PodTokenRequest, signal: AbortSignal): Promise<PodToken> {
    const tokens = kept.get(wanted.pod.uid) ?? new Map<string, Kept>();
    const key = JSON.stringify([wanted.namespace, wanted.account, wanted.audience, wanted.expirationSeconds]);
    const old = tokens.get(key);
    if (old !== undefined && clock.now() < old.renewAt) return old;
    try {
      const fresh = await request(wanted, signal);
      kept.set(wanted.pod.uid, tokens.set(key, fresh));
      return fresh;
    } catch (error) {
      if (old === undefined) throw new Error(`failed to fetch token: ${messageOf(error)}`, { cause: error });
      if (clock.now() >= old.expiresAt) {
        const what = `token ${JSON.stringify(wanted.account)} for namespace ${JSON.stringify(wanted.namespace)}`;
        throw new Error(`${what} expired and refresh failed: ${messageOf(error)}`, { cause: error });
      }
      log.warn({ error, namespace: wanted.namespace, account: wanted.account }, "failed to renew the token of a Pod");
      return { token: old.token, renewAt: clock.now() + retryMs };
    }
  }

  async function request({ namespace, account, audience, expirationSeconds, pod }: PodTokenRequest, signal: AbortSignal): Promise<Kept> {
    const body: authenticationV1.TokenRequest = {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      spec: {
        ...(audience === "" ? {} : { audiences: [audience] }),
        expirationSeconds,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid },
      },
    };
    const answer = await client.resource(serviceAccounts, namespace).subresource(account, "token").create(body, { signal });
    const { status, spec } = answer as authenticationV1.TokenRequest;
    if (!status?.token || status.expirationTimestamp === undefined) throw new Error("the server answered without a token");
    const expiresAt = Date.parse(status.expirationTimestamp);
    const lifeMs = (spec?.expirationSeconds ?? expirationSeconds) * 1000;
    const jitterMs = random.next() * maxJitterMs;
    const renewAt = Math.min(expiresAt - lifeMs * 0.2, expiresAt - lifeMs + maxMs) - jitterMs;
    return { token: status.token, expiresAt, renewAt };
  }

  return { getServiceAccountToken: get, deleteServiceAccountTokens: (podUid) => void kept.delete(podUid) };
}
