/** Connects to each target of a list on standard input, several times, and prints what came of it. */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { text } from "node:stream/consumers";

const [attempts = 1, concurrency = 1] = process.argv.slice(2).map(Number);
/** Nobody answers a dropped packet: only time shows it. */
const droppedMs = 3_000;

const once = (protocol, address, port) =>
  new Promise((resolve) => {
    const socket = protocol === "tcp" ? connect({ host: address, port }) : createSocket(isIPv6(address) ? "udp6" : "udp4");
    const end = (result) => {
      clearTimeout(timer);
      if (protocol === "tcp") socket.destroy();
      else socket.close();
      resolve(result);
    };
    const timer = setTimeout(() => end("dropped"), droppedMs);
    const onAnswer = (data) => end(String(data).trim());
    socket.on("error", (error) => end(["ECONNREFUSED", "EHOSTUNREACH"].includes(error.code) ? "refused" : error.code));
    if (protocol === "tcp") socket.on("data", onAnswer);
    else {
      socket.on("message", onAnswer);
      // Only a connected socket learns of refusals.
      socket.connect(port, address, () => socket.send("?"));
    }
  });

async function probe({ protocol, address, port }) {
  const seen = [];
  for (let n = 0; n < attempts; n++) {
    const result = await once(protocol, address, port);
    seen.push(result);
    // Nothing is chosen by chance where nobody answers.
    if (!result.includes(" ") && n > 0) break;
  }
  const answered = seen.filter((one) => one.includes(" "));
  const other = [...new Set(seen.filter((one) => !one.includes(" ")))];
  const part = (at) => [...new Set(answered.map((one) => one.split(" ")[at]))].sort();
  return {
    answers: part(0),
    sources: part(1),
    outcome: other.length === 0 ? "answered" : answered.length === 0 && other.length === 1 ? other[0] : "mixed",
  };
}

const targets = JSON.parse(await text(process.stdin));
const results = new Array(targets.length);
let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < targets.length) {
      const at = next++;
      results[at] = await probe(targets[at]);
    }
  }),
);
process.stdout.write(JSON.stringify(results));
process.exit();
