/**
 * A CycleState carries what plugins compute from one extension point of a scheduling cycle to the next, each under keys of
 * its own.
 */
export interface CycleState {
  get<T>(key: StateKey<T>): T | undefined;
  set<T>(key: StateKey<T>, value: T): void;
  /** For thinking ahead (preemption): values with `clone` are cloned, others shared. */
  clone(): CycleState;
}

declare const valueType: unique symbol;

/**
 * A StateKey is the key of one value in a CycleState. Make each once: `const affinity: StateKey<Counts> =
 * stateKey("affinity", (counts) => counts.copy())`.
 */
export interface StateKey<T> {
  readonly name: string;
  readonly clone: ((value: T) => T) | undefined;
  readonly [valueType]?: T;
}

/** Makes a StateKey; `clone` is for values that change during a simulation, such as preemption. */
export const stateKey = <T>(name: string, clone?: (value: T) => T): StateKey<T> => ({ name, clone });

/** Makes the empty CycleState of a scheduling cycle. */
export function createCycleState(): CycleState {
  return new State(new Map());
}

class State implements CycleState {
  readonly #values: Map<StateKey<unknown>, unknown>;

  constructor(values: Map<StateKey<unknown>, unknown>) {
    this.#values = values;
  }

  get<T>(key: StateKey<T>): T | undefined {
    return this.#values.get(key as StateKey<unknown>) as T | undefined;
  }

  set<T>(key: StateKey<T>, value: T): void {
    this.#values.set(key as StateKey<unknown>, value);
  }

  clone(): CycleState {
    return new State(new Map([...this.#values].map(([key, value]) => [key, key.clone?.(value) ?? value])));
  }
}
