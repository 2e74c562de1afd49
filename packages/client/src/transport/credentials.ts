/** What proves to a server who is asking. Transports ask for it before each request, so it may change at any time. */
import type { Cancellable } from "./cancellable.ts";

/** What proves to a server who is asking: a header, a certificate, or both. */
export interface Credential {
  /** The value of the Authorization header. */
  readonly authorization?: string | undefined;
  /** For TLS; a page cannot use one. */
  readonly certificate?: ClientCertificate | undefined;
}

/** PEM, both. Another object is another certificate: connections made with the last one take no more requests. */
export interface ClientCertificate {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

/** A source of credentials, which may change at any time. */
export interface Credentials {
  /** The same object for as long as it is the same credential. */
  current(opts?: Cancellable): Promise<Credential>;
  /** The server did not accept this one: makes a new one unless there is one already. Absent where there is nothing to renew. */
  renew?(refused: Credential, opts?: Cancellable): Promise<void>;
}

/** Makes a source that always gives this credential and renews nothing. */
export const fixedCredential = (credential: Credential): Credentials => ({ current: () => Promise.resolve(credential) });

/**
 * Sends with the present credential and, when the server does not know who that is, once more with a renewed one.
 * `statusOf` returns the status of an answer; `discard` is called with one that is given up for the second attempt.
 */
export async function withCredential<T>(
  credentials: Credentials,
  send: (credential: Credential) => Promise<T>,
  { statusOf, discard, signal }: { statusOf: (answer: T) => number; discard: (answer: T) => void; signal?: AbortSignal | undefined },
): Promise<T> {
  const first = await credentials.current({ signal });
  const answer = await send(first);
  if (statusOf(answer) !== 401 || credentials.renew === undefined) return answer;
  const second = await renewed(credentials, first, signal);
  if (second === undefined || second === first) return answer;
  discard(answer);
  return send(second);
}

/** Nothing new is no reason to keep the 401 from the caller: it says more than the second failure of a plugin. */
async function renewed(credentials: Credentials, refused: Credential, signal: AbortSignal | undefined): Promise<Credential | undefined> {
  try {
    await credentials.renew?.(refused, { signal });
    return await credentials.current({ signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}
