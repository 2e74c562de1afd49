// Run by loading.test.ts: prints which parts of the repository and of Node are loaded at which moment.
import { registerHooks } from "node:module";

const packages = new Set();
registerHooks({
  load(url, context, next) {
    packages.add(/\/packages\/([^/]+)\/src\//.exec(url)?.[1]);
    return next(url, context);
  },
});
const report = (moment) => {
  const hasFetch = process.moduleLoadList.some((name) => name.endsWith("internal/deps/undici/undici"));
  console.log(JSON.stringify({ moment, packages: [...packages].filter(Boolean).sort(), hasFetch }));
};
const { startCluster } = await import("coxswain/testing");
report("imported");
await using cluster = await startCluster();
report("started");
await using _parts = await cluster.run({ controllers: true, scheduler: true, nodes: 1 });
report("run");
