/**
 * Deals queues to flows: two flows rarely have the same hand, so that one that floods its queues leaves others theirs.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#queuing
 */
import { createHash } from "node:crypto";

/** Flows whose hands are remembered: users may make up as many as they like. */
const maxKnown = 10_000;

export class Dealer {
  readonly #queues: number;
  readonly #handSize: number;
  /** By FlowSchema and distinguisher: a key made of both would have to be hashed each time. */
  readonly #hands = new Map<string, Map<string, readonly number[]>>();
  #known = 0;

  /** `handSize` is at most the number of queues. */
  constructor(queues: number, handSize: number) {
    this.#queues = queues;
    this.#handSize = handSize;
  }

  /** Indexes of queues, each once; always the same for a flow. */
  handOf(flowSchema: string, distinguisher: string): readonly number[] {
    const known = this.#hands.get(flowSchema)?.get(distinguisher);
    if (known !== undefined) return known;
    const hand = deal(hashOf(`${flowSchema}\0${distinguisher}`), this.#queues, this.#handSize);
    if (this.#known++ >= maxKnown) {
      this.#hands.clear();
      this.#known = 1;
    }
    const ofSchema = this.#hands.get(flowSchema) ?? new Map<string, readonly number[]>();
    this.#hands.set(flowSchema, ofSchema.set(distinguisher, hand));
    return hand;
  }
}

const hashOf = (key: string): bigint => createHash("sha256").update(key).digest().readBigUInt64LE(0);

/** Each card is a digit of the hash, to a base that falls by one each time: a place among the queues that are left, counted back. */
export function deal(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const digits: number[] = [];
  let rest = hash;
  for (let base = BigInt(deckSize); digits.length < handSize; base--) {
    digits.push(Number(rest % base));
    rest /= base;
  }
  return digits.map((digit, i) => digits.slice(0, i).reduceRight((card, earlier) => (card >= earlier ? card + 1 : card), digit));
}
