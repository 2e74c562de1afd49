/**
 * Tokens of a service account of the namespace kube-system, as kube-controller-manager has them with
 * `--use-service-account-credentials`: each is asked for with the rights of who asks, and replaced before it ends.
 */
import { type Client, type Credential, type Credentials, isAlreadyExists, isNotFound, serviceAccounts } from "@coxswain/client";

const namespace = "kube-system";
/** Seconds. */
const lifetime = 3_600;
/** Of its lifetime, after which a token is replaced. */
const renewAfter = 0.8;

interface Issued {
  readonly credential: Credential;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

export class ServiceAccountCredentials implements Credentials {
  readonly #client: Client;
  readonly #name: string;
  #issued: Promise<Issued> | undefined;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  async current(): Promise<Credential> {
    this.#issued ??= this.#issue();
    const { credential, renewAt } = await this.#issued;
    if (this.#client.clock.now() < renewAt) return credential;
    this.#issued = this.#issue();
    return (await this.#issued).credential;
  }

  /** The account may have been deleted, and its tokens with it. */
  async renew(refused: Credential): Promise<void> {
    if ((await this.#issued)?.credential === refused) this.#issued = undefined;
  }

  async #issue(): Promise<Issued> {
    try {
      return await this.#request();
    } catch (error) {
      this.#issued = undefined;
      throw error;
    }
  }

  async #request(): Promise<Issued> {
    const accounts = this.#client.resource(serviceAccounts, namespace);
    try {
      await accounts.get(this.#name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await accounts.create({ metadata: { name: this.#name } }).catch((made: unknown) => {
        if (!isAlreadyExists(made)) throw made;
      });
    }
    const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [], expirationSeconds: lifetime } };
    const answer = await this.#client.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${this.#name}/token`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: Buffer.from(JSON.stringify(asked)),
    });
    const { status } = JSON.parse(Buffer.from(await answer.bytes()).toString());
    const credential = { authorization: `Bearer ${status.token}` };
    const now = this.#client.clock.now();
    return { credential, renewAt: now + (Date.parse(status.expirationTimestamp) - now) * renewAfter };
  }
}
