import { useEffect, useRef, useState } from 'preact/hooks';
import { keptEvents } from '../../../client/kept-events.ts';
import { eventKinds } from '../../api/lists.ts';
import { api } from '../../app/api.ts';
import { type AnyEvent, onEvents } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useContactNames } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Code } from '../../parts/code.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';

const atFirst = 50;
const atMost = 300;

/** The last events, the newest first. */
async function loadEvents(signal: AbortSignal): Promise<readonly AnyEvent[]> {
  const kept = await keptEvents(api.get);
  if (!kept) return [];
  const since = Math.max(0, kept.newest - atFirst);
  const { items } = await api.get('/v1/events', { signal, params: { query: { since, limit: 100 } } });
  return items.reverse();
}

/** Those of two lists, the newest first and none twice. */
function joined(more: readonly AnyEvent[], known: readonly AnyEvent[]): readonly AnyEvent[] {
  const all = new Map([...known, ...more].map((event) => [event.id, event]));
  return [...all.values()].sort((one, other) => Number(other.sequence) - Number(one.sequence)).slice(0, atMost);
}

/** What it is about: `contact 7`. */
function subjectOf(event: AnyEvent): string | undefined {
  if (!('data' in event)) return undefined;
  const noun = event.event.split('.')[0] ?? '';
  const { [`${noun}_id`]: id } = event.data as Record<string, unknown>;
  return id === undefined || id === null ? undefined : `${noun.replaceAll('_', ' ')} ${String(id)}`;
}

/** Returns the contact that an event is about or belongs to. */
function contactOf(event: AnyEvent): number | null {
  const { contact_id: id } = (event.data ?? {}) as Record<string, unknown>;
  return typeof id === 'string' ? Number(id) : null;
}

export default function Events() {
  const events = useLoaded(loadEvents, []);
  const [waiting, setWaiting] = useState<readonly AnyEvent[]>([]);
  const [isPaused, setPaused] = useState(false);
  const paused = useRef(false);
  paused.current = isPaused;
  const change = useRef(events.change);
  change.current = events.change;
  useEffect(
    () =>
      onEvents((more) => {
        if (paused.current) setWaiting((before) => joined(more, before));
        else change.current((before) => joined(more, before));
      }),
    [],
  );
  const goOn = () => {
    setPaused(false);
    events.change((before) => joined(waiting, before));
    setWaiting([]);
  };
  const { data, error, reload } = events;
  const items = (data ?? []).map((event) => ({ contactId: contactOf(event) }));
  const names = useContactNames({ data: { items } });
  const nameIn = (event: AnyEvent) => names.get(contactOf(event) ?? 0);
  const kind = filter('kind');
  const shown = data?.filter(({ event }) => kind === undefined || event === kind);
  return (
    <>
      <Head title={t.common.events}>
        <span class="hint" role="status">
          {isPaused ? t.developers.pausedNew(count(waiting.length)) : t.common.live}
        </span>
        <button type="button" onClick={isPaused ? goOn : () => setPaused(true)}>
          {isPaused ? t.developers.goOn : t.common.pause}
        </button>
      </Head>
      <Filters>
        <Choice
          label={t.developers.kind}
          name="kind"
          all={t.developers.everyKind}
          options={eventKinds.map((one) => [one, one])}
        />
      </Filters>
      <Pending data={data} error={error} reload={reload} lines={12} />
      {shown?.length === 0 && (
        <Empty title={kind === undefined ? t.developers.nothingHasHappenedYet : t.developers.noSuchEventAmongThe}>
          <p>{t.developers.everyChangeInTheWorkspace}</p>
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <ol class="plain events card">
          {shown.map((event) => (
            <li key={event.id}>
              <details>
                <summary>
                  <span class="row inline">
                    <Badge tone="accent">{event.event}</Badge>
                    <span>{subjectOf(event)}</span>
                    {/* Its place is kept until the names are there. */}
                    <span class="about">{nameIn(event) && <UserText text={nameIn(event) ?? ''} isName />}</span>
                    <When at={event.timestamp} />
                  </span>
                </summary>
                <div class="inset">
                  {nameIn(event) !== undefined && (
                    <p>
                      <a href={linkTo(`/contacts/${contactOf(event)}`)}>
                        <UserText text={nameIn(event) ?? ''} isName />
                      </a>
                    </p>
                  )}
                  <Code
                    label={t.developers.eventSequence(event.sequence ?? '')}
                    text={JSON.stringify(event, null, 2)}
                  />
                </div>
              </details>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
