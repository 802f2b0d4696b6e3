import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AnyEvent } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import type { BoardColumn } from '../../app/boards.ts';
import { useKeyNames } from '../../app/key-names.ts';
import { memberName, type Names } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { When } from '../../parts/when.tsx';
import type { Deal } from './board.ts';

interface Change {
  id: string;
  at: string;
  text: string;
  actor?: { type: string; id: string | null } | undefined;
}

interface Facts {
  deal_id?: string;
  from_stage?: string;
  to_stage?: string;
  from_column_id?: string;
  to_column_id?: string;
  changes?: Record<string, { from: unknown; to: unknown }>;
  actor?: Change['actor'];
}

/** Reads what has changed of a deal from the feed of events, which keeps 30 days; the latest first. */
async function readChanges(
  id: number,
  names: Names,
  columns: readonly BoardColumn[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  const eventKind = 'deal.updated,deal.stage_changed,deal.column_changed';
  const nameOf = (column: string | undefined) => columns.find((one) => String(one.id) === column)?.name;
  /** When a move was told by its columns, which says more than its stages. */
  let movedAt: string | undefined;
  let since: number | undefined = 0;
  while (since !== undefined) {
    const page: { items: readonly AnyEvent[]; hasMore: boolean; nextCursor: number | null } = await api.get(
      '/v1/events',
      {
        signal,
        params: { query: { since, eventKind, limit: 100 } },
      },
    );
    for (const event of page.items) {
      const facts = event.data as Facts;
      if (facts.deal_id !== String(id)) continue;
      const common = { at: event.timestamp, actor: facts.actor };
      const [from, to] = [nameOf(facts.from_column_id), nameOf(facts.to_column_id)];
      if (from !== undefined && to !== undefined) {
        movedAt = event.timestamp;
        found.push({ ...common, id: event.id, text: t.deals.wentTo(from, to) });
      }
      if (facts.to_stage !== undefined && movedAt !== event.timestamp)
        found.push({
          ...common,
          id: event.id,
          text: t.deals.wentTo(worded(facts.from_stage ?? ''), worded(facts.to_stage)),
        });
      for (const [field, { from, to }] of Object.entries(facts.changes ?? {}))
        if (field !== 'stage')
          found.push({
            ...common,
            id: `${event.id} ${field}`,
            text: `${titleOf(field)}: ${shownAs(field, from, names)} → ${shownAs(field, to, names)}`,
          });
    }
    since = page.hasMore ? (page.nextCursor ?? undefined) : undefined;
  }
  return found.reverse();
}

const titleOf = (field: string) => {
  const titles: Partial<Record<string, string>> = {
    title: t.common.title,
    value: t.deals.value,
    currency: t.common.currency,
    probability: t.deals.probability,
    expected_close_at: t.deals.expectedToClose,
    assigned_to_user_id: t.deals.owner,
    contact_id: t.common.contact,
    notes: t.deals.notes,
  };
  return titles[field] ?? worded(field.replace(/^fields\./, ''));
};

function shownAs(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || value === '') return '–';
  if (field === 'assigned_to_user_id') return memberName(names, Number(value));
  if (field === 'expected_close_at') return String(value).slice(0, 10);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface ChangesProps {
  deal: Deal;
  names: Names;
  columns: readonly BoardColumn[];
}

/** The history of a deal: when it came and went, and on request each change of the last 30 days. */
export function Changes({ deal, names, columns }: ChangesProps) {
  const [isOpen, setOpen] = useState(false);
  const [changes, setChanges] = useState<readonly Change[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    setError(undefined);
    readChanges(deal.id, names, columns, stop.signal).then(
      setChanges,
      (problem) => stop.signal.aborted || setError(problem),
    );
    return () => stop.abort();
  }, [isOpen, deal.id, deal.updatedAt, deal.pipeline?.columnId]);
  const keys = useKeyNames(changes?.some(({ actor }) => actor?.type === 'api_key') ?? false);
  const actorOf = ({ actor }: Change): ComponentChildren => {
    if (actor?.type === 'user') return memberName(names, Number(actor.id));
    if (actor?.type === 'api_key') return keys.get(actor.id ?? '') ?? t.contacts.apiKey(actor.id ?? '');
    return actor?.type === 'ai' ? t.contacts.anAgent : t.contacts.theSystem;
  };
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{t.deals.history}</h2>
      <ol class="timeline">
        {changes?.map((change) => (
          <li key={change.id}>
            <p class="text">{change.text}</p>
            <p class="hint">
              {actorOf(change)} · <When at={change.at} />
            </p>
          </li>
        ))}
        {deal.closedAt !== null && (
          <li>
            <p class="text">{deal.stage === 'Won' ? t.deals.wasWon : t.deals.wasLost}</p>
            <p class="hint">
              <When at={deal.closedAt} />
            </p>
          </li>
        )}
        <li>
          <p class="text">{t.deals.wasCreated}</p>
          <p class="hint">
            <When at={deal.createdAt} />
          </p>
        </li>
      </ol>
      {error !== undefined && <Failure error={error} again={() => setOpen(false)} />}
      {isOpen && changes === undefined && error === undefined && <Skeleton lines={3} />}
      {!isOpen && may('webhooks:read') && (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          {t.deals.showChanges}
        </button>
      )}
    </section>
  );
}
