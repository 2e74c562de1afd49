import type { Duplex } from "node:stream";

/** A new connection to the kubelet of a node; undefined for what is no node here. */
export type Connect = (node: string) => Duplex | undefined;

/** How the server of a test's cluster comes to the kubelets of its nodes: without ports. */
export class NodeConnections {
  readonly #all = new Set<Connect>();

  readonly connect: Connect = (node) => {
    for (const connect of this.#all) {
      const connection = connect(node);
      if (connection !== undefined) return connection;
    }
    return undefined;
  };

  add(connect: Connect): Disposable {
    this.#all.add(connect);
    return { [Symbol.dispose]: () => void this.#all.delete(connect) };
  }
}
