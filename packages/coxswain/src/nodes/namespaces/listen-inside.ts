/** Ports in the network namespace of a node that this process answers at: a socket stays in the namespace in which it was made. */
import { spawn } from "node:child_process";
import { Server } from "node:net";
import { type Listen, type ListenAddress, listenOn } from "@coxswain/proxy";
import { systemEnvironment } from "./run-program.ts";

/** @param inside the words that run a program there */
export const listenInside =
  (inside: readonly string[]): Listen =>
  async (address, answer) =>
    await listenOn(await socketInside(inside, address), answer);

/** What makes the socket and hands it over, or says why it could not. It ends with the connection to its parent. */
const script = `
const server = require("node:net").createServer();
const { host, port } = JSON.parse(process.argv[1]);
server.once("error", ({ code, message }) => process.send({ code, message }));
server.listen({ host, port, ipv6Only: host.includes(":") }, () => process.send({}, server));
process.once("disconnect", () => process.exit());
`;

interface Said {
  readonly code?: string;
  readonly message?: string;
}

/** @throws Error of the socket, as EADDRINUSE, or of the program that was to make it */
function socketInside(inside: readonly string[], address: ListenAddress): Promise<Server> {
  const [program = "", ...args] = [...inside, process.execPath, "--eval", script, JSON.stringify(address)];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", "ipc"], env: systemEnvironment() });
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => reject(new Error(`${program} ended with ${code ?? signal}: ${errors.trim()}`)));
    child.once("message", ({ code, message }: Said, socket) => {
      child.disconnect();
      if (socket instanceof Server) resolve(socket);
      else reject(Object.assign(new Error(message), { code, ...address }));
    });
  });
}
