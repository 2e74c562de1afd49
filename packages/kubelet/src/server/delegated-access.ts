/** Asks the API server who a token is and what a caller may do, as kubelets of clusters are set up to. */
import { createHash } from "node:crypto";
import { type Client, subjectAccessReviews, tokenReviews } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import { type Access, type AccessRequest, type Caller, isAdministrator } from "./access.ts";

/** How long an answer holds; as with Kubernetes. Milliseconds. */
const tokenMs = 2 * 60_000;
const allowedMs = 5 * 60_000;
const deniedMs = 30_000;
const maxAnswers = 4_096;

/** Administrators are allowed without a review, also when there is no API server. Rejects when the API server does not answer. */
export function delegatedAccess(client: Client): Access {
  const { clock } = client;
  const callers = new Answers<Caller | undefined>(clock);
  const decisions = new Answers<boolean>(clock);
  return {
    authenticate: (token) =>
      callers.get(createHash("sha256").update(token).digest("base64"), async () => {
        const { status } = await client.resource(tokenReviews).create({ spec: { token } });
        const user = status?.authenticated === true ? status.user : undefined;
        if (user?.username === undefined) return { answer: undefined, holdsMs: 0 };
        const { username: name, groups, uid, extra } = user;
        return {
          answer: { name, groups: groups ?? [], ...(uid == null ? {} : { uid }), ...(extra == null ? {} : { extra }) },
          holdsMs: tokenMs,
        };
      }),
    async allows(caller, request) {
      if (isAdministrator(caller)) return true;
      for (const subresource of request.subresources) if (await allowed(caller, request, subresource)) return true;
      return false;
    },
  };

  function allowed(caller: Caller, { node, verb }: AccessRequest, subresource: string): Promise<boolean> {
    return decisions.get(JSON.stringify([caller, node, verb, subresource]), async () => {
      const { name: user, groups, uid, extra } = caller;
      const { status } = await client.resource(subjectAccessReviews).create({
        spec: {
          user,
          groups: [...groups],
          ...(uid === undefined ? {} : { uid }),
          ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
          resourceAttributes: { verb, group: "", version: "v1", resource: "nodes", subresource, name: node },
        },
      });
      const answer = status?.allowed === true && status.denied !== true;
      return { answer, holdsMs: answer ? allowedMs : deniedMs };
    });
  }
}

interface Held<T> {
  readonly answer: T;
  /** On the monotonic clock. */
  readonly until: number;
}

class Answers<T> {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string, ask: () => Promise<{ readonly answer: T; readonly holdsMs: number }>): Promise<T> {
    const held = this.#held.get(key);
    if (held !== undefined && held.until > this.#clock.monotonic()) return held.answer;
    const { answer, holdsMs } = await ask();
    this.#held.delete(key);
    if (holdsMs > 0) this.#held.set(key, { answer, until: this.#clock.monotonic() + holdsMs });
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxAnswers && oldest !== undefined) this.#held.delete(oldest);
    return answer;
  }
}
