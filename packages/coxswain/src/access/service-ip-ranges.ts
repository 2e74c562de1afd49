/** From which ranges Services get their addresses. What is wrong is said in kube-apiserver's words. */
import { isIPv6 } from "node:net";
import { parseServiceIpRanges, type ServiceIpRanges } from "@coxswain/apiserver";
import type { Options } from "../options/cluster-options.ts";
import { StartError } from "../process/start-error.ts";

/** @throws StartError */
export function serviceIpRangesOf({ serviceClusterIpRange }: Pick<Options, "serviceClusterIpRange">): ServiceIpRanges {
  try {
    return parseServiceIpRanges(serviceClusterIpRange);
  } catch (error) {
    throw error instanceof RangeError ? new StartError(error.message, { cause: error }) : error;
  }
}

/**
 * Service `default/kubernetes` has an address of the first range, and leads to where the server is reached.
 * @throws StartError where these are of different families
 */
export function checkAdvertised({ cidrs: [primary], families: [family] }: ServiceIpRanges, advertised: string | undefined): void {
  if (advertised === undefined || isIPv6(advertised) === (family === "IPv6")) return;
  throw new StartError(`service IP family "${primary}" must match public address family "${advertised}"`);
}
