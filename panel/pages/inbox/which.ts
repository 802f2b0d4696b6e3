import type { Schema } from '../../../client/index.ts';
import type { components } from '../../api/schema.ts';
import { linkTo, place, type Query } from '../../app/route.ts';
import { nameOf } from '../../app/show.ts';

/** A conversation as the Inbox lists it. */
export type Row = components['schemas']['InboxPage']['items'][number];

/** The conversation that is open: with a contact, or in the mail thread of a stranger. */
export type Which = { contactId: number; threadId?: never } | { threadId: number; contactId?: never };

type Conversation = Pick<Schema<'Conversation'>, 'contactId' | 'threadId'>;

/** Returns the id that the API gives a conversation: even for contacts, odd for threads. */
export const conversationId = ({ contactId, threadId }: Which): number =>
  contactId === undefined ? 2 * threadId - 1 : 2 * contactId;

/** Returns the name of a conversation's draft. */
export const draftName = ({ contactId, threadId }: Which): string | number => contactId ?? `thread ${threadId}`;

export const whichOf = ({ contactId, threadId }: Conversation): Which =>
  contactId === null ? { threadId: Number(threadId) } : { contactId };

/** Returns the filters of the list, without how a link wants the open conversation to be answered. */
export const listFilters = (): Query => ({ ...Object.fromEntries(place.value.query), way: undefined });

/** Returns what a conversation is called: its contact, or the sender of a stranger's thread. */
export const titleOf = ({ contact, thread, id }: Row): string =>
  contact ? nameOf(contact) : nameOf({ id, name: thread?.from?.name ?? null, email: thread?.from?.email ?? null });

/** Returns the path of a conversation in the panel. */
export const pathOf = ({ contactId, threadId }: Which): string =>
  contactId === undefined ? `/inbox/thread/${threadId}` : `/inbox/${contactId}`;

/** Returns the link to a conversation, with the filters of the list as they are. */
export const linkToConversation = (which: Which): string => linkTo(pathOf(which), listFilters());

export const isSame = (one: Which | undefined, other: Which | undefined): boolean =>
  one !== undefined && other !== undefined && conversationId(one) === conversationId(other);
