import { createHash } from 'node:crypto';
import { decrypt, encrypt, unlessUnreadable } from '#lib/aws/secrets.ts';

/** Sums up an archive: every line before the trailer, and what the trailer counts. */
export class Digest {
  readonly #hash = createHash('sha256');

  /** Adds a line, without its line feed. */
  add(line: string): void {
    this.#hash.update(`${line}\n`);
  }

  /** Returns the digest, of which this is the end. */
  end({ rows, counts }: { rows: number; counts: Readonly<Record<string, number>> }): string {
    this.add(JSON.stringify({ rows, counts }));
    return this.#hash.digest('hex');
  }
}

const contextOf = (workspaceId: number) => ({ purpose: 'archive', workspace: String(workspaceId) });

/** Returns what proves that this deployment exported the workspace with this digest. Needs the key. */
export const sealOf = (workspaceId: number, digest: string) => encrypt(digest, contextOf(workspaceId));

/** Returns whether a seal is that of the workspace and the digest. Needs the key. */
export const isSealOf = async (workspaceId: number, digest: string, seal: string) =>
  (await unlessUnreadable(decrypt(seal, contextOf(workspaceId)))) === digest;
