/** One connection, or one UDP socket: sends each line of standard input, and prints what is answered. */
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [protocol, host, port] = process.argv.slice(2);
const lines = createInterface(process.stdin);
lines.on("close", () => process.exit());

if (protocol === "tcp") {
  const socket = connect({ host, port: Number(port) });
  socket.pipe(process.stdout);
  lines.on("line", (line) => socket.write(line));
} else {
  const socket = createSocket("udp4");
  // A refusal is an answer that says nothing.
  socket.on("error", () => undefined);
  socket.on("message", (message) => process.stdout.write(message));
  lines.on("line", (line) => socket.send(line, Number(port), host));
}
