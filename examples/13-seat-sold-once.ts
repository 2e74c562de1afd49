/** An invariant catches a seat that is sold twice: the first write that breaks it is named, with what its writer had read too early. */
import { defineResource, isAlreadyExists, type KubeObject } from "@coxswain/client";
import { type Invariants, startCluster, type TestCluster, virtualClock, watchInvariants } from "coxswain/testing";

interface Ticket extends KubeObject {
  spec: { seat: string };
}
const tickets = defineResource<Ticket>({ group: "cinema.example", version: "v1", resource: "tickets", kind: "Ticket", namespaced: true });

// What is to hold of every state, however short it lasted. It is asked again whenever a Ticket was written.
const invariants: Invariants = {
  "a seat is sold once": ({ list }) => {
    const sold = list(tickets).map(({ spec }) => spec.seat);
    const twice = sold.find((seat, i) => sold.indexOf(seat) !== i);
    return twice === undefined || `seat ${twice} is sold twice`;
  },
};

type Sell = (cluster: TestCluster, customer: string, seat: string) => Promise<boolean>;

const ticketsOf = (cluster: TestCluster, customer: string) => cluster.clientFor({ name: customer }).resource(tickets, "default");

// Lists first, then sells. Two who list at the same time see the same free seat, and no version is refused: these are two objects.
const listsFirst: Sell = async (cluster, customer, seat) => {
  const client = ticketsOf(cluster, customer);
  const { items } = await client.list();
  if (items.some(({ spec }) => spec.seat === seat)) return false;
  await client.create({ metadata: { name: `${customer}-${seat}` }, spec: { seat } });
  return true;
};

// The Ticket has the name of its seat: there can be one, and the server says who was second.
const byName: Sell = async (cluster, customer, seat) => {
  try {
    await ticketsOf(cluster, customer).create({ metadata: { name: seat }, spec: { seat } });
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
};

async function evening(title: string, sell: Sell): Promise<void> {
  console.log(`\n${title}`);
  await using cluster = await startCluster({ clock: virtualClock() });
  await cluster.applyYaml({ files: [`${import.meta.dirname}/manifests/tickets.yaml`] });
  const watched = watchInvariants(cluster, invariants);
  const sold = await Promise.all(["ann", "cleo"].map((customer) => sell(cluster, customer, "k-7")));
  console.log(`sold k-7 ${sold.filter(Boolean).length} times`);

  // Somebody cleans up, so that in the end nothing is wrong any more. Every version was looked at all the same.
  const [, second] = (await cluster.client.resource(tickets).list()).items;
  if (second !== undefined) await cluster.client.resource(tickets).delete(second.metadata?.name ?? "");

  // A test would call `watched.check()`, which throws the first, or nothing at all: then the end of the cluster throws it.
  const violations = await watched.violations();
  if (violations.length === 0) console.log("each invariant held at each version");
  for (const { message } of violations) console.log(message.replace(/request \S+/, "request …"));
}

await evening("1. List the Tickets, and sell the seat if there is none.", listsFirst);
await evening("2. A Ticket that is called after its seat.", byName);
