/** What one write of a Service allocates: kept for it while it is under way, or only tried out. */
import type { ServiceIpFamily } from "@coxswain/api";
import { DisposableStack } from "@coxswain/machinery";
import { type NodePortAllocator, portAllocated } from "./node-port-allocator.ts";
import type { NextIp, ServiceIPAllocator } from "./service-ip-allocator.ts";

export interface AllocationRequest {
  /** Of the Service in the store. */
  readonly key: string;
  readonly operation: "create" | "update";
  readonly dryRun: boolean;
}

/** Disposed of once the write is done: what was stored then speaks for itself. */
export interface AllocationOperation extends Disposable {
  /** What is wrong; undefined where nothing is. What the Service has already is its own, and held all the same: it may be deleted meanwhile. */
  allocateIp(family: ServiceIpFamily, ip: string): string | undefined;
  nextIp(family: ServiceIpFamily): NextIp;
  allocatePort(port: number): string | undefined;
  /** Undefined when all are in use. */
  nextPort(): number | undefined;
}

interface Allocators {
  readonly ips: ReadonlyMap<ServiceIpFamily, ServiceIPAllocator>;
  readonly ports: NodePortAllocator;
  /** The stored Service that is written. */
  readonly owner: string | undefined;
}

const full: NextIp = { problem: "range is full" };

export class StoredOperation implements AllocationOperation {
  readonly #allocators: Allocators;
  readonly #held = new DisposableStack();

  constructor(allocators: Allocators) {
    this.#allocators = allocators;
  }

  allocateIp(family: ServiceIpFamily, ip: string): string | undefined {
    const { ips, owner } = this.#allocators;
    return this.#hold(ips.get(family)?.allocate(ip, owner));
  }

  nextIp(family: ServiceIpFamily): NextIp {
    const next = this.#allocators.ips.get(family)?.next() ?? full;
    if ("ip" in next) this.allocateIp(family, next.ip);
    return next;
  }

  allocatePort(port: number): string | undefined {
    const { ports, owner } = this.#allocators;
    return this.#hold(ports.allocate(port, owner));
  }

  nextPort(): number | undefined {
    const port = this.#allocators.ports.next();
    if (port !== undefined) this.allocatePort(port);
    return port;
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }

  #hold(allocated: Disposable | string | undefined): string | undefined {
    if (typeof allocated === "string") return allocated;
    if (allocated !== undefined) this.#held.use(allocated);
    return undefined;
  }
}

/** Ports that no Service has: after the last of the range. */
const firstTriedPort = 32_769;

/** As Kubernetes tries it out: with values that stand for those that would be allocated. */
export class DryRunOperation implements AllocationOperation {
  readonly #allocators: Allocators;
  readonly #ports = new Set<number>();

  constructor(allocators: Allocators) {
    this.#allocators = allocators;
  }

  allocateIp(family: ServiceIpFamily, ip: string): string | undefined {
    const { ips, owner } = this.#allocators;
    return ips.get(family)?.tryAllocate(ip, owner);
  }

  nextIp(family: ServiceIpFamily): NextIp {
    return this.#allocators.ips.get(family)?.tryNext() ?? full;
  }

  allocatePort(port: number): string | undefined {
    const {
      ports: { values },
      owner,
    } = this.#allocators;
    if (values.isOwn(String(port), owner)) return undefined;
    if (values.isUsed(String(port)) || this.#ports.has(port)) return portAllocated;
    this.#ports.add(port);
    return undefined;
  }

  nextPort(): number {
    const port = this.#ports.size === 0 ? firstTriedPort : Math.max(...this.#ports) + 1;
    this.#ports.add(port);
    return port;
  }

  [Symbol.dispose](): void {
    this.#ports.clear();
  }
}
