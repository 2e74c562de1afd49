import { age, tableOf } from "../instances/status-text.ts";
import type { BootstrapToken } from "../nodes/bootstrap-tokens.ts";

/** The columns of `kubeadm token list`. */
export const tokensText = (tokens: readonly BootstrapToken[], now: number): string =>
  tableOf([["TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"], ...tokens.map((token) => cellsOf(token, now))]);

function cellsOf({ token, expires, usages, description, groups }: BootstrapToken, now: number): string[] {
  const left = expires === undefined ? undefined : Date.parse(expires) - now;
  const ttl = left === undefined ? "<forever>" : left > 0 ? age(left) : "<expired>";
  const shown = (text: string): string => (text === "" ? "<none>" : text);
  return [token, ttl, expires ?? "<never>", shown(usages.join(",")), shown(description), shown(groups.join(","))];
}
