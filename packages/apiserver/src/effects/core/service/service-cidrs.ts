/** Which ranges Services get addresses from: those of the ServiceCIDRs. */
import { ipFamilyOf, type networkingV1, type ServiceIpFamily } from "@coxswain/api";
import { type ServiceRange, serviceRange } from "./service-range.ts";

export interface OfferedRange {
  readonly range: ServiceRange;
  /** Whether addresses of it are given: not once the last of its ServiceCIDRs is to be deleted. */
  readonly isReady: boolean;
}

/** The one that the server keeps itself; it comes first. */
export const defaultServiceCidrName = "kubernetes";

export class ServiceCidrs {
  readonly #byName = new Map<string, Readonly<networkingV1.ServiceCIDR>>();

  put(cidr: Readonly<networkingV1.ServiceCIDR>): void {
    this.#byName.set(cidr.metadata?.name ?? "", cidr);
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  /** Each once, whoever names it. */
  rangesOf(family: ServiceIpFamily): readonly OfferedRange[] {
    const found = new Map<string, OfferedRange>();
    for (const name of [...this.#byName.keys()].sort(byPrecedence)) {
      const serviceCidr = this.#byName.get(name);
      for (const text of serviceCidr?.spec?.cidrs ?? []) {
        const range = ipFamilyOf(text.split("/", 1)[0] ?? "") === family ? serviceRange(text) : undefined;
        if (serviceCidr === undefined || range === undefined) continue;
        const isReady = isOffered(serviceCidr) || found.get(range.text)?.isReady === true;
        found.set(range.text, { range, isReady });
      }
    }
    return [...found.values()];
  }
}

const byPrecedence = (a: string, b: string): number =>
  a === b ? 0 : a === defaultServiceCidrName ? -1 : b === defaultServiceCidrName ? 1 : a < b ? -1 : 1;

/** One without the condition is: where no controller runs, nobody says so. */
function isOffered({ metadata, status }: Readonly<networkingV1.ServiceCIDR>): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True";
}
