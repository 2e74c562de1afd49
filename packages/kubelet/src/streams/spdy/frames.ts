/** Frames of SPDY/3.1 as bytes. */

export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** No more data follows from whoever sent the frame. */
export const flagFin = 0x01;
/** Nothing comes back on the stream. */
export const flagUnidirectional = 0x02;

export const resetCodes = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  cancel: 5,
  internalError: 6,
  flowControlError: 7,
} as const;
export type ResetCode = (typeof resetCodes)[keyof typeof resetCodes];

export const headBytes = 8;
export const maxStreamId = 0x7fffffff;
/** In SETTINGS: how much a stream may send before a WINDOW_UPDATE. */
const initialWindowSize = 7;
/** Before anything is said. */
export const defaultWindowBytes = 64 * 1024;

export function dataFrame(id: number, data: Uint8Array, fin: boolean): Uint8Array {
  const frame = Buffer.allocUnsafe(headBytes + data.byteLength);
  frame.writeUInt32BE(id, 0);
  frame.writeUInt32BE(data.byteLength, 4);
  frame[4] = fin ? flagFin : 0;
  frame.set(data, headBytes);
  return frame;
}

function control(type: number, payload: Uint8Array, flags = 0): Uint8Array {
  const frame = Buffer.allocUnsafe(headBytes + payload.byteLength);
  frame.writeUInt16BE(0x8003, 0);
  frame.writeUInt16BE(type, 2);
  frame.writeUInt32BE(payload.byteLength, 4);
  frame[4] = flags;
  frame.set(payload, headBytes);
  return frame;
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, i) => void bytes.writeUInt32BE(value, i * 4));
  return bytes;
}

/** `block`: packed headers, in the order in which they were packed. */
export const synStream = (id: number, block: Uint8Array, fin: boolean): Uint8Array =>
  control(frameTypes.synStream, Buffer.concat([words(id, 0), Buffer.alloc(2), block]), fin ? flagFin : 0);
export const synReply = (id: number, block: Uint8Array): Uint8Array => control(frameTypes.synReply, Buffer.concat([words(id), block]));
export const rstStream = (id: number, code: ResetCode): Uint8Array => control(frameTypes.rstStream, words(id, code));
export const ping = (id: number): Uint8Array => control(frameTypes.ping, words(id));
/** `broken`: it was the peer's fault. */
export const goAway = (lastId: number, broken: boolean): Uint8Array => control(frameTypes.goAway, words(lastId, broken ? 1 : 0));
export const windowUpdate = (id: number, bytes: number): Uint8Array => control(frameTypes.windowUpdate, words(id, bytes));
export const windowSetting = (bytes: number): Uint8Array => control(frameTypes.settings, words(1, initialWindowSize, bytes));

/** The window in SETTINGS. */
export function windowIn(payload: Buffer): number | undefined {
  const count = payload.length < 4 ? 0 : payload.readUInt32BE(0);
  for (let i = 0, at = 4; i < count && at + 8 <= payload.length; i++, at += 8) {
    if ((payload.readUInt32BE(at) & 0xffffff) === initialWindowSize) return payload.readUInt32BE(at + 4);
  }
  return undefined;
}
