/**
 * What expressions call `authorizer`: asks the server's own authorizer about the user of the request, or about a service account.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library
 */
import type { AuthorizerDecision, AuthorizerQuestion, ExpressionAuthorizer } from "@coxswain/cel";
import { messageOf } from "@coxswain/machinery";
import { readFieldSelector, readLabelSelector } from "../../authorization/read-selector.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";

/** Ends an evaluation that has to wait for an answer: with it, the expression is evaluated anew. */
export class PendingDecision extends Error {
  readonly settled: Promise<void>;
  constructor(settled: Promise<void>) {
    super("the authorizer has not answered yet");
    this.name = "PendingDecision";
    this.settled = settled;
  }
}

type Decisions = Map<string, AuthorizerDecision>;

/** For one request: what was answered is not asked again. */
export const createExpressionAuthorizer = (authorize: Authorizer, user: UserInfo): ExpressionAuthorizer =>
  authorizerFor(authorize, user, new Map());

const authorizerFor = (authorize: Authorizer, user: UserInfo, known: Decisions): ExpressionAuthorizer => ({
  check: (question) => {
    const key = JSON.stringify([user.name, question]);
    const answered = known.get(key);
    if (answered !== undefined) return answered;
    try {
      const decision = authorize(attributesOf(user, question));
      if (decision instanceof Promise) throw new PendingDecision(keepAnswer(decision, (made) => known.set(key, made)));
      const made = decided(decision);
      known.set(key, made);
      return made;
    } catch (error) {
      if (error instanceof PendingDecision) throw error;
      return failed(error);
    }
  },
  serviceAccount: (namespace, name) => authorizerFor(authorize, serviceAccountUser(namespace, name), known),
});

async function keepAnswer(decision: Promise<Decision>, keep: (made: AuthorizerDecision) => void): Promise<void> {
  try {
    keep(decided(await decision));
  } catch (error) {
    keep(failed(error));
  }
}

const decided = ({ kind, reason, error }: Decision): AuthorizerDecision => ({
  allowed: kind === "allow",
  reason,
  ...(error === undefined ? {} : { error }),
});
const failed = (error: unknown): AuthorizerDecision => ({ allowed: false, reason: "", error: messageOf(error) });

const serviceAccountUser = (namespace: string, name: string): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid: "",
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  extra: {},
});

/** A resource of any version. A selector that cannot be read restricts nothing. */
function attributesOf(user: UserInfo, question: AuthorizerQuestion): AuthorizationAttributes {
  if (question.kind === "path") return { user, verb: question.verb, kind: "path", path: question.path };
  const { verb, group, resource, subresource, namespace, name } = question;
  const fieldSelector = readFieldSelector(question.fieldSelector).requirements;
  const labelSelector = readLabelSelector(question.labelSelector).requirements;
  const selectors = { fieldSelector, labelSelector };
  return { user, verb, kind: "resource", group, version: "*", resource, subresource, namespace, name, ...selectors };
}
