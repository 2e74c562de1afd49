/** Routes to the Pods of other nodes. The kernel notes with each who has made it: others are left alone. */
import { messageOf } from "@coxswain/machinery";
import type { Ip } from "../namespaces/links.ts";
import type { PodRoute } from "./desired-network.ts";

/** A number of `/etc/iproute2/rt_protos` that nobody else has. */
const protocol = "171";

interface Listed {
  readonly dst?: string;
  readonly gateway?: string;
}

/** What cannot be made, as where a node is in another network, is said and does not keep the others from it. @throws ProgramError */
export async function ensureRoutes(ip: Ip, wanted: readonly PodRoute[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const family of ["-4", "-6"]) {
    const there = new Map((await listed(ip, family)).map(({ dst = "", gateway = "" }) => [withLength(dst), gateway]));
    const ofFamily = wanted.filter(({ to }) => to.includes(":") === (family === "-6"));
    for (const to of there.keys())
      if (!ofFamily.some((route) => route.to === to)) await ip(family, "route", "delete", to, "proto", protocol);
    for (const { to, via } of ofFamily)
      if (there.get(to) !== (via ?? ""))
        await ip(family, "route", "replace", ...wayTo(to, via), "proto", protocol).catch((error: unknown) => {
          problems.push(`${to} via ${via ?? "nobody"}: ${messageOf(error)}`);
        });
  }
  return problems;
}

const wayTo = (to: string, via: string | undefined): readonly string[] => (via === undefined ? ["unreachable", to] : [to, "via", via]);

/** Whatever was made. @throws ProgramError */
export const removeRoutes = async (ip: Ip): Promise<void> => void (await ensureRoutes(ip, []));

/** None where the kernel knows no such family. */
async function listed(ip: Ip, family: string): Promise<readonly Listed[]> {
  const text = await ip(family, "-json", "route", "show", "proto", protocol);
  return text.trim() === "" ? [] : JSON.parse(text);
}

/** That of a single address is not printed. */
const withLength = (dst: string): string => (dst.includes("/") ? dst : `${dst}/${dst.includes(":") ? 128 : 32}`);
