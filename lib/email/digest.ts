import * as v from 'valibot';
import { dayMs, fromNow, hourMs, shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { firstCharacters, isUnseen, oneLine } from '#lib/core/text.ts';
import { defaultZone, zoneOf } from '#lib/core/zone.ts';
import { ConversationQuery } from '#lib/entities/conversation.ts';
import { Members, type StoredMember } from '#lib/entities/member.ts';
import { Tasks } from '#lib/entities/task.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { listInbox } from '#lib/messages/conversations.ts';
import { listPage } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { nextDigest } from '#lib/workspaces/digest-time.ts';
import { digestText, type Waiting } from './digest-text.ts';
import { mailFromDeployment } from './from-deployment.ts';
import { noSender } from './sender.ts';

/** After an outage, and for a member who is active again, a mail of the morning no longer helps. */
const maxLateMs = 4 * hourMs;
const maxTasks = 1000;

const isDue = (member: StoredMember | undefined, now: string): member is StoredMember =>
  member?.isActive === true && member.digest?.at != null && member.digest.at <= now;

/**
 * Mails a member what waits for them if their hour has come and anything does. A mail that SES refuses is not sent again: there is at
 * most one a day. Needs `ses`.
 */
export async function sendDigest({ workspaceId }: Tenant, memberId: number): Promise<void> {
  const tenant: Tenant = { workspaceId, env: 'live' };
  const mail = await transact(tenant, system, async (tx) => {
    const member = await tx.find(Members, { id: memberId });
    if (!isDue(member, tx.now)) return undefined;
    const { settings, digest } = member;
    const isLate = String(digest?.at) < fromNow(-maxLateMs);
    const waiting = isLate ? undefined : await waitingFor(tx, member);
    const sentAt = waiting ? tx.now : (digest?.sentAt ?? null);
    const base = String(digest?.base);
    tx.update(Members, { ...member, digest: { at: nextDigest(settings, tx.now, sentAt), base, sentAt } });
    if (!waiting) return undefined;
    const { name } = await tx.get(Workspaces, { id: workspaceId });
    return { to: addressKey(member.email), ...digestText(waiting, { ...settings, base, workspace: name }) };
  });
  if (mail === undefined) return;
  const sender = env('MAIL_FROM');
  if (sender === undefined) log().warn('a member is not mailed what waits', { reason: noSender });
  else await mailFromDeployment(sender, mail);
}

/** Reads what waits for a member: conversations of theirs and of nobody, and their tasks up to today. Undefined for nothing. */
async function waitingFor(tx: UnitOfWork, { id, settings }: StoredMember): Promise<Waiting | undefined> {
  const zone = zoneOf(settings.timeZone ?? defaultZone);
  const today = zone.day(tx.now);
  const tomorrow = zone.start(shifted(`${today}T00:00:00Z`, dayMs).slice(0, 10));
  const query = { ...v.parse(ConversationQuery, { state: 'open', limit: '100' }), waitingFor: id };
  const [conversations, tasks] = await Promise.all([
    listInbox(tx, query, true),
    listPage(tx, Tasks, {
      where: { assignee: id, awaited: true },
      limit: maxTasks,
      matches: ({ dueAt }) => String(dueAt) < tomorrow,
    }),
  ]);
  if (conversations.items.length + tasks.items.length === 0) return undefined;
  const longest = conversations.items.toSorted((one, other) => order(one.waitingSince, other.waitingSince));
  const own = Map.groupBy(longest, ({ assignedToUserId }) => assignedToUserId === id);
  const due = tasks.items.toSorted((one, other) => order(one.dueAt, other.dueAt));
  const overdue = Map.groupBy(due, ({ dueAt }) => zone.day(String(dueAt)) < today);
  const namesOf = (some: typeof longest = []) =>
    some.map(({ contact, thread }) => nameOf(contact ?? { id: thread?.id, ...thread?.from }));
  const titlesOf = (some: typeof due = []) => some.map((task) => nameOf({ id: task.id, name: task.title }));
  return {
    mine: namesOf(own.get(true)),
    nobodys: namesOf(own.get(false)),
    overdue: titlesOf(overdue.get(true)),
    today: titlesOf(overdue.get(false)),
    hasMore: conversations.hasMore || tasks.hasMore,
  };
}

const order = (one: string | null, other: string | null) => String(one).localeCompare(String(other));

/** Mail programs make a link of it, and strangers choose what they are called. */
const isLink = (text: string) => /:\/\/|[\p{L}\p{N}]\.\p{L}/u.test(text);

const maxNameCharacters = 80;

interface Named {
  id?: number | undefined;
  name?: string | null;
  username?: string | null;
  email?: string | null;
}

function nameOf({ id, name, username, email }: Named): string {
  const shown = oneLine(name ?? '');
  if (!isUnseen(shown) && !isLink(shown)) return firstCharacters(shown, maxNameCharacters);
  return username ? `@${username}` : (email ?? `#${id}`);
}
