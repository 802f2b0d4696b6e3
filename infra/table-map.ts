import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Keys } from '#lib/auth/key.ts';
import { platforms } from '#lib/core/channel.ts';
import { entities } from '#lib/entities/all.ts';
import { type Entity, latestVersion } from '#lib/table/entity.ts';
import { blank, type Key, rowKeys, shardsOf } from '#lib/table/keys.ts';
import { Sagas } from '#lib/table/saga.ts';
import { entityMeanings } from './entities.ts';

/** Entities that have a declaration, by name. */
const declared: readonly Entity[] = [...entities, Keys, Sagas].toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The diagrams of docs/states.md. */
const states: Readonly<Record<string, string>> = {
  delivery: 'deliveries',
  enrollment: 'enrollments',
  job: 'jobs',
  [Sagas.name]: 'sagas',
};

/** Uses of the rows without an entity. */
const uses: Readonly<Record<keyof typeof rowKeys, string>> = {
  ids: 'the last id of each entity',
  counter: 'one of the rows over which a counter is spread',
  sequence: 'the number of the last event, and the rows that are being published with their numbers',
  change:
    'note of the rows of a noun that a transaction has changed, for searches and for the renewal of its copy; kept for 7 days',
  claim: 'the call under an `Idempotency-Key`, and its answer in pieces; a day',
  outcome: 'the outcome of an item of that call, if it is a batch',
  quota: 'the spent part of a quota in a UTC day',
  requestLog: 'a request of a key, by its id, which holds the time when it began; 7 days',
  slot: 'a call that waits for an outside service, and until when',
  codePhone: 'a phone that was sent a code of Telegram less than a minute ago',
  memberCount: 'the number of members that were created',
  activeKeys: 'the number of keys that are not revoked',
  import: 'the archive that is, or was, imported into the workspace',
  workspaceIds: 'the last id of a workspace',
  outbox: 'the events and the audit entry of a commit, until they are published',
  due: 'the timer of a row (`place`) that waits for its time; written and removed with that row',
  hook: 'the account of a hook that a platform posts to, and the hash of its secret token',
  key: 'the entity `key`',
  memberAddress: 'an active member with this e-mail address, in any workspace: an index entry of `member`',
  signIn: 'a sign-in link, by the hash of its token: its member, and whether it was used; 15 minutes',
  session:
    'a session of the panel, by the hash of its token: its member, its last use, and its requests of this minute; 12 hours after its last use',
  signedIn: 'a member with the e-mail address of this hash has signed in; 400 days after the last time',
  signInCounts: 'the number of sign-in links of this minute or day, for one e-mail address or one client',
  address: 'calls of this minute from an address without a valid key',
  sweep: 'where the last sweep stopped in a partition',
  none: 'nothing: a starting function reads it to open its connection',
};

/** Patterns for the blanks of a key. A blank that is not listed is one part of a key. */
const forms: Readonly<Record<string, string>> = {
  tenant: String.raw`\d+:(?:live|test)`,
  workspace: String.raw`\d+`,
  scope: String.raw`\d+(?::(?:live|test))?`,
  claim: String.raw`\d+:(?:live|test)#idempotency/[^/]+`,
  channel: platforms.join('|'),
  id: String.raw`\d{10}`,
  shard: String.raw`\d{2,3}`,
  row: '.+',
  place: '.+',
  partition: '.+',
  group: '.+',
  value: '.+',
};

const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);

/** Returns the regular expression for the keys of a pattern. */
function matcher(pattern: string, blanks: string): RegExp {
  const parts = pattern.split(blank);
  const source = parts.map((part, index) => (index % 2 === 0 ? escaped(part) : (forms[part] ?? blanks))).join('');
  return new RegExp(`^${source}$`, 's');
}

/** Every field is called by its name, so that a key which is made of fields says of which. */
const blanksOf = (entity: string) =>
  new Proxy({}, { get: (_, field) => (field === 'id' ? `{${entity}Id}` : `{${String(field)}}`) });

