import type { UserInfo } from "../../contracts/authenticator.ts";

const prefix = "system:node:";

/** Undefined for who is no node; empty for a node without a name. */
export function nodeOf({ name, groups }: Pick<UserInfo, "name" | "groups">): string | undefined {
  return name.startsWith(prefix) && groups.includes("system:nodes") ? name.slice(prefix.length) : undefined;
}
