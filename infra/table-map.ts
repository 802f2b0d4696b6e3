import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Keys } from '#lib/auth/key.ts';
import { platforms } from '#lib/core/channel.ts';
import { entities } from '#lib/entities/all.ts';
import { type Entity, latestVersion } from '#lib/table/entity.ts';
import { blank, type Key, rowKeys, shardsOf } from '#lib/table/keys.ts';
import { Sagas } from '#lib/table/saga.ts';
import { entityMeanings } from './entities.ts';

/** Whatever has a declaration. */
const declared: readonly Entity[] = [...entities, Keys, Sagas].toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The diagrams of docs/states.md. */
const states: Readonly<Record<string, string>> = {
  delivery: 'deliveries',
  enrollment: 'enrollments',
  job: 'jobs',
  [Sagas.name]: 'sagas',
};

/** What every other row is for. */
const uses: Readonly<Record<keyof typeof rowKeys, string>> = {
  ids: 'the last id of each entity',
  counter: 'one of the rows over which a counter is spread',
  sequence: 'the number of the last event, and which rows have theirs while they are being published',
  claim: 'the call under an `Idempotency-Key`, and its answer in pieces; a day',
  outcome: 'what an item of that call has come to, where it is a batch',
  quota: 'what was spent of a quota in a UTC day',
  requestLog: 'a request of a key, by its id, which says when it began; 7 days',
  slot: 'a call that waits for somebody outside, until when',
  codePhone: 'a phone that was sent a code of Telegram less than a minute ago',
  memberCount: 'how many members were made',
  activeKeys: 'how many keys are not revoked',
  import: 'the archive that is, or was, imported into the workspace',
  workspaceIds: 'the last id of a workspace',
  outbox: 'the events and the audit entry of a commit, until they are published',
  due: 'the timer of a row (`place`) that waits for its time; written and removed with that row',
  hook: 'whose hook it is that a platform posts to, and the hash of the word it proves itself with',
  key: 'the entity `key`',
  memberAddress: 'an active member of this e-mail address, in whatever workspace: an index entry of `member`',
  signIn: 'a link to sign in with, by the hash of its token: whom it lets in, and whether it was used; 15 minutes',
  session: 'a session of the panel, by the hash of its token: whose it is, and its requests of this minute; 12 hours',
  signedIn: 'somebody has signed in who has the e-mail address of this hash; 400 days after they last did',
  signInsAsked:
    'how often in this minute or day a link was asked for, or mailed to who had never signed in, for one e-mail address or by one client',
  address: 'calls of this minute from an address that no key counts',
  sweep: 'where the last sweep stopped in a partition',
  none: 'nothing: a function that starts reads it to open its connection',
};

/** What fills the blanks. A blank that is not here is one part of a key. */
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

/** What matches whatever a pattern stands for. */
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
    // What is made of a digest names no field.
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

Every row of the one DynamoDB table, by the pattern of its key (\`pk\`, \`sk\`). This page is made by \`npm run table-map\` of the declarations in
\`lib/entities\` and of \`rowKeys\` in \`lib/table/keys.ts\`; a test fails when it drifts, and when the table of the tests holds a row that is not here.

\`{tenant}\` is a workspace in one environment (\`7:live\`), \`{workspace}\` both together (\`7\`), \`{scope}\` one of the two, \`{id}\` ten digits, \`{shard}\` one
of ${shardsOf('outbox').length} of the outbox, of ${shardsOf('due').length} of timers, \`{claim}\` the partition of a call under an \`Idempotency-Key\`. In the name of a partition \`none\` stands for a field that is null.

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

Each has \`v\`, which counts its changes, and \`entityVersion\`, the form in which it was written ([changing an entity](changing-an-entity.md)).
*due*: it has a timer while it waits for a time. *expires*: it goes by itself (\`expiresAtSeconds\`).

${table(['partition', 'place', 'what it is', 'whom it names', ''], items)}

## Index entries

Beside an item lies one entry for each value that it has of an index, written in the same transaction. Where an index tells values apart the
partition goes on with \`={value}\`: \`7:live#contact?stage=new\`. The place is the item's id; in ordered indexes \`{order}#{id}\`. \`of\` is the item's key.

${table(['of', 'by id', 'ordered'], entries)}

## Counters

What the rows come to, each spread over eight rows; what is declared with no entity is written by \`UnitOfWork.count\`
(\`queued\`, what accounts have sent and whom they have met in a day, \`webhook-waiting\`).

${table(['group', 'of'], counters)}

## Everything else

${table(['partition', 'place', 'what it is for'], others)}
`;
}

if (import.meta.main) await writeFile(join(import.meta.dirname, '../docs/table.md'), renderTableMap());
