import { sendAsSession } from './api.ts';

/** A record as it is now, with its version. */
export interface Versioned<Of> {
  record: Of;
  etag: string | undefined;
}

/** Reads a record with the version that `If-Match` takes; undefined where it cannot be read. */
export async function readVersion<Of>(path: string): Promise<Versioned<Of> | undefined> {
  try {
    const response = await sendAsSession(new Request(new URL(path, location.origin)));
    if (!response.ok) return undefined;
    return { record: (await response.json()) as Of, etag: response.headers.get('ETag') ?? undefined };
  } catch {
    return undefined;
  }
}
