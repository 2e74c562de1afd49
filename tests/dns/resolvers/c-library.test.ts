/** The resolvers of two C libraries, which most programs in containers use: glibc's with its options, and musl's. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "../../conformance/client-program.ts";
import { assertFound, assertMany, lookups } from "./lookups.ts";
import { enterResolverNetwork, noResolverNetwork, type ResolvConf, type ResolverWorld, startResolverWorld } from "./resolver-world.ts";

enterResolverNetwork();

const noNetwork = noResolverNetwork();
let world: ResolverWorld | undefined;
before(async () => {
  if (noNetwork === false) world = await startResolverWorld();
});
after(() => world?.[Symbol.asyncDispose]());

interface Library {
  readonly compiler: string;
  readonly settings: Readonly<Record<string, ResolvConf>>;
  /** How many of 300 addresses it finds. */
  readonly many: number;
}

const libraries: Readonly<Record<string, Library>> = {
  glibc: {
    compiler: "gcc",
    settings: {
      "as in Pods": {},
      "with EDNS": { options: "edns0" },
      "by TCP alone": { options: "use-vc" },
      "that trusts what was validated": { options: "trust-ad edns0" },
      "one question after the other": { options: "single-request" },
      "one question after the other, from ports of their own": { options: "single-request-reopen" },
      "of several servers in turn": { options: "rotate", nameservers: ["127.0.0.1", "::1"] },
      "by IPv6": { nameservers: ["::1"] },
      "behind a server that is not there": { options: "timeout:1", nameservers: ["127.0.0.9", "127.0.0.1"] },
    },
    many: 300,
  },
  musl: {
    compiler: "musl-gcc",
    settings: {
      "as in Pods": {},
      "that asks several servers at once": { nameservers: ["127.0.0.1", "::1"] },
      "beside a server that is not there": { nameservers: ["127.0.0.9", "127.0.0.1"] },
    },
    // Before 1.2.4 it takes of an answer by UDP what has come and does not ask by TCP.
    many: 20,
  },
};

for (const [name, { compiler, settings, many }] of Object.entries(libraries)) {
  const program = (folder: string): string => join(folder, `lookup-${name}`);
  test(`a program with ${name}`, { skip: noNetwork, timeout: hangMs }, async (t) => {
    assert.ok(world);
    if ((await run(compiler, ["--version"], { timeoutMs: hangMs })).code !== 0) return t.skip(`${compiler} is not installed`);
    const { folder, configure } = world;
    const source = join(import.meta.dirname, "lookup.c");
    const built = await run(compiler, ["-std=gnu11", "-Wall", "-Werror", "-o", program(folder), source], { timeoutMs: hangMs });
    assert.equal(built.code, 0, built.stderr);
    for (const [how, settingsOfIt] of Object.entries(settings))
      await t.test(`${how}: finds what there is`, async () => {
        configure(settingsOfIt);
        const options = { cwd: folder, timeoutMs: hangMs };
        assertFound(await run(program(folder), Object.keys(lookups), options), lookups);
        assertMany(await run(program(folder), ["many"], options), many);
      });
  });
}
