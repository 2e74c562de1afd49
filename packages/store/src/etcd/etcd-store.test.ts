import { after, before } from "node:test";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { type EtcdUnderTest, suiteOnEachEtcd } from "../../../../tests/etcd-server.ts";
import { RenumberedStore } from "../contract/renumbered-store.ts";
import { storeContract } from "../contract/store-contract.ts";
import { openEtcdStore } from "./etcd-store.ts";

/** What waits for etcd does so by a clock that goes on; what happens now and then is the test's. */
const clockBeside = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => systemClock.monotonic(),
  schedule: (afterMs, fn) => (afterMs < 30_000 ? systemClock : clock).schedule(afterMs, fn),
});

suiteOnEachEtcd("a store in", (startEtcd, version) => {
  let etcd: EtcdUnderTest;
  let stores = 0;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd[Symbol.asyncDispose]());

  storeContract(
    `etcd ${version}`,
    async (options) => {
      const prefix = `/contract-${stores++}`;
      const clock = clockBeside(options.clock);
      return new RenumberedStore(await openEtcdStore({ ...options, clock, random: systemRandom, servers: [etcd.url], prefix }));
    },
    { runs: 10, decidesInOrder: false, revisionPerEntry: false },
  );
});
