import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { may } from '../../app/session.ts';
import { merged, type Page, type Source as SourceOf } from './merged.ts';
import { dealsOf, tasksOf } from './work-of.ts';

/** One line of the timeline of a contact. */
export type Entry = { key: string; at: string } & (
  | { kind: 'activity'; of: Schema<'Activity'> }
  | { kind: 'message'; of: Schema<'Message'> }
  | { kind: 'deal'; of: Schema<'Deal'>; became: 'created' | 'won' | 'lost' }
  | { kind: 'task'; of: Schema<'Task'>; became: 'created' | 'done' }
  | { kind: 'invoice'; of: Schema<'Invoice'>; became: 'issued' | 'paid' }
);

/** What may be shown of a timeline. */
export const sides = ['all', 'messages', 'notes', 'changes'] as const;
export type Side = (typeof sides)[number];

type Source = SourceOf<Entry>;

const pageSize = 50;
/** As many invoices of a contact as are looked at. */
const maxInvoices = 100;

const restOf = <Item extends { createdAt: string }>(page: {
  items: readonly Item[];
  hasMore: boolean;
  nextCursor: number | null;
}): Page<Entry>['rest'] => {
  const last = page.items.at(-1);
  return page.hasMore && page.nextCursor !== null && last ? { after: page.nextCursor, at: last.createdAt } : undefined;
};

function sourcesOf(id: number, side: Side, signal: AbortSignal): readonly Source[] {
  const path = { id };
  const messages: Source = async (after) => {
    const page = await api.get('/v1/contacts/{id}/messages', {
      signal,
      params: { path, query: { limit: pageSize, after } },
    });
    return {
      entries: page.items.map((of) => ({
        kind: 'message',
        key: `message-${of.id}`,
        at: of.sentAt ?? of.createdAt,
        of,
      })),
      rest: restOf(page),
    };
  };
  const activities: Source = async (after) => {
    const type = side === 'notes' ? 'Note' : undefined;
    const page = await api.get('/v1/contacts/{id}/activities', {
      signal,
      params: { path, query: { limit: pageSize, after, type } },
    });
    const items = side === 'changes' ? page.items.filter(({ type }) => type !== 'Note') : page.items;
    return {
      entries: items.map((of) => ({ kind: 'activity', key: `activity-${of.id}`, at: of.createdAt, of })),
      rest: restOf(page),
    };
  };
  const deals: Source = async () => {
    const { items } = await dealsOf(id);
    return {
      entries: items.flatMap((of): Entry[] => [
        { kind: 'deal', became: 'created', key: `deal-${of.id}`, at: of.createdAt, of },
        ...(of.closedAt === null
          ? []
          : [
              {
                kind: 'deal',
                became: of.stage === 'Won' ? 'won' : 'lost',
                key: `deal-${of.id}-closed`,
                at: of.closedAt,
                of,
              } as const,
            ]),
      ]),
    };
  };
  const tasks: Source = async () => {
    const { items } = await tasksOf(id);
    return {
      entries: items.flatMap((of): Entry[] => [
        { kind: 'task', became: 'created', key: `task-${of.id}`, at: of.createdAt, of },
        ...(of.completedAt === null
          ? []
          : [{ kind: 'task', became: 'done', key: `task-${of.id}-done`, at: of.completedAt, of } as const]),
      ]),
    };
  };
  const invoices: Source = async () => {
    const query = { contactId: id, limit: maxInvoices };
    const { items } = await api.get('/v1/finance/invoices', { signal, params: { query } });
    return {
      entries: items.flatMap((of): Entry[] => [
        { kind: 'invoice', became: 'issued', key: `invoice-${of.id}`, at: of.issueDate, of },
        ...(of.paidAt === null
          ? []
          : [{ kind: 'invoice', became: 'paid', key: `invoice-${of.id}-paid`, at: of.paidAt, of } as const]),
      ]),
    };
  };
  if (side === 'messages') return [messages];
  if (side === 'notes') return [activities];
  return [
    activities,
    ...(side === 'all' ? [messages] : []),
    ...(may('deals:read') ? [deals] : []),
    ...(may('tasks:read') ? [tasks] : []),
    ...(may('finance:read') ? [invoices] : []),
  ];
}

/** Reads the newest entries of a contact's timeline. */
export const loadHistory = (id: number, side: Side, wanted: number, signal: AbortSignal) =>
  merged(sourcesOf(id, side, signal), wanted);