function keyPattern(of: Entity): Key {
  const { scope, within = of.name, partitionKey, sortKey } = of;
  const blanks = blanksOf(of.name);
  // A number may be padded.
  const sk = sortKey?.(blanks).replace(/^0+(?=\{)/, '') ?? '{id}';
  return {
    pk: partitionKey?.(blanks) ?? `${scope === 'workspace' ? '{workspace}' : '{tenant}'}#${within}`,
    // A digest names no field.
    sk: sk.includes('{') || partitionKey ? sk : '{digest}',
  };
}

const meanings = entityMeanings();

const meaningOf = ({ name }: Entity): string => {
  const meaning = meanings.get(name);
  if (!meaning) throw new Error(`no comment at the declaration of ${name} says what it is`);
  return states[name] ? `${meaning}: [its states](states.md#${states[name]})` : meaning;
};

/** `contact?stage`, and what stands behind it where an item has one value or several.  */
function indexPatterns(of: Entity) {
  const own = Object.entries(of.indexes ?? {}).filter(([, by]) => typeof by === 'function' || !('across' in by));
  const patterns = own.map(([index, by]) => {
    const { at = index, order } = (typeof by === 'function' ? {} : by) as { at?: string; order?: unknown };
    return { at: `${of.name}?${at}`, isOrdered: order !== undefined };
  });
  return [...new Map(patterns.map((pattern) => [pattern.at, pattern])).values()];
}

const entryPatterns = declared.flatMap((of) =>
  indexPatterns(of).flatMap(({ at, isOrdered }) => {
    const pk = `${of.scope === 'workspace' ? '{workspace}' : '{tenant}'}#${at}`;
    const sk = isOrdered ? '{order}#{id}' : '{id}';
    return [pk, `${pk}={value}`].map((place) => ({ pk: place, sk }));
  }),
);

const otherPatterns = Object.values(rowKeys).map(([pk, sk]): Key => ({ pk, sk }));

const matchers = [...declared.map(keyPattern), ...entryPatterns, ...otherPatterns].map(({ pk, sk }) => ({
  pk: matcher(pk, '[^/#?]+'),
  sk: matcher(sk, '.+'),
}));

/** Whether the page says what lies there. */
export const isOnMap = ({ pk, sk }: Key): boolean => matchers.some((kind) => kind.pk.test(pk) && kind.sk.test(sk));

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');
const code = (text: string) => `\`${text}\``;
const codes = (texts: readonly string[]) => texts.map(code).join(', ');

/** The page as `docs/table.md` holds it. */
export function renderTableMap(): string {
  const items = declared.map((of) => {
    const { pk, sk } = keyPattern(of);
    const names = (of.references ?? []).map(({ to, field }) => `${code(field)} → ${to}`).join(', ');
    const notes = [
      of.timer && 'due',
      of.expiresAtSeconds && 'expires',
      latestVersion(of) > 1 && `version ${latestVersion(of)}`,
    ].filter(Boolean);
    return [code(pk), code(sk), meaningOf(of), names, notes.join(', ')];
  });
  const entries = declared
    .map((of) => [of.name, indexPatterns(of)] as const)
    .filter(([, indexes]) => indexes.length > 0)
    .map(([name, indexes]) => {
      const of = (isOrdered: boolean) =>
        codes(indexes.filter((one) => one.isOrdered === isOrdered).map(({ at }) => at));
      return [name, of(false), of(true)];
    });
  const counters = declared.flatMap((of) =>
    Object.entries(of.counters ?? {}).map(([name, { group = name }]) => [code(`count/${group}`), of.name]),
  );
  const others = Object.entries(rowKeys).map(([name, [pk, sk]]) => [
    code(pk),
    code(sk),
    uses[name as keyof typeof rowKeys],
  ]);
  return `# The table

For developers: every row of the one DynamoDB table, by the pattern of its key (\`pk\`, \`sk\`).

\`npm run table-map\` makes this page from the declarations in \`lib/entities\` and from \`rowKeys\` in \`lib/table/keys.ts\`. A test fails if the page is not current, or if a test writes a row that is not on it.

| Placeholder | Stands for |
| --- | --- |
| \`{tenant}\` | a workspace in one environment, such as \`7:live\` |
| \`{workspace}\` | a workspace with both environments, such as \`7\` |
| \`{scope}\` | a tenant or a workspace |
| \`{id}\` | ten digits |
| \`{shard}\` | one of ${shardsOf('outbox').length} for the outbox, of ${shardsOf('due').length} for timers |
| \`{claim}\` | the partition of a call under an \`Idempotency-Key\` |
| \`none\` | in the name of a partition: a field that is null |

\`\`\`mermaid
flowchart LR
  change([a change, one transaction]) --> item[item]
  change --> entries["index entries<br>{tenant}#contact?stage=new"]
  change --> counters["counters<br>{tenant}#count/…"]
  change --> due["timer<br>DUE#…"]
  change --> outbox["events, audit entry<br>OUTBOX#…"]
  outbox -- published --> feed["{tenant}#event, {tenant}#audit-event,<br>{tenant}#webhook/…/delivery"]
\`\`\`

## Items

Each item has \`v\`, the count of its changes, and \`entityVersion\`, the form in which it was written ([changing an entity](changing-an-entity.md)).

- *due*: the item has a timer while it waits for a time.
- *expires*: DynamoDB removes the item (\`expiresAtSeconds\`).

${table(['Partition', 'Place', 'Item', 'Names', ''], items)}

## Index entries

An item has one entry for each of its values in an index, written in the same transaction. If an index separates values, the partition continues with \`={value}\`: \`7:live#contact?stage=new\`. The place is the item's id, in ordered indexes \`{order}#{id}\`. The attribute \`of\` is the item's key.

${table(['Entity', 'By id', 'Ordered'], entries)}

## Counters

Sums over rows. Each counter is spread over eight rows. \`UnitOfWork.count\` writes counters that belong to no entity: \`queued\`, \`webhook-waiting\`, and the messages and new people of an account in a day.

${table(['Group', 'Entity'], counters)}

## Other rows

${table(['Partition', 'Place', 'Use'], others)}
`;
}

if (import.meta.main) await writeFile(join(import.meta.dirname, '../docs/table.md'), renderTableMap());
