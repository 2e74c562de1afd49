/** A key management service whose calls are timed. */
import type { KmsService, Metrics } from "@coxswain/apiserver";
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import type { Clock } from "@coxswain/machinery";

interface Observer {
  readonly clock: Pick<Clock, "monotonic">;
  readonly metrics: Pick<Metrics, "kms">;
}

/** @param name of the provider, as its configuration calls it */
export function observedKms(name: string, service: KmsService, { clock, metrics }: Observer): KmsService {
  const observe = async <T>(method: "Status" | "Encrypt" | "Decrypt", call: () => Promise<T>): Promise<T> => {
    const startedAt = clock.monotonic();
    let code = "OK";
    try {
      return await call();
    } catch (error) {
      code = codeOf(error);
      throw error;
    } finally {
      const labels = { provider_name: name, method_name: `/v2.KeyManagementService/${method}`, grpc_status_code: code };
      metrics.kms.calls.observe(labels, (clock.monotonic() - startedAt) / 1000);
    }
  };
  return {
    status: () => observe("Status", () => service.status()),
    encrypt: (plaintext, uid) => observe("Encrypt", () => service.encrypt(plaintext, uid)),
    decrypt: (encrypted, uid) => observe("Decrypt", () => service.decrypt(encrypted, uid)),
  };
}

const names = new Map<number, string>(Object.entries(grpcCodes).map(([name, code]) => [code, name]));

const codeOf = (error: unknown): string =>
  error instanceof GrpcError ? (names.get(error.code) ?? `Code(${error.code})`) : "unknown-non-grpc";
