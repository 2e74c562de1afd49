/** The health check ports of Services whose external traffic stays local: load balancers ask them which nodes have endpoints. */
import type { RequestListener } from "node:http";
import { jsonHeaders, type Listen, type ListeningServer } from "./health-server.ts";

/** A Service of which load balancers ask. */
export interface CheckedService {
  readonly namespace: string;
  readonly name: string;
  readonly healthCheckNodePort: number;
  /** How many addresses of this node serve it. */
  readonly localEndpoints: number;
}

/** What the servers need. */
export interface ServiceHealthOptions {
  /** The addresses at which each port is opened. */
  readonly hosts: readonly string[];
  readonly isHealthy: () => boolean;
  /** Called where a port cannot be opened; it is tried again with the next sync. */
  readonly onError: (service: CheckedService, error: unknown) => void;
  readonly listen: Listen;
}

interface OpenPort {
  checked: CheckedService;
  readonly servers: readonly ListeningServer[];
}

/** Servers by Service. */
export class ServiceHealthServers implements AsyncDisposable {
  readonly #options: ServiceHealthOptions;
  readonly #open = new Map<string, OpenPort>();

  constructor(options: ServiceHealthOptions) {
    this.#options = options;
  }

  /** Opens and closes ports, so that they are those of these Services. */
  async sync(services: readonly CheckedService[]): Promise<void> {
    const wanted = new Map(services.map((service) => [`${service.namespace}/${service.name}`, service]));
    for (const [key, port] of this.#open)
      if (wanted.get(key)?.healthCheckNodePort !== port.checked.healthCheckNodePort) await this.#close(key, port);
    for (const [key, service] of wanted) {
      const open = this.#open.get(key);
      if (open === undefined) await this.#openPort(key, service);
      else open.checked = service;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [key, port] of this.#open) await this.#close(key, port);
  }

  async #openPort(key: string, service: CheckedService): Promise<void> {
    const servers: ListeningServer[] = [];
    const answer: RequestListener = (_request, response) => {
      const { status, headers, body } = healthAnswer(this.#open.get(key)?.checked ?? service, this.#options.isHealthy());
      response.writeHead(status, headers).end(body);
    };
    try {
      for (const host of this.#options.hosts) servers.push(await this.#options.listen({ host, port: service.healthCheckNodePort }, answer));
      this.#open.set(key, { checked: service, servers });
    } catch (error) {
      for (const server of servers) await server[Symbol.asyncDispose]();
      this.#options.onError(service, error);
    }
  }

  async #close(key: string, { servers }: OpenPort): Promise<void> {
    this.#open.delete(key);
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
}

/** The answer as kube-proxy gives it: load balancers read the status, and some the weight. */
export function healthAnswer({ namespace, name, localEndpoints }: CheckedService, serviceProxyHealthy: boolean) {
  const answer = { service: { namespace, name }, localEndpoints, serviceProxyHealthy };
  return {
    status: localEndpoints > 0 && serviceProxyHealthy ? 200 : 503,
    headers: { ...jsonHeaders, "x-load-balancing-endpoint-weight": String(localEndpoints) },
    body: JSON.stringify(answer, null, "\t"),
  };
}
