/** Bytes on a connection that speaks HTTP/2. */
import type { Random } from "../harness/random.ts";
import { type FuzzTarget, inputOf } from "../harness/target.ts";
import { listening, secretPath } from "./listening.ts";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const types = { data: 0, headers: 1, priority: 2, rst: 3, settings: 4, push: 5, ping: 6, goAway: 7, window: 8, continuation: 9, none: 77 };

function frame(type: number, flags: number, stream: number, payload: string): string {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return inputOf(head) + payload;
}

/** HPACK literals that are not indexed. */
const literal = (name: string, value: string): string =>
  `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(Math.min(126, value.length))}${value.slice(0, 126)}`;

function headerBlock(random: Random): string {
  const method = random.pick(["GET", "GET", "POST", "CONNECT", "", "get"]);
  const fields = [
    literal(":method", method),
    literal(":scheme", random.pick(["https", "http", ""])),
    literal(":path", random.pick(["/healthz", secretPath, "*", "", "/a\0b", "no"])),
    literal(":authority", random.pick(["x", "", "a b"])),
    ...Array.from({ length: random.below(4) }, () =>
      literal(
        random.pick([
          "content-length",
          "transfer-encoding",
          "connection",
          "te",
          "X-Upper",
          ":status",
          ":protocol",
          "x",
          "",
          "authorization",
          "host",
        ]),
        random.pick(["5", "0", "-1", "chunked", "close", "trailers", "websocket", "y", "", "a\r\nb: c", "Bearer x"]),
      ),
    ),
  ];
  if (random.oneIn(5))
    fields.push(random.pick(["\x82", "\xff\xff\xff\xff\x7f", "\x3f\xff\xff\xff\x7f", "\x20", "\xbf", "\x40\x01a\x01b", "\x80"]));
  if (random.oneIn(8)) fields.reverse();
  if (random.oneIn(8)) fields.splice(random.below(fields.length), 1);
  return fields.join("");
}

function anyFrame(random: Random): string {
  const id = random.pick([1, 1, 3, 5, 2, 0, 0x7fffffff, 0xffffffff]);
  switch (random.below(9)) {
    case 0:
    case 1:
      return frame(types.headers, random.pick([5, 5, 4, 1, 0, 0x2d, 0xff]), id, headerBlock(random));
    case 2: {
      const block = headerBlock(random);
      const cut = random.below(block.length);
      return `${frame(types.headers, 1, id, block.slice(0, cut))}${frame(types.continuation, random.pick([4, 0]), random.oneIn(5) ? 7 : id, block.slice(cut))}`;
    }
    case 3:
      return frame(
        types.settings,
        random.pick([0, 0, 1]),
        0,
        random.pick(["", "\0\x04\x7f\xff\xff\xff", "\0\x04\xff\xff\xff\xff", "\0\x05\0\0\0\0", "\0\x01\0\0\0\0", "\0"]),
      );
    case 4:
      return frame(types.window, 0, id, random.pick(["\0\0\0\0", "\x7f\xff\xff\xff", "\0\0\0\x01", "\0"]));
    case 5:
      return frame(types.rst, 0, id, random.pick(["\0\0\0\x08", "\0\0\0\0", ""]));
    case 6:
      return frame(types.data, random.pick([0, 1, 8, 9]), id, random.pick(["", "hello", "\xffhello", "\0".repeat(300)]));
    case 7: {
      const any = frame(random.pick(Object.values(types)), random.below(256), id, "x".repeat(random.below(12)));
      // A length that is not its own.
      return random.oneIn(4)
        ? `${String.fromCharCode(random.pick([0, 0, 1, 255]), random.below(256), random.below(256))}${any.slice(3)}`
        : any;
    }
    default:
      return frame(random.pick([types.ping, types.priority, types.goAway]), random.below(2), id, "\0".repeat(random.pick([8, 5, 4])));
  }
}

export const http2Bytes: FuzzTarget = {
  name: "http2-bytes",
  modules: ["apiserver/src/http"],
  bytes: true,
  sample: 200,
  dictionary: [
    frame(types.settings, 0, 0, ""),
    frame(types.settings, 1, 0, ""),
    frame(types.rst, 0, 1, "\0\0\0\x08"),
    "\0\0\x04\x08\0",
    "\0\0\0\x01",
    "\0\0\x08\x06\0\0\0\0\0",
  ],
  seeds: [
    `${preface}${frame(types.settings, 0, 0, "")}${frame(types.headers, 5, 1, [literal(":method", "GET"), literal(":scheme", "https"), literal(":path", "/healthz"), literal(":authority", "x")].join(""))}`,
  ],
  generate: (random) =>
    `${random.oneIn(20) ? "" : preface}${random.oneIn(10) ? "" : frame(types.settings, 0, 0, "")}${Array.from({ length: 1 + random.below(6) }, () => anyFrame(random)).join("")}`,
  open: () => listening("h2"),
};
