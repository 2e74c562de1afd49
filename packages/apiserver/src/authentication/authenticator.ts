/** Authenticators made of others, and what they have in common. */
import type { Authentication, Authenticator, IncomingRequest, UserInfo } from "../contracts/authenticator.ts";

const everyone = "system:authenticated";
const unauthenticated = "system:unauthenticated";

/** Whoever has proven a name is in the group of all who have; a proxy may pass on requests of those who have not. */
export function authenticated(user: UserInfo): Extract<Authentication, { kind: "authenticated" }> {
  const { name, groups } = user;
  const isWhole = name === anonymous.name || groups.includes(everyone) || groups.includes(unauthenticated);
  return { kind: "authenticated", user: isWhole ? user : { ...user, groups: [...groups, everyone] } };
}

/** The answer to requests that carry nothing that an authenticator understands. */
export const unclaimed: Authentication = { kind: "unclaimed" };

/** Who asks without saying who they are. */
export const anonymous: UserInfo = { name: "system:anonymous", uid: "", groups: [unauthenticated], extra: {} };

/**
 * Asks one after another; the first that knows the user wins. A rejection counts only if no later one knows the user,
 * so that two kinds of bearer token can stand side by side.
 */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return (request) => ask(authenticators, request, 0, noReasons);
}

const noReasons: readonly string[] = [];

/** Goes on from `at`, at once as long as no authenticator returns a promise. */
function ask(
  authenticators: readonly Authenticator[],
  request: IncomingRequest,
  at: number,
  before: readonly string[],
): Authentication | Promise<Authentication> {
  let reasons = before;
  for (const [i, authenticate] of authenticators.entries()) {
    if (i < at) continue;
    const answer = authenticate(request);
    if (answer instanceof Promise) {
      return answer.then((known) => (known.kind === "authenticated" ? known : ask(authenticators, request, i + 1, noted(reasons, known))));
    }
    if (answer.kind === "authenticated") return answer;
    reasons = noted(reasons, answer);
  }
  return reasons.length === 0
    ? unclaimed
    : { kind: "rejected", reason: reasons.length === 1 ? `${reasons[0]}` : `[${reasons.join(", ")}]` };
}

const noted = (reasons: readonly string[], answer: Authentication): readonly string[] =>
  answer.kind !== "rejected" || reasons.includes(answer.reason) ? reasons : [...reasons, answer.reason];

/** Lets credentials that name no audience count for this server only. */
export function forAudiences(audiences: readonly string[], authenticate: Authenticator): Authenticator {
  return (request) => (request.audiences === undefined ? authenticate(request) : limited(request, request.audiences));

  async function limited(request: IncomingRequest, wanted: readonly string[]): Promise<Authentication> {
    const answer = await authenticate(request);
    if (answer.kind !== "authenticated" || answer.audiences !== undefined) return answer;
    const shared = wanted.filter((audience) => audiences.includes(audience));
    return shared.length === 0 ? { kind: "rejected", reason: "invalid bearer token" } : { ...answer, audiences: shared };
  }
}
