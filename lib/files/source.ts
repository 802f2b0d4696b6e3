/** What becomes of asking for a file: its bytes, or why there are none; `expired`: nobody has them any more. */
type Opened = { kind: 'bytes'; bytes: AsyncIterable<Uint8Array> } | { kind: 'too_large' | 'failed' | 'expired' };

/** Where the files of messages that came in are fetched. */
export interface FileSource {
  /** Of one file; more is not fetched. */
  maxBytes: number;
  /** By what the source calls it. Throws what may pass. */
  open(ref: string): Promise<Opened>;
  close(): Promise<void>;
}
