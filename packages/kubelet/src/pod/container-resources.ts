/**
 * What a container has, beside what it was given: runtimes report it in shares and quotas.
 * @see https://kep.k8s.io/1287
 */
import type { coreV1 } from "@coxswain/api";
import { parseQuantity, quantityOf } from "@coxswain/machinery";
import type { LinuxResources } from "../runtime/runtime-config.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { Container } from "./pod.ts";

type Resources = coreV1.ResourceRequirements;
type Amounts = Record<string, string>;

/** Less than this is the same as this. */
const minShares = 2;
const minMilliCpuLimit = 10;
const sharesPerCpu = 1024;

/** As the API has it. `reported` is what was reported of this same container before, which stays where the runtime reports nothing. */
export function resourcesOf(
  { resources }: Container,
  { state, resources: actual }: ContainerStatus,
  reported: Resources | undefined,
): Resources {
  if (resources === undefined) return {};
  if (state !== "running") return resources;
  const { limits, requests } = resources;
  return {
    ...resources,
    ...(limits === undefined ? {} : { limits: actualLimits(limits, actual, reported?.limits) }),
    ...(requests === undefined ? {} : { requests: actualRequests(requests, actual, reported?.requests) }),
  };
}

function actualLimits(given: Amounts, actual: LinuxResources | undefined, reported: Amounts | undefined): Amounts {
  const { cpuQuota = 0, cpuPeriod = 0, memoryLimitBytes = 0 } = actual ?? {};
  const limits = { ...given };
  const milliCpu = cpuQuota > 0 && cpuPeriod > 0 ? Math.round((cpuQuota * 1000) / cpuPeriod) : undefined;
  setCpu(limits, milliCpu, minMilliCpuLimit, reported);
  if (memoryLimitBytes > 0) setAmount(limits, "memory", memoryLimitBytes, 0);
  else if (reported?.memory !== undefined) limits.memory = reported.memory;
  return limits;
}

/** Nothing reports how much memory was requested. */
function actualRequests(given: Amounts, actual: LinuxResources | undefined, reported: Amounts | undefined): Amounts {
  const { cpuShares = 0 } = actual ?? {};
  const requests = { ...given };
  setCpu(requests, cpuShares > 0 ? Math.ceil((cpuShares * 1000) / sharesPerCpu) : undefined, minShares, reported);
  return requests;
}

function setCpu(amounts: Amounts, milliCpu: number | undefined, least: number, reported: Amounts | undefined): void {
  if (milliCpu === undefined) {
    if (reported?.cpu !== undefined) amounts.cpu = reported.cpu;
  } else if (milliCpu > least || milliOf(amounts.cpu) > least) setAmount(amounts, "cpu", milliCpu, -3);
}

const milliOf = (text: string | undefined): number => Number((text === undefined ? undefined : parseQuantity(text))?.milli() ?? 0);

/** Keeps the text where it says the same. */
function setAmount(amounts: Amounts, name: string, value: number, exponent: number): void {
  const given = amounts[name];
  const quantity = quantityOf(Math.round(value), exponent === 0 ? "BinarySI" : "DecimalSI", exponent);
  if (given === undefined || parseQuantity(given)?.compare(quantity) !== 0) amounts[name] = quantity.toString();
}
