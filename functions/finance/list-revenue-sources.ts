import { RevenueSourceList } from '#lib/entities/revenue-source.ts';
import { listRevenueSources } from '#lib/finance/revenue-source-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Every revenue source, without its credential. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/revenue-sources',
    summary: 'List revenue sources',
    description: [
      'A source of mode `pull` is fetched every `pullIntervalMinutes` with `GET feedUrl` and, if it has a credential, `Authorization: Bearer <credential>`.',
      'The feed answers 2xx within 20 seconds with at most 10 MiB of JSON: an array of rows or `{"items": [rows]}`.',
      'A row has `id` (text or integer, unique in the feed, required), `amount` (above 0, at most two decimals, required), `type` (`income` unless `expense`), `currency` (the default currency of the source unless given), `category`, `description` and `occurredAt` (the time of the pull unless given).',
      'Each `id` is booked once, as a realized transaction, however often it is in the feed. Wrong rows are left out and named in `lastSyncError` while `lastSyncStatus` is `ok`; without any right row the pull has failed.',
      'All sources of an environment, of which there are at most 50, have 10 million rows of feeds in a UTC day, where a row that is booked counts as 25 and a feed that has not changed as none; beyond them `lastSyncStatus` is `failed` until they are pulled on the next day.',
      '`lastEventAt` is when something new was booked last.',
    ].join(' '),
    scope: 'finance:read',
    status: 200,
    response: RevenueSourceList,
    errors: [],
  },
  ({ tx }) => listRevenueSources(tx),
);
