/** The real clock and the real dice. Entry points make them and hand them down. */
import type { Clock, RandomSource } from "./clock.ts";

const maxDelayMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(afterMs, fn) {
    const handle: { unref?: () => void } & ReturnType<typeof setTimeout> = setTimeout(fn, Math.min(afterMs, maxDelayMs));
    return { unref: () => handle.unref?.(), [Symbol.dispose]: () => clearTimeout(handle) };
  },
};

const hexDigits = "0123456789abcdef";
const hyphen = 0x2d;

/** The machine's source of randomness. */
export const systemRandom: RandomSource = {
  next: () => Math.random(),
  uuid: uuidSource(),
};

/** UUIDs of version 4, each one piece of text: what `crypto.randomUUID` puts together of twenty takes ten times the memory for as long as it is kept. */
function uuidSource(): () => string {
  const bytes = new Uint8Array(16 * 128);
  const text = new Array<number>(36).fill(hyphen);
  let at = bytes.length;
  return () => {
    if (at === bytes.length) {
      crypto.getRandomValues(bytes);
      at = 0;
    }
    for (let i = 0, to = 0; i < 16; i++) {
      const byte = bytes[at++] ?? 0;
      const marked = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
      if (i === 4 || i === 6 || i === 8 || i === 10) to++;
      text[to++] = hexDigits.charCodeAt(marked >> 4);
      text[to++] = hexDigits.charCodeAt(marked & 0x0f);
    }
    return String.fromCharCode(...text);
  };
}
