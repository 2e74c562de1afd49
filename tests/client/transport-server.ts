/** A real server on a port, with an authority of its own that signs certificates for whoever a test needs. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer as createTcp, type Socket } from "node:net";
import { authenticated, createServer, Metrics, unclaimed } from "@coxswain/apiserver";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { ipBytes, nameWith } from "@coxswain/pki";
import { type CertificateTemplate, issueCertificate } from "@coxswain/pki/node";
import { storeUnderTest } from "../store-under-test.ts";

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Pair {
  /** For `127.0.0.1` and `kubernetes`. */
  readonly serving: Pair;
  clientNamed(name: string, groups?: readonly string[]): Pair;
}

const exported = (key: KeyObject): string => key.export({ format: "pem", type: "pkcs8" }).toString();
const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const noNames: CertificateTemplate["names"] = { dns: [], email: [], uri: [], ip: [] };

export function makeAuthority(name: string): Authority {
  const keys = newKeys();
  const issuer = { subject: nameWith(name), ...keys };
  let serial = 0;
  const issue = (of: Pick<CertificateTemplate, "subject" | "publicKey" | "usages" | "names" | "authority">): string =>
    issueCertificate({
      ...of,
      issuer,
      serial: Uint8Array.of(64, ++serial),
      notBefore: systemClock.now() - 3_600_000,
      notAfter: systemClock.now() + 3_600_000,
    });
  const pair = (subject: Uint8Array, usage: "server auth" | "client auth", names = noNames): Pair => {
    const own = newKeys();
    const cert = issue({
      subject,
      publicKey: own.publicKey,
      usages: ["digital signature", usage],
      names,
      authority: false,
    });
    return { cert, key: exported(own.privateKey) };
  };
  return {
    cert: issue({ subject: issuer.subject, publicKey: keys.publicKey, usages: ["cert sign"], names: noNames, authority: true }),
    key: exported(keys.privateKey),
    serving: pair(nameWith("server"), "server auth", { ...noNames, dns: ["kubernetes"], ip: [ipBytes("127.0.0.1")] }),
    clientNamed: (subject, groups) => pair(nameWith(subject, groups), "client auth"),
  };
}

export const trusted = makeAuthority("trusted");

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Serving extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** Knows people by their certificates and by their tokens, which are their names; all users may do everything. */
export async function serve({
  tokens = ["admin"],
  port = 0,
}: {
  readonly tokens?: readonly string[];
  readonly port?: number;
} = {}): Promise<Serving> {
  const server = await createServer({
    store: await storeUnderTest(systemClock),
    clock: systemClock,
    random: systemRandom,
    log: silent,
    authenticators: [
      ({ headers }) => {
        const token = /^Bearer (.*)$/.exec(String(headers.authorization ?? ""))?.[1];
        if (token === undefined) return unclaimed;
        if (!tokens.includes(token)) return { kind: "rejected", reason: "unknown token" };
        return authenticated({ name: token, uid: "", groups: [], extra: {} });
      },
    ],
    authorizer: () => ({ kind: "allow", reason: "" }),
    authority: trusted,
    metrics: new Metrics({ startedAt: systemClock.now() / 1000 }),
    tls: trusted.serving,
    version: "0.0.0",
    platform: "linux/amd64",
  });
  const bound = await server.listen(port, "127.0.0.1");
  return { port: bound.port, url: `https://127.0.0.1:${bound.port}`, [Symbol.asyncDispose]: () => server.close() };
}

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** How many connections have been made. */
  readonly made: () => number;
  /** Ends all connections without a word. */
  cut(): void;
}

/** Between a client and a server, byte for byte; `through` may speak first, as proxies do. */
export async function relay(through: (socket: Socket) => Promise<number>): Promise<Relay> {
  const sockets = new Set<Socket>();
  let made = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on("error", () => undefined));
    return socket;
  };
  const server = createTcp((socket) => {
    made++;
    keep(socket);
    through(socket).then(
      (port) => {
        const onward = keep(connect(port, "127.0.0.1"));
        socket.pipe(onward).pipe(socket);
      },
      () => socket.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    made: () => made,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
