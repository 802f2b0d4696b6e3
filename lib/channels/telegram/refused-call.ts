import { secondMs } from '#lib/core/clock.ts';

/** Error that Telegram answers instead of a result: `FLOOD_WAIT_30`, `PEER_FLOOD`. */
export class RefusedCall extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }

  /** Wait that Telegram asks for, or 0. */
  get waitMs(): number {
    const [, seconds = 0] = /^FLOOD_(?:[A-Z]+_)?WAIT_(\d{1,7})$/.exec(this.message) ?? [];
    return Number(seconds) * secondMs;
  }
}
