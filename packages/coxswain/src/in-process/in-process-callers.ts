/** Who asks from within the process of the server. */
import { type Authenticator, authenticated, type HttpRequest, unclaimed } from "@coxswain/apiserver";

/** Who asks. The group `system:authenticated` is added. */
export interface InProcessUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/**
 * Knows the requests that came from within the process. They are identified by the request object itself, so nothing that
 * comes over a network can claim to be one of them, whatever it sends.
 */
export class InProcessCallers {
  readonly #callers = new WeakMap<object, InProcessUser>();

  /** To be the first of the server's authenticators. */
  readonly authenticator: Authenticator = (request) => {
    const user = this.#callers.get(request);
    if (user === undefined) return unclaimed;
    return authenticated({ name: user.name, uid: user.uid ?? user.name, groups: user.groups ?? [], extra: {} });
  };

  /** Has the request come from this user. */
  vouch(request: HttpRequest, user: InProcessUser): void {
    this.#callers.set(request, user);
  }
}

/** A service account of the namespace kube-system. */
export const systemServiceAccount = (name: string): InProcessUser => ({
  name: `system:serviceaccount:kube-system:${name}`,
  groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system"],
});
