/** A key management service on a unix socket, asked by gRPC. */
import type { KmsService } from "@coxswain/apiserver";
import { connectGrpc, type GrpcMethod, grpcMethods, parseProto } from "@coxswain/grpc";
import type { Clock } from "@coxswain/machinery";

/** The part of it that is spoken here. @see https://github.com/kubernetes/kms/blob/master/apis/v2/api.proto */
const kms = `
  package v2;
  service KeyManagementService {
    rpc Status(StatusRequest) returns (StatusResponse);
    rpc Decrypt(DecryptRequest) returns (DecryptResponse);
    rpc Encrypt(EncryptRequest) returns (EncryptResponse);
  }
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
  message DecryptResponse { bytes plaintext = 1; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
`;

/** What the service can be asked. */
const kmsMethods = (): ReadonlyMap<string, GrpcMethod> => grpcMethods(parseProto(kms), "v2.KeyManagementService");

/** @param endpoint `unix:///path`, or `unix:///@name` for an abstract socket */
export function connectKms(
  endpoint: string,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): KmsService & Disposable {
  const path = endpoint.replace(/^unix:(\/\/)?/i, "");
  const methods = kmsMethods();
  const connection = connectGrpc({ address: { path: path.startsWith("/@") ? `\0${path.slice(2)}` : path }, clock });
  const call = async <Response>(name: "Status" | "Encrypt" | "Decrypt", request: object): Promise<Response> =>
    (await connection.call(methods.get(name) as GrpcMethod, request, { timeoutMs })) as Response;
  return {
    status: () => call("Status", {}),
    encrypt: (plaintext, uid) => call("Encrypt", { plaintext, uid }),
    async decrypt({ keyId, encryptedSeed, annotations }, uid) {
      const { plaintext } = await call<{ plaintext: Uint8Array }>("Decrypt", { ciphertext: encryptedSeed, keyId, annotations, uid });
      return plaintext;
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}
