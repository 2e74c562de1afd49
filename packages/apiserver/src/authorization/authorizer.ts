/** Authorizers that need nothing, and several as one. */

import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";
import { aggregate } from "./rbac/rbac-authorizer.ts";

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** Members of `system:masters` may do everything: no rule can lock the cluster's owner out. */
export const systemMastersAuthorizer: Authorizer = ({ user }) => (user.groups.includes("system:masters") ? allow : noOpinion);

/** Every user may do everything, as kube-apiserver's mode `AlwaysAllow`. */
export const alwaysAllowAuthorizer: Authorizer = () => allow;

/** The first that allows or denies decides; where none does, the reasons of all are given, a line for each, and what went wrong. */
export const unionAuthorizer =
  (authorizers: readonly Authorizer[]): Authorizer =>
  (attributes, signal) =>
    askFrom(authorizers, beginning, attributes, signal);

interface Progress {
  readonly first: number;
  readonly reasons: readonly string[];
  readonly errors: readonly string[];
}

const beginning: Progress = { first: 0, reasons: [], errors: [] };

/** Waits for none that answers at once, and makes nothing for the first that decides: every request comes by here. */
function askFrom(
  authorizers: readonly Authorizer[],
  { first, reasons: known, errors: failed }: Progress,
  attributes: AuthorizationAttributes,
  signal: AbortSignal | undefined,
): Decision | Promise<Decision> {
  let reasons = known;
  let errors = failed;
  for (let i = first; i < authorizers.length; i++) {
    const answer = authorizers[i]?.(attributes, signal) ?? noOpinion;
    if (answer instanceof Promise) {
      return answer.then((decision) =>
        decision.kind === "noOpinion"
          ? askFrom(
              authorizers,
              { first: i + 1, reasons: withText(reasons, decision.reason), errors: withText(errors, decision.error) },
              attributes,
              signal,
            )
          : decision,
      );
    }
    if (answer.kind !== "noOpinion") return answer;
    reasons = withText(reasons, answer.reason);
    errors = withText(errors, answer.error);
  }
  return undecided(reasons, errors);
}

const withText = (texts: readonly string[], text = ""): readonly string[] => (text === "" ? texts : [...texts, text]);

function undecided(reasons: readonly string[], errors: readonly string[]): Decision {
  if (errors.length > 0) return { kind: "noOpinion", reason: reasons.join("\n"), error: aggregate(errors) };
  return reasons.length === 0 ? noOpinion : { kind: "noOpinion", reason: reasons.join("\n") };
}
