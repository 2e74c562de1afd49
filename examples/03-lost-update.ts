/** Two operators change one Deployment: Max its replicas, Lea its labels. Four ways to write, and what becomes of each change. */
import { deployments, explainConflict, isConflict } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) });
const max = cluster.clientFor({ name: "max" }, { fieldManager: "max" }).resource(deployments, "default");
const lea = cluster.clientFor({ name: "lea" }, { fieldManager: "lea" }).resource(deployments, "default");
type Deployment = Awaited<ReturnType<typeof max.get>>;

/** A fresh Deployment with 3 replicas and no labels. */
async function freshWeb(): Promise<void> {
  await max.deleteCollection();
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  await max.create({ metadata: { name: "web" }, spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template } });
}
async function show(title: string): Promise<void> {
  const { metadata, spec } = await max.get("web");
  console.log(`${title}: replicas ${spec?.replicas}, labels ${JSON.stringify(metadata?.labels ?? {})}\n`);
}
const scaled = ({ spec, ...rest }: Deployment, replicas: number) => ({ ...rest, spec: { ...spec, replicas } }) as Deployment;
const labelled = ({ metadata, ...rest }: Deployment, team: string) => ({ ...rest, metadata: { ...metadata, labels: { team } } });
const versionless = ({ metadata: { resourceVersion: _, ...metadata } = {}, ...rest }: Deployment) => ({ ...rest, metadata });

// 1. Both read, both write the whole object, and neither says which version it is based on.
await freshWeb();
let [maxs, leas] = await Promise.all([max.get("web"), lea.get("web")]);
await max.update(versionless(scaled(maxs, 5)));
await lea.update(versionless(labelled(leas, "shop")));
await show("1. update without a resourceVersion loses Max's change, without an error");

// 2. The same with the versions that they read. The second write is refused; Lea reads again, and nothing is lost.
await freshWeb();
[maxs, leas] = await Promise.all([max.get("web"), lea.get("web")]);
await max.update(scaled(maxs, 5));
try {
  await lea.update(labelled(leas, "shop"));
} catch (error) {
  if (!isConflict(error)) throw error;
  console.log(`Lea: ${explainConflict(error)}`);
  await lea.modify("web", (draft) => labelled(draft, "shop")); // reads, changes, writes; again if another client is faster
}
await show("2. update with a resourceVersion and a retry keeps both");

// 3. A merge patch says only what is to change, so there is nothing of the other's to overwrite. Two patches of one field
// would still be "the last one wins", silently.
await freshWeb();
await max.patch("web", { type: "merge", patch: { spec: { replicas: 5 } } });
await lea.patch("web", { type: "merge", patch: { metadata: { labels: { team: "shop" } } } });
await show("3. merge patches of different fields keep both");

// 4. Apply says what one wants to own. A field of another owner is a conflict that names the owner, and no retry helps:
// two people want different things, and a person has to decide.
await freshWeb();
const intended = (spec: object): Deployment => ({ metadata: { name: "web" }, spec }) as Deployment;
await max.apply(intended({ replicas: 5 }), { fieldManager: "max-apply", force: true });
await lea.apply(intended({ replicas: 2 }), { fieldManager: "lea-apply" }).catch((error: Error) => console.log(`Lea: ${error.message}`));
await show("4. apply refuses to take what another owns");

await lea.apply(intended({ replicas: 5 }), { fieldManager: "lea-apply" }); // the same value: they share the field
await show("   both may own a field while they agree");

await lea.apply(intended({ replicas: 2 }), { fieldManager: "lea-apply", force: true }); // deliberate: it is Lea's from now on
await show("   with force it changes hands");
