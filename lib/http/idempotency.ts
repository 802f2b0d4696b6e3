import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { canonicalJson } from '#lib/core/canonical.ts';
import { epochSeconds, now, secondMs } from '#lib/core/clock.ts';
import { conflict, invalidField, Problem } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { isConflict } from '#lib/table/client.ts';
import { identity, type Key, rowKey, sortableId } from '#lib/table/keys.ts';
import { leases } from '#lib/table/lease.ts';
import { putRows, readRows, removeRows } from '#lib/table/rows.ts';
import { cut } from '#lib/table/size.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Condition, type Write, writeIf } from '#lib/table/write.ts';

/** An answer as it is sent and, under an idempotency key, kept. */
export interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
  /** The body is bytes, and not JSON. */
  isBase64Encoded?: true;
}

const keptSeconds = 24 * 3600;

/** The row of a key: claimed by a call, then the first piece of its answer. */
const Stored = v.object({
  keyId: v.string(),
  fingerprint: v.string(),
  owner: v.string(),
  status: v.optional(v.number()),
  headers: v.optional(v.record(v.string(), v.string()), {}),
  piece: v.optional(v.instance(Uint8Array), new Uint8Array()),
  more: v.optional(v.number(), 0),
  /** Attempt to which the further pieces belong. */
  attempt: v.optional(v.string()),
});
type Stored = v.InferOutput<typeof Stored>;

/** A call that died gives its key free a second after its time-out. */
const claims = leases({
  owner: 'owner',
  until: 'lockedUntil',
  at: (epochMs) => epochSeconds(new Date(epochMs)),
});

/** A request under an `Idempotency-Key` (contract 0.3), claimed for this call. */
export interface Claim {
  key: Key;
  owner: string;
}

export type Claimed = { claim: Claim } | { replay: Reply };

/**
 * Claims the key for this call, or finds the answer that it already has. One conditional write. Raises 400 for a bad key,
 * 409 for another query or body, for another API key than the first call's, or while that call still runs (one that died gives the key free
 * after its time-out).
 */
export async function claim(
  tenant: Tenant,
  header: string,
  request: { keyId: string; method: string; path: string; query?: unknown; body: unknown; timeoutSeconds: number },
): Promise<Claimed> {
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw invalidField(
      'Idempotency-Key',
      'invalid_format',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  }
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  const call = digest(`${request.method} ${request.path} ${header}`);
  const key = rowKey('claim', { tenant: tenantKey(tenant), call, piece: 0 });
  const query = request.query === undefined ? '' : `?${canonicalJson(request.query)}`;
  const fingerprint = digest(`${canonicalJson(request.body)}${query}`);
  const { keyId, timeoutSeconds } = request;
  const nowMs = now();
  const nowSeconds = epochSeconds();
  const isFirst = [{ absent: ['pk'] }, { atMost: { expiresAtSeconds: nowSeconds } }];
  const isOfDead = {
    absent: ['status'],
    is: { fingerprint, keyId },
    all: [claims.whereFree(nowMs)],
  };
  const { item, refused } = await claims
    .acquire(nowMs + (timeoutSeconds + 2) * secondMs, (holder) => ({
      key,
      item: { keyId, fingerprint, ...holder, expiresAtSeconds: nowSeconds + keptSeconds },
      if: { any: [...isFirst, isOfDead] },
    }))
    .catch((error) => {
      // The first call's commit has it in hand.
      throw isConflict(error) ? inProgress() : error;
    });
  const row = v.parse(Stored, item ?? refused);
  if (item) return { claim: { key, owner: row.owner } };
  if (row.fingerprint !== fingerprint || row.keyId !== keyId)
    throw conflict(
      'idempotency_key_reused',
      'this Idempotency-Key was used with another query or body, or by another API key: use a new one',
    );
  if (row.status === undefined) throw inProgress();
  return { replay: await kept(key, { ...row, status: row.status }) };
}

const inProgress = () =>
  new Problem(
    'conflict',
    'the first call with this Idempotency-Key is still running: repeat yours after Retry-After to get its answer',
    { reason: 'idempotency_in_progress' },
    {
      headers: { 'Retry-After': '1' },
    },
  );

/**
 * Adds the answer, which must hold no secret, to the transaction that does the work, so that both happen or neither. What one item
 * does not hold is written ahead: there may be more than a transaction takes, and only who reads the settled claim finds it.
 */
export async function keepWith(tx: UnitOfWork, claim: Claim, reply: Reply): Promise<void> {
  const [first, ...rest] = cut(gzipSync(reply.body));
  const written = { more: rest.length, attempt: tx.id };
  const keys = furtherKeys(claim.key, written);
  if (rest.length > 0) tx.otherwise(() => removeRows(keys));
  const expiresAtSeconds = epochSeconds() + keptSeconds;
  await putRows(keys.map((key, index) => ({ ...key, piece: rest[index], expiresAtSeconds })));
  // The claim is gone only when another call took it over after the lock of this one ran out.
  tx.write(settlement(claim, reply, first, written), inProgress);
}

/**
 * Keeps a refusal (404, 409, 412), which changed nothing. That it is refused means that somebody took the key over after its lock ran
 * out, and it is theirs; or that the SDK repeated what was done, its answer lost.
 */
export async function keepRefusal(claim: Claim, reply: Reply): Promise<void> {
  const [whole] = cut(gzipSync(reply.body));
  await writeIf(settlement(claim, reply, whole, { more: 0 }));
}

/** Gives the key free, unless it is somebody else's by now: the answer is one that is not kept. */
export async function release({ key, owner }: Claim): Promise<void> {
  await writeIf({ key, item: null, if: isOpen(owner) });
}

const isOpen = (owner: string): Condition => ({ is: { owner }, absent: ['status'] });

type Written = Pick<Stored, 'more' | 'attempt'>;

const settlement = ({ key, owner }: Claim, { status, headers }: Reply, piece: Buffer, written: Written): Write => ({
  key,
  set: { status, headers, piece, ...written },
  if: isOpen(owner),
});

const furtherKeys = ({ pk }: Key, { more, attempt }: Written): Key[] =>
  Array.from({ length: more }, (_, index) => ({
    pk,
    sk: `${attempt}#${sortableId(index + 1)}`,
  }));

const Piece = v.object({ piece: v.instance(Uint8Array) });

async function kept(key: Key, row: Stored & { status: number }): Promise<Reply> {
  const keys = furtherKeys(key, row);
  const further = await readRows(keys);
  const packed = [row.piece, ...keys.map((one) => v.parse(Piece, further.get(identity(one))).piece)];
  return {
    status: row.status,
    headers: { ...row.headers, 'Idempotency-Replayed': 'true' },
    body: gunzipSync(Buffer.concat(packed)).toString(),
  };
}
