/** What a resourceFieldRef stands for: a limit or request of a container, counted in the divisor, rounded up. */
import type { coreV1 } from "@coxswain/api";
import { parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import type { Container, Pod } from "../pod/pod.ts";

type Amounts = Readonly<Record<string, string>>;

/** What a container is not limited in, it may take from the whole node. */
const fromNode = ["cpu", "memory", "ephemeral-storage"];

/** `own` is meant where the selector names no container. @throws Error in Kubernetes' words */
export function resourceValue(pod: Pod, selector: coreV1.ResourceFieldSelector, own: Container | undefined, allocatable: Amounts): string {
  const { containerName = "", resource } = selector;
  const container = containerName === "" ? own : findContainer(pod, containerName);
  if (container === undefined) throw new Error(`container ${containerName} not found`);
  const [, which, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/.exec(resource) ?? [];
  if (which === undefined || name === undefined) throw new Error(`unsupported container resource : ${resource}`);
  const stated = read(container.resources?.[which === "limits" ? "limits" : "requests"]?.[name]);
  const lacking = which === "limits" && (stated === undefined || stated.sign() === 0) && fromNode.includes(name);
  const amount = (lacking ? read(allocatable[name]) : undefined) ?? stated ?? quantityOf(0);
  const given = read(selector.divisor);
  const divisor = given === undefined || given.sign() === 0 ? quantityOf(1) : given;
  return String(name === "cpu" ? ceil(amount.milli(), divisor.milli()) : ceil(amount.value(), divisor.value()));
}

const findContainer = ({ spec }: Pod, name: string): Container | undefined =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((one) => one.name === name);

const read = (text: string | undefined): Quantity | undefined => (text === undefined ? undefined : parseQuantity(text));

const ceil = (amount: bigint, divisor: bigint): bigint => (amount <= 0n || divisor <= 0n ? 0n : (amount + divisor - 1n) / divisor);
