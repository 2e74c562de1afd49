/** A key management service on a unix socket, asked by gRPC. */
import type { KmsService } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { fromJSON, type MethodDefinition } from "@grpc/proto-loader";

const bytes = (id: number) => ({ type: "bytes", id });
const text = (id: number) => ({ type: "string", id });
const annotations = (id: number) => ({ keyType: "string", type: "bytes", id });
const method = (name: string) => ({ requestType: `${name}Request`, responseType: `${name}Response`, comment: "" });

/** As https://github.com/kubernetes/kms/blob/master/apis/v2/api.proto has it. */
const methods = fromJSON(
  {
    nested: {
      v2: {
        nested: {
          StatusRequest: { fields: {} },
          StatusResponse: { fields: { version: text(1), healthz: text(2), keyId: text(3) } },
          DecryptRequest: { fields: { ciphertext: bytes(1), uid: text(2), keyId: text(3), annotations: annotations(4) } },
          DecryptResponse: { fields: { plaintext: bytes(1) } },
          EncryptRequest: { fields: { plaintext: bytes(1), uid: text(2) } },
          EncryptResponse: { fields: { ciphertext: bytes(1), keyId: text(2), annotations: annotations(3) } },
          KeyManagementService: {
            methods: {
              Status: method("Status"),
              Decrypt: method("Decrypt"),
              Encrypt: method("Encrypt"),
            },
          },
        },
      },
    },
  },
  { defaults: true },
);

/** The definition of the service, for who serves it. */
export const kmsServiceDefinition = methods["v2.KeyManagementService"] as Record<
  "Status" | "Decrypt" | "Encrypt",
  MethodDefinition<object, object>
>;

/** @param endpoint `unix:///path`, or `unix:///@name` for an abstract socket */
export function connectKms(
  endpoint: string,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): KmsService & Disposable {
  const path = endpoint.replace(/^unix:(\/\/)?/i, "");
  const target = path.startsWith("/@") ? `unix-abstract:${path.slice(2)}` : `unix:${path}`;
  const client = new Client(target, credentials.createInsecure(), { "grpc.default_authority": "localhost" });
  const call = <Response>(name: keyof typeof kmsServiceDefinition, request: object): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = kmsServiceDefinition[name];
      const sent = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), (error, answer) => {
        timer[Symbol.dispose]();
        if (error !== null) reject(new Error(`rpc error: ${error.message}`, { cause: error }));
        else resolve(answer as Response);
      });
      const timer = clock.schedule(timeoutMs, () => sent.cancel());
    });
  return {
    status: () => call("Status", {}),
    encrypt: (plaintext, uid) => call("Encrypt", { plaintext, uid }),
    async decrypt({ keyId, encryptedSeed, annotations }, uid) {
      const { plaintext } = await call<{ plaintext: Uint8Array }>("Decrypt", { ciphertext: encryptedSeed, keyId, annotations, uid });
      return plaintext;
    },
    [Symbol.dispose]: () => client.close(),
  };
}
