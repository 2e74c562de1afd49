/** Two controllers write to one Deployment. Conflicts are harmless; wanting different things is not, unless it is said who owns what. */
import { conflictChanges, deployments, Unretryable } from "@coxswain/client";
import { type Act, type Deployment, letLoose } from "./support/two-controllers.ts";

// The classic way: unless all is well, change one's own field and write the whole object back, with the version that was read.
const writes =
  (isWell: (web: Deployment) => boolean, changed: (web: Deployment) => Deployment): Act =>
  async (web, { client, signal }) =>
    isWell(web) || client.resource(deployments).update(changed(web), { signal });
export const writesReplicas = (replicas: number) =>
  writes(
    ({ spec }) => spec?.replicas === replicas,
    ({ spec, ...web }) => ({ ...web, spec: { ...spec, replicas } }) as Deployment,
  );
export const writesTeam = (team: string) =>
  writes(
    ({ metadata }) => metadata?.labels?.team === team,
    (web) => ({ ...web, metadata: { ...web.metadata, labels: { team } } }),
  );

// Server-side apply: say what one wants to own, every time. What is so already is not written.
export const applies =
  (fieldManager: string, intended: { spec?: object; labels?: object }): Act =>
  async (_, { client, signal }) => {
    const object = { spec: intended.spec, metadata: { name: "web", labels: intended.labels } } as Deployment;
    try {
      await client.resource(deployments).apply(object, { fieldManager, signal });
    } catch (error) {
      // That the object has changed is a reason to come again; that the field is another's is none.
      if (!conflictChanges(error).some(({ reason }) => reason === "FieldManagerConflict")) throw error;
      console.log(`   ${fieldManager}: ${(error as Error).message}`);
      throw new Unretryable("trying again does not help: somebody has to decide whose field it is", { cause: error });
    }
  };

if (import.meta.main) {
  await letLoose("1. Different fields: who loses a race reads again and writes again, and both are content.", {
    autoscaler: writesReplicas(5),
    labeler: writesTeam("shop"),
  });
  await letLoose("2. The same field: each undoes what the other does, as fast as it can.", {
    autoscaler: writesReplicas(5),
    deployer: writesReplicas(3),
  });
  await letLoose("3. The same field, by apply: the second gets an error that names the owner, before anything is changed.", {
    autoscaler: applies("autoscaler", { spec: { replicas: 5 } }),
    deployer: applies("deployer", { spec: { replicas: 3 } }),
  });
  await letLoose("4. Each applies only what is its own: nothing to fight about, and not even a conflict.", {
    autoscaler: applies("autoscaler", { spec: { replicas: 5 } }),
    deployer: applies("deployer", { labels: { team: "shop" } }),
  });
}
