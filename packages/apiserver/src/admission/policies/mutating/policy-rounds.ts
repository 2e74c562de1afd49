/** Which policies are asked once more, because something has changed the object since. */
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { AdmissionRequest, Reinvocation } from "../../../contracts/admission.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import type { Policy, PolicyBinding, PolicyHook } from "../policy-hooks.ts";
import type { Params } from "../policy-params.ts";

const name = "MutatingAdmissionPolicy";

/** One policy by one binding with one parameter. */
export const invocationKey = (
  { hook, binding }: { readonly hook: Pick<PolicyHook<Policy, unknown>, "name">; readonly binding: PolicyBinding },
  params: Params,
): string => `${hook.name}/${binding.name}/${params?.metadata?.namespace ?? ""}/${params?.metadata?.name ?? ""}`;

export class Rounds {
  readonly #reinvocation: Reinvocation;
  /** Invoked already, and to be invoked again when something changes. */
  readonly #invoked = new Set<string>();
  readonly #outdated = new Set<string>();
  /** After the last policy; undefined where none is to be invoked again. */
  #left: KubeObject | undefined;

  constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** Those of the request, at the beginning of one of its rounds. */
  static of(request: AdmissionRequest): Rounds {
    request.reinvocation ??= { needed: false, round: 0, kept: new Map() };
    const { kept, round } = request.reinvocation;
    const known = kept.get(name);
    const rounds = known instanceof Rounds ? known : new Rounds(request.reinvocation);
    kept.set(name, rounds);
    if (round === 1 && rounds.#left !== undefined && !deepEqual(rounds.#left, request.object)) rounds.#outdate();
    return rounds;
  }

  mayInvoke(key: string): boolean {
    return this.#reinvocation.round === 0 || this.#outdated.has(key);
  }

  /** A policy has changed the object. */
  changed(): void {
    this.#outdate();
    this.#reinvocation.needed = true;
  }

  invoked(key: string): void {
    this.#invoked.add(key);
  }

  keep(object: KubeObject | undefined): void {
    this.#left = this.#invoked.size > 0 && object !== undefined ? cloneJson(object) : undefined;
  }

  #outdate(): void {
    for (const key of this.#invoked) this.#outdated.add(key);
    this.#invoked.clear();
  }
}
