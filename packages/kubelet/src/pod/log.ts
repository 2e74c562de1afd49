/** Where the kubelet logs: a constant message with the object in its fields. */
export interface KubeletLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
