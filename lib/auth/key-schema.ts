import * as v from 'valibot';
import {
  choice,
  count,
  id,
  integer,
  line,
  listInput,
  nullableTimeInput,
  paging,
  queryBoolean,
  shownOnce,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { scopes } from '#lib/core/scopes.ts';
import { environments } from '#lib/core/tenant.ts';
import { isAddressOrRange } from '#lib/network/addresses.ts';

const shown = {
  id: id(),
  keyId: v.string(),
  name: v.string(),
  env: storedChoice(environments),
  scopes: v.array(storedChoice(scopes)),
  ipAllowlist: v.array(v.string()),
  rateLimitPerMinute: count(),
  lastUsedAt: v.nullable(time()),
  lastUsedIp: v.nullable(v.string()),
  expiresAt: v.nullable(time()),
  createdByKeyId: v.nullable(v.string()),
  createdAt: time(),
  revokedAt: v.nullable(time()),
};

/** A key as everybody may see it (contract section 18). */
export const Key = v.pipe(v.object(shown), v.title('Key'));
/** Every call with the key changes these. */
export const volatileKeyFields = ['lastUsedAt', 'lastUsedIp'];
/** The one answer that holds the full value. */
export const MintedKey = v.pipe(v.object({ ...shown, key: shownOnce() }), v.title('MintedKey'));

export const RevokedKey = v.pipe(
  v.object({
    id: id(),
    keyId: v.string(),
    revoked: v.literal(true),
    revokedAt: time(),
    /** Only with `cancelQueued`. */
    canceledJobs: v.optional(count()),
  }),
  v.title('RevokedKey'),
);

export const RevokeQuery = v.object({ cancelQueued: v.optional(queryBoolean(), false) });

const ipAllowlist = listInput(
  v.pipe(v.string(), v.trim(), v.check(isAddressOrRange, 'must be an IPv4 or IPv6 address or CIDR')),
  50,
  'entries',
);
/** More than there are, because one may be named twice. */
const maxScopes = 100;
const granted = v.pipe(listInput(choice(scopes), maxScopes, 'scopes'), v.minLength(1, 'must have at least 1 scope'));

export const MintKey = v.pipe(
  v.object({
    name: line(100),
    scopes: granted,
    ipAllowlist: v.optional(ipAllowlist),
    expiresAt: v.optional(nullableTimeInput()),
  }),
  v.title('MintKey'),
);

export const PatchKey = v.pipe(
  v.object({
    name: v.optional(line(100)),
    scopes: v.optional(granted),
    ipAllowlist: v.optional(v.nullable(ipAllowlist)),
    expiresAt: v.optional(nullableTimeInput()),
  }),
  v.title('PatchKey'),
);

/** Fields that an operator may set besides. */
export const OperatorKey = v.object({
  ...MintKey.entries,
  name: v.optional(line(100), 'Operator key'),
  ipAllowlist: v.optional(ipAllowlist, []),
  expiresAt: v.optional(nullableTimeInput(), null),
  scopes: v.union(
    [
      v.pipe(
        v.literal('all'),
        v.transform(() => [...scopes]),
      ),
      granted,
    ],
    'must be "all" or a list of scopes',
  ),
  rateLimitPerMinute: v.optional(v.nullable(integer(1, 1_000_000)), null),
});

export const KeyQuery = v.object({
  ...paging,
  env: v.optional(choice(environments)),
  isRevoked: v.optional(queryBoolean()),
});
