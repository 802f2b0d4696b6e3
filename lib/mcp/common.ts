import * as v from 'valibot';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { isObject } from './message.ts';
import { type Arguments, own, type Parameter, type Parameters, pick } from './tool.ts';

/** JSON Schemas of results, shallow because the whole list of tools has a budget; the operations check what they answer. */
export const page = {
  type: 'object',
  properties: { items: { type: 'array' }, hasMore: { type: 'boolean' } },
};
export const object = { type: 'object' };

/** How all lists are paged. */
export const paging = ({ route }: Endpoint): Parameters =>
  pick(route.query, { after: 'Last nextCursor', limit: 'Default 25' });

/** Which fields of each row, or of the resource, to show. */
export const fields: Parameter = own(v.string(), 'Only these: a,b');
export const idempotencyKey: Parameter = own(v.string(), 'Repeating it acts once');

/** The rarer parameters of an operation as one: a line each would not fit the budget. */
export const filters = (description: string): Parameter => own(v.object({}), description);
/** The arguments with those of `filters` among them. */
export const opened = ({ filters, ...args }: Arguments): Arguments => ({
  ...(isObject(filters) ? filters : {}),
  ...args,
});
