/** Resolvers that languages have of their own: Go's, Java's in JNDI, and c-ares in Node. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { type Ran, run } from "../../conformance/client-program.ts";
import { assertFound, assertMany, lookups, serviceLookups } from "./lookups.ts";
import { enterResolverNetwork, noResolverNetwork, type ResolvConf, type ResolverWorld, startResolverWorld } from "./resolver-world.ts";

enterResolverNetwork();

const noNetwork = noResolverNetwork();
let world: ResolverWorld | undefined;
before(async () => {
  if (noNetwork === false) world = await startResolverWorld();
});
after(() => world?.[Symbol.asyncDispose]());

const beside = (file: string): string => join(import.meta.dirname, file);

const settings: Readonly<Record<string, ResolvConf>> = {
  "as in Pods": {},
  "by TCP alone": { options: "use-vc" },
  "by IPv6": { nameservers: ["::1"] },
  "of several servers in turn": { options: "rotate", nameservers: ["127.0.0.1", "::1"] },
  "behind a server that is not there": { options: "timeout:1", nameservers: ["127.0.0.9", "127.0.0.1"] },
};

for (const [how, settingsOfIt] of Object.entries(settings))
  test(`Go's resolver, ${how}, finds what there is`, { skip: noNetwork, timeout: hangMs }, async (t) => {
    assert.ok(world);
    const { folder, configure } = world;
    if ((await run("go", ["version"], { timeoutMs: hangMs })).code !== 0) return t.skip("Go is not installed");
    const program = join(folder, "lookup-go");
    // Nothing but the standard library.
    const env = { CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOPROXY: "off" };
    const built = await run("go", ["build", "-o", program, beside("lookup.go")], { cwd: folder, env, timeoutMs: hangMs });
    assert.equal(built.code, 0, built.stderr);
    configure(settingsOfIt);
    const all = { ...lookups, ...serviceLookups };
    assertFound(await run(program, Object.keys(all), { timeoutMs: hangMs }), all);
    assertMany(await run(program, ["many"], { timeoutMs: hangMs }));
  });

test("Java finds names as the system does, and records by JNDI", { skip: noNetwork, timeout: hangMs }, async (t) => {
  assert.ok(world);
  if ((await run("java", ["-version"], { timeoutMs: hangMs })).code !== 0) return t.skip("Java is not installed");
  world.configure({});
  const lookup = (...asked: readonly string[]): Promise<Ran> => run("java", [beside("Lookup.java"), ...asked], { timeoutMs: hangMs });
  const all = { ...lookups, ...serviceLookups };
  assertFound(await lookup(...Object.keys(all)), all);
  assertMany(await lookup("many"));
  // What JNDI is answered does not fit into 512 bytes, which it does not exceed by UDP.
  assertMany(await lookup("a:many.default.svc.cluster.local"));
});

test("c-ares in Node finds records, and Node's lookup what the system does", { skip: noNetwork, timeout: hangMs }, async () => {
  assert.ok(world);
  world.configure({});
  const lookup = (...asked: readonly string[]): Promise<Ran> =>
    run(process.execPath, [beside("lookup.mjs"), ...asked], { timeoutMs: hangMs });
  const below = "default.svc.cluster.local";
  // It knows no searches.
  const whole = {
    [`web.${below}`]: "10.96.1.1",
    [`WEB.${below}.`]: "10.96.1.1",
    [`both.${below}`]: "10.1.2.1 fd00:1::1",
    [`six.${below}`]: "fd00:1::6",
    [`out.${below}`]: "192.0.2.1",
    [`missing.${below}`]: "nothing",
    "lookup:web": "10.96.1.1",
    "lookup:both": "10.1.2.1 fd00:1::1",
    "lookup:missing": "nothing",
    "ptr:10.1.0.2": `peers-1.peers.${below}`,
    "ptr:fd00:1::1": `both-0.both.${below}`,
    ...serviceLookups,
  };
  assertFound(await lookup(...Object.keys(whole)), whole);
  assertMany(await lookup(`many.${below}`));
});
