/** What a client of a command or a port sends over SPDY: streams, or the end of the connection with an error of the protocol. */
import assert from "node:assert/strict";
import type { Random } from "../../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget, inputOf } from "../../../../../tests/fuzz/harness/target.ts";
import { FrameReader } from "./frame-reader.ts";
import { dataFrame, frameTypes, goAway, ping, rstStream, synReply, synStream, windowIn, windowSetting, windowUpdate } from "./frames.ts";
import { HeaderPacker, HeaderUnpacker } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

function opened(): string {
  const packer = new HeaderPacker();
  const frames = [1, 3].map((id) => synStream(id, packer.pack({ streamtype: "data", port: "80" }), false));
  return inputOf(Buffer.concat([...frames, dataFrame(1, Buffer.from("hello"), true)]));
}

function frame(random: Random): Uint8Array {
  const id = random.pick([0, 1, 2, 3, 0x7fffffff]);
  const block = new HeaderPacker().pack({
    streamtype: random.pick(["data", "error", "stdin", ""]),
    [random.pick(["port", "a", "x-y"])]: "1",
  });
  return random.pick([
    () => synStream(id, block, random.oneIn(2)),
    () => synReply(id, block),
    () => dataFrame(id, Buffer.alloc(random.below(300), "d"), random.oneIn(3)),
    () => rstStream(id, 1),
    () => ping(id),
    () => goAway(id, random.oneIn(2)),
    () => windowUpdate(id, random.pick([0, 1, 0x7fffffff])),
    () => windowSetting(random.below(100_000)),
  ])();
}

export const target: FuzzTarget = {
  name: "spdy-frames",
  modules: ["kubelet/src/streams/spdy"],
  bytes: true,
  dictionary: [
    "\x80\x03\0\x01",
    "\x80\x03\0\x02",
    "\x80\x03\0\x04",
    "\x80\x03\0\x06",
    "\0\0\0\x01",
    "\0\0\0\x03",
    "\xff\xff\xff",
    "\0\0\0\0",
  ],
  seeds: [opened(), inputOf(Buffer.concat([ping(1), windowUpdate(1, 100), goAway(1, false)]))],
  generate: (random) => inputOf(Buffer.concat(Array.from({ length: 1 + random.below(6) }, () => frame(random)))),
  judge(input) {
    const bytes = Buffer.from(bytesOf(input));
    const whole = read([bytes]);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 5) }, (_, i) => bytes.subarray(5 * i, 5 * i + 5));
    assert.deepEqual(read(pieces), whole, "pieces say something else than the whole");
    return whole.at(-1) !== "refused";
  },
};

interface Data {
  readonly id: number;
  fin: boolean;
  text: string;
}

/** The frames, with the headers in them; data, which comes in pieces, together. */
function read(chunks: readonly Buffer[]): readonly unknown[] {
  const said: unknown[] = [];
  let data: Data | undefined;
  try {
    const reader = new FrameReader();
    const headers = new HeaderUnpacker();
    for (const chunk of chunks)
      for (const one of reader.read(chunk)) {
        if (one.kind === "data" && data?.id === one.id && !data.fin) {
          data.text += inputOf(one.data);
          data.fin = one.fin;
          continue;
        }
        data = one.kind === "data" ? { id: one.id, fin: one.fin, text: inputOf(one.data) } : undefined;
        if (one.kind === "data") said.push(data);
        else said.push({ ...one, payload: inputOf(one.payload), headers: headersOf(one.type, one.payload, headers) });
      }
  } catch (error) {
    if (!(error instanceof SpdyError)) throw error;
    said.push("refused");
  }
  return said;
}

function headersOf(type: number, payload: Buffer, headers: HeaderUnpacker): unknown {
  if (type === frameTypes.settings) return windowIn(payload);
  const start = type === frameTypes.synStream ? 10 : type === frameTypes.synReply ? 4 : undefined;
  return start === undefined ? undefined : headers.unpack(payload.subarray(start));
}
