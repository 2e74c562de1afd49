/** What runs in Pods of these tests, on the node and outside: servers and clients of Services. */
import { createSocket } from "node:dgram";
import { lookup, lookupService } from "node:dns/promises";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer as createHttpServer, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, createServer } from "node:net";
import { hostname } from "node:os";

const [mode, ...args] = process.argv.slice(2);
const version = process.env.VERSION ?? "0";

if (mode === "serve") serve();
else if (mode === "ask") process.stdout.write(JSON.stringify(await Promise.all(JSON.parse(args[0]).map(askTimes))));
else if (mode === "talk") talk(args[0], Number(args[1]));
else if (mode === "load") await load(args[0]);
else if (mode === "traffic") for (const [name, url] of Object.entries(JSON.parse(args[1]))) void traffic(`${args[0]}/${name}`, url);

/** HTTP at 8080, a TCP echo at 7000 and a UDP echo at 5300, each of which says who answers; at /client, who asks. */
function serve() {
  createHttpServer(({ url, socket }, response) => {
    response.end(url === "/client" ? socket.remoteAddress?.replace(/^::ffff:/, "") : `${version} ${hostname()}`);
  }).listen(8080);
  createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => socket.write(`${hostname()} ${data}`));
  }).listen(7000);
  const udp = createSocket("udp4");
  udp.on("message", (_message, from) => udp.send(hostname(), from.port, from.address));
  udp.bind(5300);
  process.on("SIGTERM", () => process.exit());
}

/** Every answer, in the order in which they came; a failure is `error CODE`. */
async function askTimes({ times = 1, ...target }) {
  const answers = [];
  for (let n = 0; n < times; n++) answers.push(await ask(target).catch((error) => `error ${error.code ?? error.message}`));
  return answers;
}

async function ask({ url, udp, name, addressesOf, reverse, api }) {
  if (url !== undefined) return await body(httpRequest(url, { agent: false, timeout: 5_000 }));
  if (udp !== undefined) return await datagram(udp, 5300);
  if (name !== undefined) return (await lookup(name)).address;
  if (addressesOf !== undefined) return (await lookup(addressesOf, { all: true })).map(({ address }) => address).sort();
  if (reverse !== undefined) return (await lookupService(reverse, 80)).hostname;
  return await whoAmI(api);
}

function body(request, sent = "") {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("timeout", () => request.destroy(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })));
    request.on("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
    request.end(sent);
  });
}

async function datagram(host, port) {
  const socket = createSocket("udp4");
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })), 5_000);
      socket.on("error", reject);
      socket.on("message", (message) => {
        clearTimeout(timer);
        resolve(String(message));
      });
      socket.send("?", port, host);
    });
  } finally {
    socket.close();
  }
}

/** With what every Pod has of its service account, and nothing else. */
async function whoAmI(host) {
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const headers = { authorization: `Bearer ${readFileSync(`${folder}/token`, "utf8")}`, "content-type": "application/json" };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const request = httpsRequest({ host, path, method: "POST", headers, ca: readFileSync(`${folder}/ca.crt`), timeout: 5_000 });
  const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  return JSON.parse(await body(request, review)).status?.userInfo?.username ?? "nobody";
}

/** One connection, a question each 100 ms; it ends when the connection does. */
function talk(host, port) {
  const socket = connect({ host, port });
  let asked = 0;
  socket.on("connect", () => setInterval(() => socket.write(`${asked++}\n`), 100));
  socket.on("data", (data) => process.stdout.write(data));
  socket.on("error", (error) => console.log(`error ${error.code}`));
  socket.on("close", () => process.exit(1));
}

/** The same without end, each answer a line of a file: who started it may be gone. */
async function traffic(file, url) {
  for (;;) {
    appendFileSync(file, `${(await askTimes({ url }))[0]}\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A new connection for each request, one after the other. */
async function load(url) {
  for (;;) console.log((await askTimes({ url }))[0]);
}
