/** Where the command says that it is to be reached from within the cluster. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { connect } from "node:tls";
import { waitUntil } from "@coxswain/machinery/testing";
import { startCommand } from "./command-under-test.ts";

test("--advertise-address is what the endpoints of default/kubernetes name, and the certificate has it", async (t) => {
  const command = await startCommand("--ephemeral", "--advertise-address", "192.0.2.7");
  t.after(() => command.stop());
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "", "base64");
  const read = async (path: string): Promise<string> => {
    const sent = request(command.server + path, { ca, agent: false, headers: { authorization: `Bearer ${command.token}` } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return await text(response);
  };
  for (const path of [
    "/api/v1/namespaces/default/endpoints/kubernetes",
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
  ])
    await waitUntil(`${path} names it`, async () => (await read(path)).includes('"192.0.2.7"'));
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(command.server).port), ca });
  await once(socket, "secureConnect");
  assert.match(socket.getPeerCertificate().subjectaltname ?? "", /IP Address:192\.0\.2\.7/);
  socket.destroy();
});
