/** A stand-in for an API server and a kubelet: a Pod whose few programs are written here, over the channel protocols as they stand. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, forbidden, type RandomSource, systemClock } from "@coxswain/machinery";
import { type WebSocket, WebSocketServer } from "ws";
import { createClient } from "../client/create-client.ts";
import type { Client } from "../contracts/client.ts";
import { http2Transport } from "../node/http2-transport.ts";

export interface PodUnderTest extends AsyncDisposable {
  readonly client: Client;
  /** The URL. */
  readonly server: string;
  /** The subprotocols that each WebSocket offered. */
  readonly offered: string[][];
  /** Path and query of each connection. */
  readonly asked: string[];
  /** What `flood` could send so far; bytes. */
  readonly flooded: () => number;
  /** Pings that arrived. */
  readonly pings: () => number;
}

export interface PodOptions {
  /** Those that the server knows, of those it is offered it takes the first. */
  readonly protocols?: readonly string[];
  readonly log?: string;
  /** Of the transport: for its pings. Default: the system's. */
  readonly clock?: Clock;
}

const random: RandomSource = { next: () => 0.5, uuid: () => "00000000-0000-4000-8000-000000000000" };
const text = (data: Uint8Array): string => Buffer.from(data).toString();
const on = (channel: number, data: Uint8Array | string): Buffer => Buffer.concat([Uint8Array.of(channel), Buffer.from(data)]);
const success = on(3, JSON.stringify({ metadata: {}, status: "Success" }));
const failed = (code: number): Buffer => {
  const details = { causes: [{ reason: "ExitCode", message: String(code) }] };
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  return on(3, JSON.stringify({ metadata: {}, status: "Failure", message, reason: "NonZeroExitCode", details }));
};

export async function startPod({
  protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"],
  log = "",
  clock = systemClock,
}: PodOptions = {}): Promise<PodUnderTest> {
  const asked: string[] = [];
  const offered: string[][] = [];
  const seen = { flooded: 0, pings: 0 };
  const http = createServer((request, response) => {
    asked.push(String(request.url));
    response.end(log);
  });
  const handleProtocols = (asks: Set<string>): string | false => {
    offered.push([...asks]);
    return protocols.find((one) => asks.has(one)) ?? false;
  };
  const server = new WebSocketServer({ noServer: true, handleProtocols });
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    asked.push(String(request.url));
    const url = new URL(String(request.url), "http://pod");
    if (url.pathname.includes("/secret/")) return refuse(socket);
    server.handleUpgrade(request, socket, head, (connection) => {
      connection.on("ping", () => seen.pings++).on("error", () => undefined);
      if (url.pathname.endsWith("/portforward")) forward(connection, Number(url.searchParams.get("ports")));
      else runProgram(connection, socket, url.searchParams, seen);
    });
  });
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => sockets.add(socket));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const client = createClient({ transport: http2Transport({ server: url, clock }), clock: systemClock, random, namespace: "ns" });
  return {
    client,
    server: url,
    offered,
    asked,
    flooded: () => seen.flooded,
    pings: () => seen.pings,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      for (const socket of sockets) socket.destroy();
      http.close();
      await once(http, "close");
    },
  };
}

function refuse(socket: Duplex): void {
  const body = JSON.stringify(forbidden({ group: "", resource: "pods" }, "secret", "not yours").status);
  socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

interface Run {
  readonly connection: WebSocket;
  readonly socket: Duplex;
  readonly args: readonly string[];
  readonly seen: { flooded: number };
  readonly end: (status: Buffer) => void;
}

const notFound = on(3, JSON.stringify({ status: "Failure", reason: "InternalError", message: 'exec: "missing": not found', code: 500 }));

const programs: Readonly<Record<string, (run: Run) => void>> = {
  echo({ connection, args, end }) {
    connection.send(on(1, args.join(" ")));
    connection.send(on(2, "warned"));
    end(success);
  },
  exit: ({ args, end }) => end(failed(Number(args[0]))),
  missing: ({ end }) => end(notFound),
  "hang-up": ({ connection }) => connection.close(1000),
  vanish: ({ connection, socket }) => connection.send(on(1, "half"), () => socket.destroy()),
  freeze: ({ socket }) => socket.pause(),
  flood: ({ connection, seen }) => flood(connection, seen),
  cat: ({ connection, end }) => repeat(connection, end),
};

function runProgram(connection: WebSocket, socket: Duplex, query: URLSearchParams, seen: { flooded: number }): void {
  const [program = "cat", ...args] = query.getAll("command");
  const end = (status: Buffer): void => {
    connection.send(status);
    connection.close(1000);
  };
  // Servers say hello on what can be written to.
  connection.send(on(1, ""));
  programs[program]?.({ connection, socket, args, seen, end });
}

/** A program that repeats what it reads, and prints the size of its terminal. */
function repeat(connection: WebSocket, end: (status: Buffer) => void): void {
  connection.on("message", (message: Buffer) => {
    const [channel, ...rest] = message;
    const data = Buffer.from(rest);
    if (channel === 255 && data[0] === 0) end(success);
    else if (channel === 0) connection.send(on(1, data));
    else if (channel === 4) connection.send(on(1, `size ${text(data)}`));
  });
}

const floodBytes = 32 * 1024 * 1024;

function flood(connection: WebSocket, seen: { flooded: number }): void {
  const chunk = Buffer.alloc(64 * 1024);
  const next = (): void => {
    if (seen.flooded >= floodBytes) {
      connection.send(success);
      connection.close(1000);
      return;
    }
    connection.send(on(1, chunk), (error) => {
      if (error) return;
      seen.flooded += chunk.length;
      next();
    });
  };
  next();
}

/** Port 7 repeats what it reads; no other port is open. */
function forward(connection: WebSocket, port: number): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  connection.send(on(0, number));
  connection.send(on(1, number));
  if (port !== 7) connection.send(on(1, "dial tcp4 127.0.0.1:8: connect: connection refused"));
  connection.on("message", (message: Buffer) => {
    if (message[0] === 0) connection.send(message);
  });
}
