import { api } from '../../app/api.ts';
import { together } from '../../app/together.ts';

/** As many deals and tasks of a contact as are looked at. */
const limit = 100;

/** Reads the newest deals of a contact, for the timeline and for the card beside it. */
export const dealsOf = (contactId: number) =>
  together(`deals of ${contactId}`, () => api.get('/v1/deals', { params: { query: { contactId, limit } } }));

/** Reads the newest tasks of a contact, for the timeline and for the card beside it. */
export const tasksOf = (contactId: number) =>
  together(`tasks of ${contactId}`, () => api.get('/v1/tasks', { params: { query: { contactId, limit } } }));
