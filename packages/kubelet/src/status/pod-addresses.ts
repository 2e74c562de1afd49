/** Where a Pod is, and where it is reached. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";

type Addresses = Pick<coreV1.PodStatus, "hostIP" | "hostIPs" | "podIP" | "podIPs">;

/** A Pod in the host's network has the host's addresses, which it keeps. */
export function podAddresses(pod: Pod, ips: readonly string[], hostIps: readonly string[], reported: coreV1.PodStatus): Addresses {
  const [hostIP] = hostIps;
  const hosts = hostIps.slice(0, 2).map((ip) => ({ ip }));
  const inHostNetwork = pod.spec?.hostNetwork === true;
  const kept = reported.podIPs?.map(({ ip }) => ip) ?? [];
  const own = inHostNetwork ? (kept.length > 0 ? kept : hostIps.slice(0, 2)) : onePerFamily(ips, hostIP);
  const [podIP] = own;
  return {
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: hosts }),
    ...(podIP === undefined ? {} : { podIP, podIPs: own.map((ip) => ({ ip })) }),
  };
}

/** That of the host's family first. */
export function onePerFamily(ips: readonly string[], hostIp: string | undefined): string[] {
  if (ips.length <= 1) return [...ips];
  const isV6 = (ip: string): boolean => ip.includes(":");
  const first = hostIp !== undefined && isV6(hostIp);
  return [ips.find((ip) => isV6(ip) === first), ips.find((ip) => isV6(ip) !== first)].filter((ip) => ip !== undefined);
}
