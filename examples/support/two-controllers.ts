/** What the example of two controllers plays on: counts what they write, and stops them when they find no end. */
import {
  type api,
  controller,
  deployments,
  done,
  isConflict,
  type ReconcileContext,
  sleep,
  startControllers,
  Unretryable,
} from "@coxswain/client";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";

export type Deployment = api.appsV1.Deployment;
/** What a controller does about the Deployment as it sees it. */
export type Act = (web: Deployment, ctx: ReconcileContext<Deployment>) => Promise<unknown>;

/** Lets the controllers loose on a fresh Deployment for a minute, or until they have written 100 times. */
export async function letLoose(title: string, acts: Readonly<Record<string, Act>>): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) });
  const web = cluster.client.resource(deployments);
  console.log(title);
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  // By apply, so that nobody owns the replicas that the server fills in.
  const fresh = { metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } };
  await web.apply(fresh, { fieldManager: "user" });
  const [tooMuch, requests] = [Promise.withResolvers<void>(), new FaultScript()];
  const count = () => requests.steps.filter(({ kind, request }) => kind === "request" && /update|patch/.test(request.verb)).length;
  let conflicts = 0;
  const noteConflict = (error: unknown) => {
    if (isConflict(error instanceof Unretryable ? error.cause : error)) conflicts++;
    throw error; // the controller comes again
  };
  const running = Object.entries(acts).map(([name, act]) => {
    const client = cluster.clientFor({ name }, { fieldManager: name, faults: requests });
    const reconcile = async (_: unknown, ctx: ReconcileContext<Deployment>) => {
      if (count() >= 100) tooMuch.resolve();
      else if (ctx.object !== undefined) await act(ctx.object, ctx).catch(noteConflict);
      return done;
    };
    return startControllers([controller({ name, for: deployments, reconcile })], { client });
  });
  await Promise.race([tooMuch.promise, sleep(cluster.clock, 60_000)]);
  await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
  const { spec, metadata } = await web.get("web");
  console.log(`   ${count()} writes${count() < 100 ? "" : " and no end"}, ${conflicts} met a conflict`);
  console.log(`   in the end: replicas ${spec?.replicas}, labels ${JSON.stringify(metadata?.labels ?? {})}\n`);
}
