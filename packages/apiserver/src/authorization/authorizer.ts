/** Authorizers that need nothing, and several as one. */
import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** Members of `system:masters` may do everything: no rule can lock the cluster's owner out. */
export const systemMastersAuthorizer: Authorizer = ({ user }) => (user.groups.includes("system:masters") ? allow : noOpinion);

/** Every user may do everything, as kube-apiserver's mode `AlwaysAllow`. */
export const alwaysAllowAuthorizer: Authorizer = () => allow;

/** The first that allows or denies decides; where none does, the reasons of all are given, a line for each. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return (attributes, signal) => askFrom(authorizers, 0, { attributes, signal, reasons: [] });
}

interface Asked {
  readonly attributes: AuthorizationAttributes;
  readonly signal: AbortSignal | undefined;
  readonly reasons: string[];
}

/** Waits for none that answers at once. */
function askFrom(authorizers: readonly Authorizer[], first: number, asked: Asked): Decision | Promise<Decision> {
  for (let i = first; i < authorizers.length; i++) {
    const answer = authorizers[i]?.(asked.attributes, asked.signal) ?? noOpinion;
    if (answer instanceof Promise) return answer.then((known) => decided(known, asked) ?? askFrom(authorizers, i + 1, asked));
    const known = decided(answer, asked);
    if (known !== undefined) return known;
  }
  return asked.reasons.length === 0 ? noOpinion : { kind: "noOpinion", reason: asked.reasons.join("\n") };
}

function decided(decision: Decision, { reasons }: Asked): Decision | undefined {
  if (decision.kind !== "noOpinion") return decision;
  if (decision.reason !== "") reasons.push(decision.reason);
  return undefined;
}
