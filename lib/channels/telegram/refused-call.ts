/** Error that Telegram answers instead of a result: `FLOOD_WAIT_30`, `PEER_FLOOD`. */
export class RefusedCall extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}
