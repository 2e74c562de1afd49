/** What the thread of races runs: each in a sandbox of its own. It has no way to the server that has started it but these messages. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { messageOf, notFound, type RaceRequest, StatusError } from "@coxswain/machinery";
import type { FromAnyThread } from "../../threads/worker-thread.ts";
import type { RaceCall, RaceOutcome, ToRaceThread } from "../race-protocol.ts";
import { Sandbox } from "./sandbox.ts";

class RaceThread {
  readonly #parent: MessagePort;
  readonly #races = new Map<string, Sandbox>();
  /** One thing after another: time in a sandbox passes by one action alone. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parent: MessagePort) {
    this.#parent = parent;
    parent.on("message", (message: ToRaceThread) => this.#receive(message));
  }

  #receive(message: ToRaceThread): void {
    if (message.kind === "end") process.exit(0);
    const { id, call } = message;
    const answer = this.#last.then(() => this.#answer(call));
    this.#last = answer.then(
      (value) => this.#send({ kind: "answer", id, value }),
      (error: unknown) => this.#send({ kind: "failed", id, message: messageOf(error) }),
    );
  }

  async #answer(call: RaceCall): Promise<RaceOutcome | undefined> {
    switch (call.method) {
      case "begin":
        return await outcomeOf(() => this.#begin(...call.args));
      case "act": {
        const [id, action, afterStep] = call.args;
        return await outcomeOf(async () => {
          const race = this.#race(id);
          await race.act(action);
          return race.report(id, afterStep);
        });
      }
      case "report":
        return await outcomeOf(async () => this.#race(call.args[0]).report(call.args[0]));
      case "end": {
        const [id] = call.args;
        const race = this.#races.get(id);
        this.#races.delete(id);
        await race?.[Symbol.asyncDispose]();
        return undefined;
      }
    }
  }

  async #begin(id: string, request: RaceRequest) {
    const race = await Sandbox.begin(request);
    this.#races.set(id, race);
    return race.report(id);
  }

  /** @throws notFound() */
  #race(id: string): Sandbox {
    const race = this.#races.get(id);
    if (race === undefined) throw notFound({ group: "coxswain", resource: "races" }, id);
    return race;
  }

  #send(message: FromAnyThread): void {
    this.#parent.postMessage(message);
  }
}

/** @throws Error for what is no answer to a client */
async function outcomeOf(work: () => Promise<Extract<RaceOutcome, { ok: true }>["report"]>): Promise<RaceOutcome> {
  try {
    return { ok: true, report: await work() };
  } catch (error) {
    if (error instanceof StatusError) return { ok: false, status: error.status };
    throw error;
  }
}

if (parentPort !== null) new RaceThread(parentPort);
