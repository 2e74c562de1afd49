/**
 * Which node ports are in use, as kube-apiserver keeps it in its store: a RangeAllocation whose data are one number, lowest port in the
 * lowest bit, highest byte first.
 */
import type { KubeObject } from "@coxswain/machinery";
import { includesPort, type PortRange, parsePortRange, portRangeText } from "../../../configuration/port-range.ts";
import { encodeObject, textOf } from "../../../storage/stored-object.ts";

export const nodePortsKey = "/registry/ranges/servicenodeports";

interface RangeAllocation {
  readonly kind?: string;
  readonly range?: string;
  readonly data?: string | null;
}

export class PortBitmap {
  readonly range: PortRange;
  /** Highest byte first, with no zeros before it. */
  readonly #data: Uint8Array;

  private constructor(range: PortRange, data: Uint8Array) {
    this.range = range;
    this.#data = data;
  }

  static of(range: PortRange, ports: Iterable<number>): PortBitmap {
    return new PortBitmap(range, new Uint8Array(0)).with(ports, []);
  }

  /** Undefined for what is none. */
  static parse(value: Uint8Array): PortBitmap | undefined {
    try {
      const { kind, range, data } = JSON.parse(textOf(value)) as RangeAllocation;
      return kind === "RangeAllocation" ? new PortBitmap(parsePortRange(String(range)), Buffer.from(data ?? "", "base64")) : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  has(port: number): boolean {
    if (!includesPort(this.range, port)) return false;
    const bit = port - this.range.first;
    return ((this.#data[this.#data.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  ports(): number[] {
    const { first, last } = this.range;
    return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((port) => this.has(port));
  }

  /** Ports out of the range have no bit. */
  with(used: Iterable<number>, free: Iterable<number>): PortBitmap {
    const { first, last } = this.range;
    const data = new Uint8Array(Math.ceil((last - first + 1) / 8));
    data.set(this.#data.subarray(-data.length), data.length - Math.min(data.length, this.#data.length));
    const byteOf = (port: number): number => data.length - 1 - ((port - first) >> 3);
    const maskOf = (port: number): number => 1 << ((port - first) & 7);
    const change = (ports: Iterable<number>, changed: (byte: number, mask: number) => number): void => {
      for (const port of ports) if (includesPort(this.range, port)) data[byteOf(port)] = changed(data[byteOf(port)] ?? 0, maskOf(port));
    };
    change(free, (byte, mask) => byte & ~mask);
    change(used, (byte, mask) => byte | mask);
    const start = data.findIndex((byte) => byte !== 0);
    return new PortBitmap(this.range, start < 0 ? data.subarray(data.length) : data.subarray(start));
  }

  /** As it is stored. */
  encode(): Uint8Array {
    const data = Buffer.from(this.#data).toString("base64");
    return encodeObject({ kind: "RangeAllocation", apiVersion: "v1", metadata: {}, range: portRangeText(this.range), data } as KubeObject);
  }
}
