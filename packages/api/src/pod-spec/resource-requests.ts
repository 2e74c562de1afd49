/**
 * What a Pod asks its node for, in all.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
 */
import { parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import type { Container, Pod, PodSpec, ResourceRequirements } from "@coxswain/types/core-v1";
import { isSidecar } from "./visit-containers.ts";

type Amounts = Readonly<Record<string, string>>;
/** Amounts by the name of the resource: `cpu`, `memory`. */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;

/** How the requests of a Pod are added up. */
export interface RequestOptions {
  /** What each container that says nothing of it is taken to ask for. */
  readonly missing?: ResourceAmounts;
  /** Whether what runs counts where it differs from what is wanted: a resize under way. Default: true. */
  readonly actual?: boolean;
}

/** Containers, init containers, sidecars, overhead, and what is asked for the Pod as a whole in their stead. */
export function podRequests(pod: Readonly<Pod>, { missing, actual = true }: RequestOptions = {}): Map<string, Quantity> {
  const { spec, status } = pod;
  if (spec === undefined) return new Map();
  const resized = actual ? resizedContainers(pod) : undefined;
  const infeasible = resized !== undefined && isResizeInfeasible(pod);
  const total = sumContainers(spec, (container, index) => {
    const wanted = container.resources?.requests;
    const found = index === undefined || isSidecar(container) ? resized?.get(container.name) : undefined;
    const amounts = found === undefined ? read(wanted) : inEffect(wanted, found, infeasible);
    if (missing !== undefined) for (const [name, amount] of missing) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  });
  if (spec.resources?.requests !== undefined) {
    const whole = { resources: status?.resources, allocatedResources: status?.allocatedResources };
    const wanted = spec.resources.requests;
    const effective = actual && status?.resources !== undefined ? inEffect(wanted, whole, isResizeInfeasible(pod)) : read(wanted);
    for (const name of Object.keys(wanted)) if (isPodLevelResource(name)) total.set(name, effective.get(name) ?? zero);
  }
  addTo(total, read(spec.overhead));
  return total;
}

/** Whether the Pod as a whole asks for something, beside its containers. */
export const requestsAsPod = ({ spec }: Readonly<Pod>): boolean =>
  Object.keys(spec?.resources?.requests ?? {}).some((name) => isPodLevelResource(name));

/** Resources that a Pod may ask for as a whole. @see https://kep.k8s.io/2837 */
export const isPodLevelResource = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/** Counted in whole units under a name: extended resources, huge pages, attachable volumes. */
export const isScalarResource = (name: string): boolean =>
  name.startsWith("hugepages-") ||
  name.startsWith("attachable-volumes-") ||
  (name.includes("/") && (!name.startsWith("requests.") || name.includes("kubernetes.io/")));

/**
 * What is needed at the worst moment: all that run together, or an init container beside the sidecars started before it.
 * `amountsOf` is given the index of init containers only; what it returns is not kept.
 */
export function sumContainers(
  spec: Readonly<PodSpec>,
  amountsOf: (container: Readonly<Container>, initIndex: number | undefined) => ResourceAmounts,
): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) addTo(total, amountsOf(container, undefined));
  if (spec.initContainers === undefined) return total;
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  spec.initContainers.forEach((container, index) => {
    const amounts = amountsOf(container, index);
    if (isSidecar(container)) {
      addTo(total, amounts);
      addTo(sidecars, amounts);
      raiseTo(peak, sidecars);
    } else {
      const together = new Map(sidecars);
      addTo(together, amounts);
      raiseTo(peak, together);
    }
  });
  raiseTo(total, peak);
  return total;
}

/** What a text that is no quantity says is not counted. */
export function readAmounts(amounts: Amounts | undefined): Map<string, Quantity> {
  const result = new Map<string, Quantity>();
  if (amounts === undefined) return result;
  for (const [name, text] of Object.entries(amounts)) {
    const amount = parseQuantity(text);
    if (amount !== undefined) result.set(name, amount);
  }
  return result;
}

const read = readAmounts;
const zero = quantityOf(0);

interface Found {
  readonly resources?: Readonly<ResourceRequirements> | undefined;
  readonly allocatedResources?: Amounts | undefined;
}

/** Containers whose status says what they really have. */
function resizedContainers({ status }: Readonly<Pod>): Map<string, Found> | undefined {
  let found: Map<string, Found> | undefined;
  for (const statuses of [status?.containerStatuses, status?.initContainerStatuses]) {
    for (const one of statuses ?? []) {
      if (one.resources === undefined) continue;
      found ??= new Map();
      found.set(one.name, one);
    }
  }
  return found;
}

/** A resize that cannot be asks for nothing; any other counts before it is done, and after until it is. */
function inEffect(wanted: Amounts | undefined, { resources, allocatedResources }: Found, infeasible: boolean): Map<string, Quantity> {
  const result = infeasible ? new Map<string, Quantity>() : read(wanted);
  raiseTo(result, read(resources?.requests));
  raiseTo(result, read(allocatedResources));
  return result;
}

/** @see https://kep.k8s.io/1287 */
const isResizeInfeasible = ({ status }: Readonly<Pod>): boolean =>
  status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";

function addTo(total: Map<string, Quantity>, amounts: ResourceAmounts): void {
  for (const [name, amount] of amounts) total.set(name, total.get(name)?.add(amount) ?? amount);
}

function raiseTo(total: Map<string, Quantity>, peak: ResourceAmounts): void {
  for (const [name, amount] of peak) {
    const sum = total.get(name);
    if (sum === undefined || sum.compare(amount) < 0) total.set(name, amount);
  }
}
