/** Users whose names say what they are. */
import { validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The account of `system:serviceaccount:NAMESPACE:NAME`, or undefined. */
export function serviceAccountOf(user: string): ServiceAccountName | undefined {
  const [system, kind, namespace = "", name = "", ...rest] = user.split(":");
  if (system !== "system" || kind !== "serviceaccount" || rest.length > 0) return undefined;
  return validateDns1123Label(namespace).length + validateDns1123Subdomain(name).length === 0 ? { namespace, name } : undefined;
}

const nodePrefix = "system:node:";

/** The node of `system:node:NAME`, or undefined. */
export function nodeOf(user: string): string | undefined {
  const name = user.startsWith(nodePrefix) ? user.slice(nodePrefix.length) : "";
  return name === "" || validateDns1123Subdomain(name).length > 0 ? undefined : name;
}

/** Whether nothing but the name is asked for. */
export const isNameAlone = ({ uid, groups, extra }: UserInfo): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;
