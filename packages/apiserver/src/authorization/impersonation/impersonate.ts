/**
 * Lets a user act as another where each part of the other is allowed: name, uid, groups and extras. The modes of constrained
 * impersonation come before the verb `impersonate`, which allows whatever the other may do.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer } from "../../contracts/authorizer.ts";
import { notAuthorized } from "../forbidden.ts";
import { invalidExtra } from "./invalid-extra.ts";
import { isNameAlone, nodeOf, serviceAccountOf } from "./user-names.ts";

interface Mode {
  /** Who may be impersonated in this mode. */
  readonly suits: (wanted: UserInfo, requestor: UserInfo) => boolean;
  /** Undefined for the verb `impersonate` alone, with which nothing else is looked at. */
  readonly name: string | undefined;
}

const nodeNameKey = "authentication.kubernetes.io/node-name";

const modes: readonly Mode[] = [
  { name: "associated-node", suits: (wanted, requestor) => isNameAlone(wanted) && isOnNode(requestor, wanted.name) },
  { name: "arbitrary-node", suits: (wanted) => isNameAlone(wanted) && nodeOf(wanted.name) !== undefined },
  { name: "serviceaccount", suits: (wanted) => isNameAlone(wanted) && serviceAccountOf(wanted.name) !== undefined },
  { name: "user-info", suits: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined },
  { name: undefined, suits: () => true },
];

/** Whether it is a service account whose token is bound to that node. */
function isOnNode({ name, extra }: UserInfo, wanted: string): boolean {
  const node = nodeOf(wanted);
  const [own, ...more] = extra[nodeNameKey] ?? [];
  return node !== undefined && serviceAccountOf(name) !== undefined && own === node && more.length === 0;
}

export interface Impersonated {
  readonly user: UserInfo;
  /** The verb by which it was allowed; empty for the verb `impersonate`. */
  readonly constraint: string;
}

/** Returns the user that the request is served as. @throws forbidden(), as the first mode that suits says it */
export async function impersonate(authorize: Authorizer, wanted: UserInfo, request: AuthorizationAttributes): Promise<Impersonated> {
  let refusal: unknown;
  for (const mode of modes) {
    if (!mode.suits(wanted, request.user)) continue;
    try {
      const user = await new Impersonation(authorize, mode.name, request).act(wanted);
      return { user, constraint: mode.name === undefined ? "" : `impersonate:${mode.name}` };
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

/** So many groups or values are asked for together first. */
const many = 4;
const authentication = { group: "authentication.k8s.io", version: "v1" };

class Impersonation {
  readonly #authorize: Authorizer;
  readonly #mode: string | undefined;
  readonly #request: AuthorizationAttributes;

  constructor(authorize: Authorizer, mode: string | undefined, request: AuthorizationAttributes) {
    this.#authorize = authorize;
    this.#mode = mode;
    this.#request = request;
  }

  async act(wanted: UserInfo): Promise<UserInfo> {
    if (this.#mode !== undefined) {
      await this.#require({ ...this.#request, user: this.#requestor(), verb: `impersonate-on:${this.#mode}:${this.#request.verb}` });
    }
    const groups = await this.#checkName(wanted);
    if (wanted.uid !== "") await this.#require(this.#on("uids", { ...authentication, name: wanted.uid }));
    await this.#checkGroups(wanted.groups);
    await this.#checkExtra(wanted.extra);
    return { ...wanted, groups: withEverybody(wanted.name, groups) };
  }

  /** Returns the groups of the user, which those of nodes and service accounts follow from. */
  async #checkName({ name, groups }: UserInfo): Promise<readonly string[]> {
    const account = serviceAccountOf(name);
    const node = this.#mode === undefined ? undefined : nodeOf(name);
    if (account !== undefined) {
      await this.#require(this.#on("serviceaccounts", { ...this.#userGroup(), ...account }));
      return groups.length > 0 ? groups : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
    }
    if (node !== undefined) {
      const isAnyNode = this.#mode === "associated-node";
      await this.#require(this.#on("nodes", { ...this.#userGroup(), name: isAnyNode ? "*" : node }));
      return ["system:nodes"];
    }
    await this.#require(this.#on("users", { ...this.#userGroup(), name }));
    return groups;
  }

  async #checkGroups(groups: readonly string[]): Promise<void> {
    const on = (name: string): AuthorizationAttributes => this.#on("groups", { ...this.#userGroup(), name });
    if (this.#mode !== undefined) {
      if (groups.includes("")) throw notAuthorized(on(""), "impersonating the empty string group is not allowed");
      if (groups.includes("system:masters")) {
        throw notAuthorized(on("system:masters"), "impersonating the system:masters group is not allowed");
      }
      if (groups.length >= many && (await this.#allows(on("*")))) return;
    }
    for (const group of groups) await this.#require(on(group));
  }

  async #checkExtra(extra: UserInfo["extra"]): Promise<void> {
    const entries = Object.entries(extra);
    if (entries.length === 0) return;
    const on = (key: string, name: string): AuthorizationAttributes =>
      this.#on("userextras", { ...authentication, subresource: key, name });
    if (this.#mode !== undefined) {
      const invalid = invalidExtra(entries);
      if (invalid !== undefined) throw notAuthorized(on("", ""), invalid);
      const values = entries.reduce((sum, [, list]) => sum + list.length, 0);
      if ((entries.length >= many || values >= many) && (await this.#allows(on("*", "*")))) return;
    }
    for (const [key, values] of entries) for (const value of values) await this.#require(on(key, value));
  }

  /** The group in which users and groups are resources. */
  #userGroup(): { readonly group: string; readonly version: string } {
    return this.#mode === undefined ? { group: "", version: "v1" } : authentication;
  }

  #on(
    resource: string,
    on: {
      readonly group: string;
      readonly version: string;
      readonly name: string;
      readonly namespace?: string;
      readonly subresource?: string;
    },
  ): AuthorizationAttributes {
    const verb = this.#mode === undefined ? "impersonate" : `impersonate:${this.#mode}`;
    return { kind: "resource", user: this.#requestor(), verb, resource, namespace: "", subresource: "", ...on };
  }

  /** The answer for one node is to hold for every other that a pod of the account runs on. */
  #requestor(): UserInfo {
    const { user } = this.#request;
    if (this.#mode !== "associated-node") return user;
    return { ...user, extra: { "authentication.kubernetes.io/associated-node-keys": Object.keys(user.extra).sort() } };
  }

  async #allows(attributes: AuthorizationAttributes): Promise<boolean> {
    return (await this.#authorize(attributes)).kind === "allow";
  }

  /** @throws forbidden() */
  async #require(attributes: AuthorizationAttributes): Promise<void> {
    const { kind, reason } = await this.#authorize(attributes);
    if (kind !== "allow") throw notAuthorized(attributes, reason);
  }
}

/** With the group of all who have said who they are, or of all who have not. */
function withEverybody(name: string, groups: readonly string[]): readonly string[] {
  const isUnauthenticated = name === "system:anonymous" || groups.includes("system:unauthenticated");
  const userGroup = isUnauthenticated ? "system:unauthenticated" : "system:authenticated";
  return groups.includes(userGroup) ? groups : [...groups, userGroup];
}
