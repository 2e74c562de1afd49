import { crc32 } from "node:zlib";

/** Numbers that look random and are the same for the same seed (a linear congruential generator). */
export class Lottery {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  draw(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

/** A value that can be verified to be complete and to belong to its key. Its first 24 characters identify it. */
export function valueFor(key: string, draw: number, length: number): Uint8Array {
  const body = `${key} ${draw} `.padEnd(length, "x");
  return Buffer.from(`${crc32(body).toString(16).padStart(8, "0")} ${String(draw).padStart(14, "0")} ${body}`);
}

export function isWhole(key: string, value: Uint8Array): boolean {
  const text = Buffer.from(value).toString("latin1");
  const body = text.slice(24);
  return body.startsWith(`${key} `) && Number.parseInt(text.slice(0, 8), 16) === crc32(body);
}
