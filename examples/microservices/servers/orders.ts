/** Takes orders: asks what a product costs, and has the ledger keep what was ordered. */
import { ask, serve } from "./serve.ts";

interface Wanted {
  readonly product: string;
  readonly quantity: number;
}

/** The replicas of the StatefulSet, each by a name of its own: whoever orders always gets to the same. */
const replicas = Number(process.env.LEDGER_REPLICAS);
const ledgerOf = (customer: string): string => `http://ledger-${sumOf(customer) % replicas}.ledger:8080`;
const sumOf = (text: string): number => Buffer.from(text).reduce((sum, byte) => sum + byte, 0);

serve(async ({ method, path, body }) => {
  const [, , customer = ""] = path.split("/");
  if (customer === "") return undefined;
  const ledger = `${ledgerOf(customer)}/entries/${customer}`;
  if (method !== "POST") return await ask(ledger);
  const { product, quantity } = body as Wanted;
  const { price } = await ask<{ readonly price: number }>(`http://prices/prices/${product}`);
  return await ask(ledger, { product, quantity, total: price * quantity });
});
