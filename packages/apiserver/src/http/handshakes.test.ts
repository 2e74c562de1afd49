import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { createServer, type TLSSocket, connect as tlsConnect } from "node:tls";
import { systemClock } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { Handshakes } from "./handshakes.ts";

test("a client that connects and says nothing does not keep a server from closing, one that speaks TLS goes on", {
  timeout: hangMs,
}, async (t) => {
  const pair = issuePair("self", { subject: nameWith("server"), usage: "server auth" }, systemClock.now());
  const server = createServer({ ...pair, handshakeTimeout: 2 * hangMs }, (socket) => socket.pipe(socket));
  t.after(() => server.close());
  const handshakes = new Handshakes(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;

  const speaking = tlsConnect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const [accepted] = (await once(server, "secureConnection")) as [TLSSocket];
  const silent = connect(port, "127.0.0.1");
  await once(server, "connection");
  handshakes.destroy();
  await once(silent, "close");
  speaking.write("still here");
  assert.equal(String((await once(speaking, "data"))[0]), "still here");

  speaking.end();
  await once(accepted, "close");
  await new Promise((resolve) => server.close(resolve));
});
