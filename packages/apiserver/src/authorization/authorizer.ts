/** Authorizers that need nothing, and several as one. */
import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** Members of `system:masters` may do everything: no rule can lock the cluster's owner out. */
export const systemMastersAuthorizer: Authorizer = ({ user }) => (user.groups.includes("system:masters") ? allow : noOpinion);

/** Every user may do everything, as kube-apiserver's mode `AlwaysAllow`. */
export const alwaysAllowAuthorizer: Authorizer = () => allow;

/** The first that allows or denies decides; where none does, the reasons of all are given, a line for each. */
export const unionAuthorizer =
  (authorizers: readonly Authorizer[]): Authorizer =>
  (attributes, signal) =>
    askFrom(authorizers, beginning, attributes, signal);

interface Progress {
  readonly first: number;
  readonly reasons: readonly string[];
}

const beginning: Progress = { first: 0, reasons: [] };

/** Waits for none that answers at once, and makes nothing for the first that decides: every request comes by here. */
function askFrom(
  authorizers: readonly Authorizer[],
  { first, reasons: known }: Progress,
  attributes: AuthorizationAttributes,
  signal: AbortSignal | undefined,
): Decision | Promise<Decision> {
  let reasons = known;
  for (let i = first; i < authorizers.length; i++) {
    const answer = authorizers[i]?.(attributes, signal) ?? noOpinion;
    if (answer instanceof Promise) {
      return answer.then((decision) =>
        decision.kind === "noOpinion"
          ? askFrom(authorizers, { first: i + 1, reasons: withReason(reasons, decision) }, attributes, signal)
          : decision,
      );
    }
    if (answer.kind !== "noOpinion") return answer;
    reasons = withReason(reasons, answer);
  }
  return reasons.length === 0 ? noOpinion : { kind: "noOpinion", reason: reasons.join("\n") };
}

const withReason = (reasons: readonly string[], { reason }: Decision): readonly string[] =>
  reason === "" ? reasons : [...reasons, reason];
