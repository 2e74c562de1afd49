/** What the example of two controllers plays on: counts what they write, and stops them when they find no end. */
import {
  type api,
  type Controller,
  controller,
  deployments,
  done,
  isConflict,
  type ReconcileContext,
  sleep,
  startControllers,
  Unretryable,
} from "@coxswain/client";
import { FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

export type Deployment = api.appsV1.Deployment;
/** What a controller does about the Deployment as it sees it. */
export type Act = (web: Deployment, ctx: ReconcileContext<Deployment>) => Promise<unknown>;

export const actor = (name: string, act: Act): Controller =>
  controller<Deployment>({
    name,
    for: deployments,
    reconcile: async (_ref, ctx) => {
      if (ctx.object !== undefined) await act(ctx.object, ctx);
      return done;
    },
  });

/** By apply, so that no manager owns the replicas that the server fills in. */
export const createWeb = async ({ client }: Pick<TestCluster, "client">): Promise<void> => {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const fresh = { metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } };
  await client.resource(deployments).apply(fresh, { fieldManager: "user" });
};

/** Lets the controllers loose on a fresh Deployment for a minute, or until they have written 100 times. */
export async function letLoose(title: string, acts: Readonly<Record<string, Act>>): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) });
  await createWeb(cluster);
  console.log(title);
  const [tooMuch, requests] = [Promise.withResolvers<void>(), new FaultScript()];
  const count = () => requests.steps.filter(({ kind, request }) => kind === "request" && /update|patch/.test(request.verb)).length;
  let conflicts = 0;
  const counted =
    (act: Act): Act =>
    async (web, ctx) => {
      if (count() >= 100) return tooMuch.resolve();
      await act(web, ctx).catch((error: unknown) => {
        if (isConflict(error instanceof Unretryable ? error.cause : error)) conflicts++;
        throw error; // the controller comes again
      });
    };
  const running = Object.entries(acts).map(([name, act]) =>
    startControllers([actor(name, counted(act))], { client: cluster.clientFor({ name }, { fieldManager: name, faults: requests }) }),
  );
  await Promise.race([tooMuch.promise, sleep(cluster.clock, 60_000)]);
  await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
  const { spec, metadata } = await cluster.client.resource(deployments).get("web");
  console.log(`   ${count()} writes${count() < 100 ? "" : " and no end"}, ${conflicts} met a conflict`);
  console.log(`   in the end: replicas ${spec?.replicas}, labels ${JSON.stringify(metadata?.labels ?? {})}\n`);
}
