/** What shapes of Services alone do not show: every client masqueraded, and a protocol that this kernel may not speak itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { places, startNetwork, whyNoNetwork } from "./network.ts";
import { configuration, writeRules } from "./own-rules.ts";
import { type Shape, shapes } from "./shapes.ts";

const skip = whyNoNetwork() ?? false;
const shape = (name: string): Shape => shapes.find((one) => one.name === name) as Shape;

test("with masqueradeAll a Pod sees the node as the client of another Pod, and else the Pod", { skip }, async () => {
  await using network = await startNetwork("masquerade");
  const oneLocal = shape("cluster-ip-one-local");
  const targets = Object.values(oneLocal.targets);
  const sources = async () => (await network.probe("b", targets, { attempts: 3 })).flatMap((result) => result.sources);
  await writeRules(network, [oneLocal]);
  assert.deepEqual(await sources(), [places.b.ipv4, places.b.ipv6]);
  await writeRules(network, [oneLocal], { ...configuration, masqueradeAll: true });
  const masqueraded = await sources();
  assert.equal(masqueraded.length, 2);
  for (const source of masqueraded) assert.ok(!source.startsWith("10.244.") && !source.startsWith("fd00:10:244:"), source);
});

test("the kernel takes rules of SCTP, for endpoints as for none", { skip }, async () => {
  await using network = await startNetwork("sctp");
  const spoken = JSON.stringify([shape("tcp-and-udp"), shape("udp-no-endpoints")]);
  const sctp = JSON.parse(spoken.replaceAll('"UDP"', '"SCTP"')) as Shape[];
  await writeRules(network, sctp);
  const [program = "", ...inside] = network.inside("node");
  const listed = execFileSync(program, [...inside, "nft", "list", "table", "ip", "coxswain-proxy"], { encoding: "utf8" });
  const clusterIp = (at: number): string => sctp[at]?.service.spec?.clusterIP ?? "";
  assert.match(listed, new RegExp(`${clusterIp(0)} \\. sctp \\. 80 : goto service/shapes/tcp-and-udp/sctp/`));
  assert.match(listed, new RegExp(`${clusterIp(1)} \\. sctp \\. 80 : goto reject-chain`));
  assert.match(listed, /meta l4proto sctp .*dnat to 10\.244\.1\.2:8080/);
  assert.match(listed, /sctp \. 30\d+ : goto external\/shapes\/tcp-and-udp\/sctp\//);
});
