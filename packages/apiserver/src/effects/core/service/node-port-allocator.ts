/**
 * Node ports: Kubernetes' portallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
import type { RandomSource } from "@coxswain/machinery";
import { defaultNodePorts, includesPort, type PortRange, portRangeText } from "../../../configuration/port-range.ts";
import { AllocatedValues } from "./allocated-values.ts";
import { findFree, type Range } from "./range.ts";

export interface NodePortAllocatorOptions {
  readonly random: RandomSource;
  readonly ports?: PortRange;
  /** Whether a port is in use, whoever has it. */
  readonly isRecorded?: (port: number) => boolean;
}

export class NodePortAllocator {
  readonly ports: PortRange;
  readonly values: AllocatedValues;
  readonly #range: Range;
  readonly #random: RandomSource;

  constructor({ random, ports = defaultNodePorts, isRecorded = () => false }: NodePortAllocatorOptions) {
    this.ports = ports;
    this.values = new AllocatedValues((value) => isRecorded(Number(value)));
    this.#range = rangeOf(ports);
    this.#random = random;
  }

  /** Held from then on, or what is wrong. @param owner the stored Service that is written */
  allocate(port: number, owner: string | undefined): Disposable | string {
    const value = String(port);
    const isOwn = this.values.isOwn(value, owner);
    if (!isOwn && !this.#range.has(value))
      return `provided port is not in the valid range. The range of valid ports is ${this.#range.text}`;
    if (!isOwn && this.values.isUsed(value)) return portAllocated;
    return this.values.hold(value);
  }

  /** Undefined when all are in use. */
  next(): number | undefined {
    const value = findFree(this.#range, (one) => this.values.isUsed(one), this.#random);
    return value === undefined ? undefined : Number(value);
  }
}

export const portAllocated = "provided port is already allocated";

function rangeOf(ports: PortRange): Range {
  const size = ports.last - ports.first + 1;
  return {
    text: portRangeText(ports),
    size: BigInt(size),
    staticSize: BigInt(staticSizeOf(size)),
    at: (index) => String(BigInt(ports.first) + index),
    has: (value) => includesPort(ports, Number(value)),
  };
}

/** Kubernetes' `min(max(16, size/32), 128)`, but for ranges that are too small for it. */
const staticSizeOf = (size: number): number => (size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128));
