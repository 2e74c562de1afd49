/** A Pod's servers: to whoever connects, by TCP or UDP, they say their name and from which address it came. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

const [name] = process.argv.slice(2);
const ports = [8080, 8081];
const plain = (address) => address.replace("::ffff:", "");

for (const port of ports) {
  const tcp = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(`${name} ${plain(socket.remoteAddress ?? "")}\n`);
    // Those who want more than one answer over a connection send something.
    socket.on("data", () => socket.write(`${name} ${plain(socket.remoteAddress ?? "")}\n`));
  });
  tcp.listen(port, "::");
  await once(tcp, "listening");
  const udp = createSocket({ type: "udp6" });
  udp.on("message", (_message, from) => udp.send(`${name} ${plain(from.address)}\n`, from.port, from.address));
  udp.bind(port, "::");
  await once(udp, "listening");
}
// Ends with whoever started it.
process.stdin.on("end", () => process.exit());
process.stdin.resume();
process.stdout.write("ready\n");
