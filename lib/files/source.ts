/** Result of opening a file: its bytes, or the reason why there are none. `expired`: the source no longer has it. */
type Opened = { kind: 'bytes'; bytes: AsyncIterable<Uint8Array> } | { kind: 'too_large' | 'failed' | 'expired' };

/** Where the files of messages that came in are fetched. */
export interface FileSource {
  /** Limit for one file. Larger ones are not fetched. */
  maxBytes: number;
  /** Opens a file by its reference at the source. Throws errors that may pass. */
  open(ref: string): Promise<Opened>;
  close(): Promise<void>;
}
