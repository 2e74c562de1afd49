/** Two controllers write to one Deployment: what happens when they change different fields, the same field, or share by apply. */
import { controller, deployments, done, explainConflict, isConflict, type ReconcileContext, runControllers, sleep } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const clock = virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true });
await using cluster = await startCluster({ clock });
const web = cluster.client.resource(deployments);
type Deployment = Awaited<ReturnType<typeof web.get>>;
type Change = (web: Deployment, ctx: ReconcileContext<Deployment>) => Promise<unknown>;

/** Runs two controllers on a fresh Deployment until nothing happens any more, or too much has. */
async function play(title: string, changes: Readonly<Record<string, Change>>): Promise<void> {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  await web.create({ metadata: { name: "web" }, spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template } });
  const [stop, enough] = [new AbortController(), Promise.withResolvers<void>()];
  let [writes, conflicts] = [0, 0];
  const controllers = Object.entries(changes).map(([name, change]) =>
    controller({
      name,
      for: deployments,
      reconcile: async (_ref, ctx) => {
        const before = ctx.object?.metadata?.resourceVersion;
        if (ctx.object === undefined || ctx.signal.aborted) return done;
        try {
          const after = (await change(ctx.object, ctx)) as Deployment | undefined;
          if (after?.metadata?.resourceVersion !== undefined && after.metadata.resourceVersion !== before) writes++;
        } catch (error) {
          if (isConflict(error)) conflicts++;
          throw error;
        }
        if (writes >= 100) enough.resolve();
        return done;
      },
    }),
  );
  const running = Promise.all(controllers.map((one) => runControllers([one], { client: cluster.clientFor({ name: one.name }, { fieldManager: one.name }), signal: stop.signal })));
  await Promise.race([enough.promise, sleep(clock, 10_000)]);
  stop.abort();
  await running;
  const { spec, metadata } = await web.get("web");
  console.log(`${title}\n   ${writes >= 100 ? "no end after 100" : writes} writes, ${conflicts} conflicts; replicas ${spec?.replicas}, labels ${JSON.stringify(metadata?.labels ?? {})}\n`);
  await web.delete("web");
}
