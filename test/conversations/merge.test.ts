import { expect, test } from 'vitest';
import { fromNow, hourMs } from '#lib/core/clock.ts';
import { conversations } from '#test/conversations/world.ts';
import { advance, settle } from '#test/harness.ts';

test('the conversation of a merged contact joins that of the target', async () => {
  const { live, memberId, contact, write, of, list } = await conversations();
  const [ann, anna] = [await contact('Ann'), await contact('Anna')];
  const asked = await write(anna, 'inbound', 'From the source');
  await write(ann, 'outbound', 'To the target');
  const [target, source] = [await of(ann), await of(anna)];
  await live.post(`/v1/conversations/${source.id}/assignee`, { userId: memberId }, 200);
  await live.post(`/v1/conversations/${target.id}/state`, { state: 'done' }, 200);
  await advance(2000);
  const last = await write(anna, 'inbound', 'And the last');
  await live.post(`/v1/contacts/${ann}/merge`, { sourceContactId: anna }, 200);
  await settle();
  const [shown, ...others] = await list();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({
    id: target.id,
    contactId: ann,
    state: 'open',
    assignedToUserId: memberId,
    unreadCount: 2,
    waitingSince: asked.sentAt,
    lastMessage: { id: last.id, preview: 'And the last' },
  });
  expect((await live.get(`/v1/conversations/${target.id}`)).body).toEqual(shown);
  expect((await live.get(`/v1/conversations/${source.id}`)).status).toBe(404);
});

test.each([
  ['open', 'done', 'open'],
  ['snoozed', 'done', 'snoozed'],
  ['done', 'snoozed', 'snoozed'],
  ['done', 'done', 'done'],
  ['done', undefined, 'done'],
  [undefined, 'snoozed', 'snoozed'],
])('a conversation that is %s, merged with one that is %s, is %s', async (...states) => {
  const { live, contact, write, of } = await conversations();
  const [ann, anna] = [await contact('Ann'), await contact('Anna')];
  const snoozedUntil = fromNow(hourMs);
  for (const [index, contactId] of [ann, anna].entries()) {
    const state = states[index];
    if (state === undefined) continue;
    await write(contactId, 'outbound', 'Hello');
    const path = `/v1/conversations/${(await of(contactId)).id}/state`;
    await live.post(path, { state, ...(state === 'snoozed' && { snoozedUntil }) }, 200);
  }
  await live.post(`/v1/contacts/${ann}/merge`, { sourceContactId: anna }, 200);
  const [, , state] = states;
  expect(await of(ann)).toMatchObject({ state, snoozedUntil: state === 'snoozed' ? snoozedUntil : null });
  await advance(2 * hourMs);
  expect(await of(ann)).toMatchObject({ state: state === 'snoozed' ? 'open' : state });
});

test('the conversation of an erased contact is gone, with its snooze', async () => {
  const { live, contact, write, of, list, events } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const { id } = await of(ann);
  await live.post(`/v1/conversations/${id}/state`, { state: 'snoozed', snoozedUntil: fromNow(hourMs) }, 200);
  expect((await live.get(`/v1/contacts/${ann}/export`)).body.conversation).toMatchObject({ id, state: 'snoozed' });
  await live.post(`/v1/contacts/${ann}/erasure`, { confirm: String(ann) }, 202);
  await advance(2 * hourMs);
  expect(await list()).toEqual([]);
  expect((await live.get(`/v1/conversations/${id}`)).status).toBe(404);
  expect(await events(id)).toEqual([]);
});
