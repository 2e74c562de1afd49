/** Two couples want the same seat of a cinema. Both see it free, both book; exactly one may have it, and there is no lock. */
import { conflictChanges, defineResource, explainConflict, isConflict, type KubeObject, type ResourceClient } from "@coxswain/client";
import { exampleCluster } from "./support/cluster.ts";

interface Seat extends KubeObject {
  spec: { bookedBy?: string };
}
const seats = defineResource<Seat>({ group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: true });

// The cinema: a Seat is a resource of our own, and there are three.
await using cluster = await exampleCluster();
await cluster.applyYaml({ files: [`${import.meta.dirname}/manifests/seats.yaml`] });

const asCouple = (user: string, name: string) => {
  const client = cluster.clientFor({ name: user }, { fieldManager: name });
  return { name, seats: client.resource(seats, client.namespace) };
};
const [ann, cleo] = [asCouple("ann", "Ann and Ben"), asCouple("cleo", "Cleo and Dan")];

// Both read seat k-7, and both see that it is free. Each copy carries the resourceVersion that it was read at.
const annsCopy = await ann.seats.get("k-7");
const cleosCopy = await cleo.seats.get("k-7");
console.log(`both read one version of k-7: ${annsCopy.metadata?.resourceVersion === cleosCopy.metadata?.resourceVersion}`);

// Both write: "book it if it is still as I read it". The server takes the writes one after the other.
const booked = (copy: Seat, name: string): Seat => ({ ...copy, spec: { bookedBy: name } });
const [anns, cleos] = await Promise.allSettled([
  ann.seats.update(booked(annsCopy, ann.name)),
  cleo.seats.update(booked(cleosCopy, cleo.name)),
]);
const refused = [anns, cleos].flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
console.log(`bookings that stand: ${2 - refused.length}, refused: ${refused.length}`);

// The loser's error says what the winner did.
for (const error of refused) {
  if (!isConflict(error)) throw error;
  console.log(`\n${explainConflict(error)}\n`);
  for (const { reason, field } of conflictChanges(error)) console.log(`a program sees: ${reason} of ${field}`);
}

// It does not insist on what it wanted, but reads the object again and decides again. This is level-based: the question is
// which seats are free now, not what has happened since. Should this conflict too, it just looks once more. Whoever starts it
// again because an answer was lost finds that the seat is theirs, and does not book a second one.
async function bookAnyFree(seats: ResourceClient<Seat>, name: string): Promise<string | undefined> {
  for (;;) {
    const { items } = await seats.list();
    const heldBy = (holder: string | undefined) => items.find(({ spec }) => spec.bookedBy === holder);
    const seat = heldBy(name) ?? heldBy(undefined);
    if (seat === undefined || seat.spec.bookedBy === name) return seat?.metadata?.name;
    try {
      return (await seats.update(booked(seat, name))).metadata?.name;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
const loser = anns.status === "rejected" ? ann : cleo;
console.log(`${loser.name} book ${await bookAnyFree(loser.seats, loser.name)} instead\n`);
for (const { metadata, spec } of (await ann.seats.list()).items) console.log(`${metadata?.name}: ${spec.bookedBy ?? "free"}`);

// Who names no version never meets a conflict. That is why the definition has a rule as well.
const rude = cluster.client.resource(seats).patch("k-7", { type: "merge", patch: { spec: { bookedBy: "Rude" } } });
await rude.catch((error: Error) => console.log(`\n${error.message}`));
