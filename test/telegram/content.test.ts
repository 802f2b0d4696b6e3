import type { Message, Update } from '@grammyjs/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { contentIn, entitiesOf } from '#lib/channels/telegram/content.ts';
import { contentOfUser, entitiesOfUser } from '#lib/channels/telegram/user-content.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { placed } from '#lib/messages/entities.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { advance, settle } from '#test/harness.ts';
import { edited, message, type Person } from '#test/telegram/bot.ts';
import { bots, somebody } from '#test/telegram/hearing.ts';
import { newWorkspace } from '#test/workspace.ts';

/** What stands around the content of a message, by what Telegram would say there. */
const around = {
  message_id: 7,
  message_thread_id: 3,
  direct_messages_topic: { topic_id: 1 },
  from: { id: 5, is_bot: false, first_name: 'Ann' },
  sender_chat: { id: 6, type: 'private' },
  sender_tag: 'tag',
  receiver_user: { id: 5 },
  ephemeral_message_id: 4,
  sender_boost_count: 1,
  sender_business_bot: { id: 9 },
  guest_bot_caller_user: { id: 9 },
  guest_bot_caller_chat: { id: 9 },
  guest_query_id: 'q',
  business_connection_id: 'b',
  date: 1,
  edit_date: 2,
  chat: { id: 5, type: 'private' },
  via_bot: { id: 9, is_bot: true },
  author_signature: 'Ann',
  is_topic_message: true,
  is_automatic_forward: true,
  is_from_offline: true,
  is_paid_post: true,
  has_protected_content: true,
  reply_to_message: { message_id: 1, text: 'before' },
  external_reply: { origin: {}, poll: {} },
  quote: { text: 'before' },
  reply_to_story: { id: 1 },
  reply_to_checklist_task_id: 1,
  reply_to_poll_option_id: '1',
  forward_origin: { type: 'hidden_user', sender_user_name: 'Eve' },
  media_group_id: 'm',
  paid_star_count: 1,
  effect_id: 'e',
  link_preview_options: { is_disabled: true },
  suggested_post_info: { state: 'pending' },
  entities: [],
  caption_entities: [],
  caption: undefined,
  reply_markup: undefined,
  show_caption_above_media: true,
  has_media_spoiler: true,
} satisfies Partial<Record<keyof Message, unknown>>;

const file = { file_id: 'f', file_unique_id: 'u' };
const user = { user_id: 77, first_name: 'Bo', username: 'bo' };
type Row = [part: unknown, body: string | undefined, data?: 'kept'];
const service = (part: unknown = {}): Row => [part, undefined];
const ofFile: Row = [file, ''];

/** Every kind of content of the Bot API: what Telegram says of it, its words, and whether that is kept as data. */
const kinds = {
  text: ['Hello', 'Hello'],
  rich_message: [
    {
      blocks: [
        { type: 'heading', text: 'Order', size: 1 },
        { type: 'paragraph', text: ['Two ', { type: 'bold', text: 'red' }, ' ones'] },
        { type: 'list', items: [{ label: '1.', blocks: [{ type: 'paragraph', text: 'shoes' }] }] },
      ],
    },
    'Order\nTwo red ones\n1.\nshoes',
  ],
  animation: ofFile,
  audio: ofFile,
  document: ofFile,
  live_photo: ofFile,
  photo: [[file], ''],
  video: ofFile,
  video_note: ofFile,
  voice: ofFile,
  paid_media: [{ star_count: 5, paid_media: [] }, '[paid_media]', 'kept'],
  sticker: [{ ...file, emoji: '👍' }, '👍'],
  story: [{ chat: { id: 5 }, id: 1 }, '[story]', 'kept'],
  contact: [{ phone_number: '+123', first_name: 'Bob', last_name: 'Ray', vcard: 'V' }, 'Bob Ray, +123', 'kept'],
  dice: [{ emoji: '🎲', value: 6 }, '[dice]', 'kept'],
  game: [{ title: 'Chess', description: 'A game' }, '[game] Chess', 'kept'],
  poll: [{ question: 'Which?', options: [{ text: 'Red' }, { text: 'Blue' }] }, '[poll] Which?\n- Red\n- Blue', 'kept'],
  venue: [
    { title: 'Cafe', address: 'Main 1', location: { latitude: 52.5, longitude: 13.4 } },
    'Cafe, Main 1\n52.5, 13.4',
    'kept',
  ],
  location: [{ latitude: 1.5, longitude: -2 }, '1.5, -2', 'kept'],
  checklist: [{ title: 'To do', tasks: [{ id: 1, text: 'Pay' }] }, '[checklist] To do\n- Pay', 'kept'],
  invoice: [{ title: 'Shoes', currency: 'EUR', total_amount: 500 }, '[invoice] Shoes', 'kept'],
  successful_payment: [
    { currency: 'EUR', total_amount: 500, invoice_payload: 'order-42' },
    '[successful_payment] order-42',
    'kept',
  ],
  users_shared: [{ request_id: 1, users: [user, { user_id: 78 }] }, '[users_shared] bo, 78', 'kept'],
  chat_shared: [{ request_id: 1, chat_id: -5, title: 'Team' }, '[chat_shared] Team', 'kept'],
  web_app_data: [{ data: '{"order":42}', button_text: 'Order' }, '[web_app_data] {"order":42}', 'kept'],
  passport_data: [{ data: [] }, '[passport_data]', 'kept'],
  giveaway: [{ winner_count: 1, prize_description: 'A car' }, '[giveaway] A car', 'kept'],
  giveaway_winners: [{ winner_count: 1 }, '[giveaway_winners]', 'kept'],
  checklist_tasks_done: service(),
  checklist_tasks_added: service(),
  community_chat_added: service(),
  community_chat_removed: service(),
  community_chat_joined: service(),
  suggested_post_approved: service(),
  suggested_post_approval_failed: service(),
  suggested_post_declined: service(),
  suggested_post_paid: service(),
  suggested_post_refunded: service(),
  chat_owner_left: service(),
  chat_owner_changed: service(),
  new_chat_members: service([]),
  left_chat_member: service(),
  new_chat_title: service('T'),
  new_chat_photo: service([file]),
  delete_chat_photo: service(true),
  group_chat_created: service(true),
  supergroup_chat_created: service(true),
  channel_chat_created: service(true),
  managed_bot_created: service(),
  poll_option_added: service(),
  poll_option_deleted: service(),
  message_auto_delete_timer_changed: service(),
  migrate_to_chat_id: service(-5),
  migrate_from_chat_id: service(-5),
  pinned_message: service({ message_id: 1, text: 'Hello' }),
  refunded_payment: service(),
  connected_website: service('example.com'),
  write_access_allowed: service(),
  proximity_alert_triggered: service(),
  boost_added: service(),
  chat_background_set: service(),
  forum_topic_created: service(),
  forum_topic_edited: service(),
  forum_topic_closed: service(),
  forum_topic_reopened: service(),
  general_forum_topic_hidden: service(),
  general_forum_topic_unhidden: service(),
  giveaway_created: service(),
  giveaway_completed: service(),
  gift: service(),
  gift_upgrade_sent: service(),
  unique_gift: service(),
  paid_message_price_changed: service(),
  direct_message_price_changed: service(),
  video_chat_scheduled: service(),
  video_chat_started: service(),
  video_chat_ended: service(),
  video_chat_participants_invited: service(),
} satisfies Record<Exclude<keyof Message, keyof typeof around>, Row>;

const rows = Object.entries<Row>(kinds).map(([kind, [part, body, data]]) => ({ kind, part, body, data }));

test.each(rows)(
  'the content of $kind is what it carries, regardless of the fields around it',
  ({ kind, part, body, data }) => {
    for (const message of [{ [kind]: part }, { ...around, [kind]: part }, { [kind]: part, ...around }])
      expect(contentIn(message)).toEqual(
        body === undefined ? undefined : { body, data: data === undefined ? null : { [kind]: part } },
      );
  },
);

test('a caption stands for the name of what it is under, and a kind that nobody knows is named', () => {
  const paid = { star_count: 5, paid_media: [] };
  expect(contentIn({ ...around, paid_media: paid, caption: 'Look' })).toEqual({
    body: 'Look',
    data: { paid_media: paid },
  });
  expect(contentIn({ ...around, hologram: { size: 3 } })).toEqual({
    body: '[hologram]',
    data: { hologram: { size: 3 } },
  });
  expect(contentIn(around)).toEqual({ body: '[message]', data: null });
});

test('buttons under a text keep their addresses, and data over 16 KB are left out', () => {
  const reply_markup = { inline_keyboard: [[{ text: 'Pay', url: 'https://pay.example/5' }]] };
  expect(contentIn({ text: 'Hello', reply_markup })).toEqual({ body: 'Hello', data: { reply_markup } });
  expect(contentIn({ story: { note: 'x'.repeat(20_000) } })).toEqual({ body: '[story]', data: null });
});

test.each([
  [
    'a link behind an emoji',
    '😀 see this offer',
    { type: 'text_link', offset: 7, length: 10, url: 'https://a.example/' },
    'this offer',
  ],
  ['a person without a username', 'Hi Ann', { type: 'text_mention', offset: 3, length: 3, user: { id: 5 } }, 'Ann'],
  ['a word after control characters', '\u0007\n a bold word', { type: 'bold', offset: 5, length: 4 }, 'bold'],
  ['a word before spaces at the end', 'one two  ', { type: 'bold', offset: 4, length: 5 }, 'two'],
])('an entity is where its words are stored: %s', (_, text, entity, words) => {
  const stored = text.replaceAll('\u0007', '').trim();
  const [one] = placed(text, entitiesOf([entity]));
  expect(stored.slice(one?.offset, (one?.offset ?? 0) + (one?.length ?? 0))).toBe(words);
  const url = 'url' in entity ? entity.url : 'user' in entity ? 'tg://user?id=5' : null;
  expect(one).toMatchObject({ type: entity.type, url });
});

const geo = { _: 'geoPoint', lat: 52.5, long: 13.4 };
test.each([
  [
    { _: 'messageMediaPoll', poll: { question: { text: 'Which?' }, answers: [{ text: { text: 'Red' } }] } },
    '[poll] Which?\n- Red',
  ],
  [{ _: 'messageMediaVenue', geo, title: 'Cafe', address: 'Main 1' }, 'Cafe, Main 1\n52.5, 13.4'],
  [{ _: 'messageMediaGeo', geo }, '52.5, 13.4'],
  [{ _: 'messageMediaGeo', geo: { _: 'geoPointEmpty' } }, '[location]'],
  [{ _: 'messageMediaContact', firstName: 'Bob', lastName: '', phoneNumber: '123', vcard: '', userId: 0 }, 'Bob, 123'],
  [
    { _: 'messageMediaToDo', todo: { title: { text: 'To do' }, list: [{ id: 1, title: { text: 'Pay' } }] } },
    '[checklist] To do\n- Pay',
  ],
  [{ _: 'messageMediaInvoice', title: 'Shoes', description: '', currency: 'EUR', totalAmount: 5 }, '[invoice] Shoes'],
  [{ _: 'messageMediaGame', game: { title: 'Chess', description: '' } }, '[game] Chess'],
  [{ _: 'messageMediaDice', emoticon: '🎲', value: 6 }, '[dice]'],
  [{ _: 'messageMediaStory' }, '[story]'],
  [{ _: 'messageMediaGiveawayResults' }, '[giveaway_results]'],
  [{ _: 'messageMediaUnsupported' }, '[unsupported]'],
  [{ _: 'messageMediaWebPage' }, ''],
])('a person’s account is told the words of a media: %j', (media, body) => {
  expect(contentOfUser({ message: '', date: 1, media } as never, undefined).body).toBe(body);
});

test('a person’s account is told entities by the names that a bot is told', () => {
  const entities = [
    { _: 'messageEntityTextUrl', offset: 0, length: 3, url: 'https://a.example/' },
    { _: 'messageEntityMentionName', offset: 4, length: 3, userId: 5 },
    { _: 'messageEntityStrike', offset: 8, length: 1 },
    { _: 'messageEntityBotCommand', offset: 9, length: 1 },
  ];
  expect(entitiesOfUser({ entities } as never).map(({ type, url }) => [type, url])).toEqual([
    ['text_link', 'https://a.example/'],
    ['text_mention', 'tg://user?id=5'],
    ['strikethrough', null],
    ['bot_command', null],
  ]);
});

describe('a bot', () => {
  let live: Client;
  let tenant: Tenant;
  let bot: Awaited<ReturnType<ReturnType<typeof bots>['connected']>>;
  const { connected, conversationWith } = bots(() => live);

  beforeAll(async () => {
    const workspace = await newWorkspace();
    live = workspace.live;
    tenant = { workspaceId: workspace.id, env: 'live' };
    bot = await connected('webhook');
  });

  const deliver = async (...updates: object[]) => {
    await bot.tell(...updates);
    expect(await bot.post()).toEqual(updates.map(() => 200));
    await settle();
  };
  const contactsNamed = async ({ first_name: q }: Person) => (await live.get('/v1/contacts', { q })).body.items;

  test('makes no contact, message or unread mark for a service message', async () => {
    const person = somebody();
    const { message: base } = message(person, {});
    const told = rows
      .filter(({ body }) => body === undefined)
      .flatMap(({ kind, part }, index) => [
        { message: { ...base, message_id: base.message_id + index, [kind]: part } },
        { message: { ...base, message_id: base.message_id + index, from: { ...person, is_bot: true }, [kind]: part } },
      ]);
    await deliver(...told);
    expect(await contactsNamed(person)).toEqual([]);
  });

  test('updates of kinds that it does not ask for are skipped', async () => {
    const others = {
      channel_post: {},
      edited_channel_post: {},
      business_connection: {},
      business_message: {},
      edited_business_message: {},
      deleted_business_messages: {},
      guest_message: {},
      stopped_message_generation: {},
      message_reaction: { chat: { id: 5, type: 'private' }, message_id: 1, new_reaction: [] },
      message_reaction_count: {},
      inline_query: {},
      chosen_inline_result: {},
      shipping_query: {},
      pre_checkout_query: {},
      purchased_paid_media: {},
      poll: {},
      poll_answer: {},
      chat_member: {},
      chat_join_request: {},
      chat_boost: {},
      removed_chat_boost: {},
      managed_bot: {},
      subscription: {},
    } satisfies Record<
      Exclude<keyof Update, 'update_id' | 'message' | 'edited_message' | 'my_chat_member' | 'callback_query'>,
      object
    >;
    const person = somebody();
    await deliver(...Object.entries(others).map(([kind, part]) => ({ [kind]: part })));
    await deliver(message(person, { text: 'Hello' }));
    expect((await conversationWith(person, 1)).messages[0].body).toBe('Hello');
  });

  /** The contact that somebody has become, in a sequence, and how that is after these updates. */
  async function inSequence(person: Person, ...updates: object[]) {
    const [contact] = await contactsNamed(person);
    const sequenceId = await transact(tenant, operator, async (tx) => {
      const steps = [{ delayMinutes: 60, text: 'Step' }];
      const input = { name: 'Steps', channel: 'telegram', accountId: bot.id, status: 'active', steps } as const;
      const { id } = await createSequence(tx, input);
      await enroll(tx, id, contact.id);
      return id;
    });
    await deliver(...updates);
    return (await live.get(`/v1/sequences/${sequenceId}/enrollments`)).body.items[0].status;
  }

  const unknown = () => message(somebody(), {}).message.message_id;
  test.each([
    ['a message', 'replied', (person: Person) => message(person, { text: 'Yes' })],
    ['a text behind /start', 'replied', (person: Person) => message(person, { text: '/start now, please' })],
    ['/start', 'active', (person: Person) => message(person, { text: '/start' })],
    ['/start of a link', 'active', (person: Person) => message(person, { text: '/start spring_26' })],
    [
      'an edit of what is not here',
      'active',
      (person: Person) => edited(message(person, { text: 'Teh', message_id: unknown() }), { text: 'The' }),
    ],
    ['a pin', 'active', (person: Person) => message(person, { pinned_message: { message_id: 1 } })],
    [
      'a reaction',
      'active',
      (person: Person) => ({ message_reaction: { chat: { ...person, type: 'private' }, message_id: 1 } }),
    ],
  ])('%s leaves a sequence %s', async (_, status, told) => {
    const person = somebody();
    await deliver(message(person, { text: 'Hello' }));
    expect(await inSequence(person, told(person))).toBe(status);
  });

  test('an answer names what it answers, and what is forwarded its author', async () => {
    const person = somebody();
    const first = message(person, { text: 'Which one?' });
    const entities = [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.example/' }];
    const forwarded = { forward_origin: { type: 'channel', chat: { id: -5, title: 'News' } } };
    await deliver(
      first,
      message(person, { text: 'That one', entities, reply_to_message: first.message }),
      message(person, { text: 'Look', ...forwarded, reply_to_message: { message_id: 1 } }),
      message(person, { text: '\u200b', entities: [{ ...entities[0], length: 1 }] }),
    );
    const { messages } = await conversationWith(person, 4);
    const [hidden, look, that, question] = messages;
    expect(that).toMatchObject({ body: 'That one', entities, replyToMessageId: question.id, forwardedFrom: null });
    expect(look).toMatchObject({ replyToMessageId: null, forwardedFrom: 'News', data: null });
    expect(hidden.body).toBe('https://a.example/');
  });

  test('a shared own number fills an empty phone, but another person’s does not', async () => {
    const [person, other] = [somebody(), somebody()];
    const card = { phone_number: '491701234567', first_name: 'Ann' };
    await deliver(
      message(person, { contact: { ...card, user_id: person.id } }),
      message(person, { contact: { ...card, phone_number: '+49170', user_id: person.id } }),
      message(other, { contact: { ...card, user_id: person.id } }),
    );
    const phones = await Promise.all([person, other].map(async (one) => (await contactsNamed(one))[0].phone));
    expect(phones).toEqual(['+491701234567', null]);
  });

  const place = (latitude: number, more: object = { live_period: 900 }) => ({
    location: { latitude, longitude: 1, ...more },
  });
  test.each([
    ['stopped', [place(20, {})], 0, 1],
    ['never stopped', [], 900_000, 1],
    ['stopped before its time', [place(20, {})], 900_000, 1],
    ['still moving', [], 800_000, 0],
    ['without an end', [place(20, { live_period: 0x7f_ff_ff_ff })], 86_400_000, 0],
  ])('a live location %s is one message with its last point, and one event at its end', async (_, last, ms, count) => {
    const person = somebody();
    const first = message(person, place(0));
    const { date } = first.message;
    const moved = Array.from({ length: 20 }, (_, index) => edited(first, place(index + 1), date + index));
    await deliver(first, ...moved, ...last.map((one) => edited(first, one, date + 30)));
    await advance(ms);
    const { messages } = await conversationWith(person, 1);
    expect(messages[0]).toMatchObject({ body: '20, 1', data: { location: { latitude: 20 } } });
    await settle();
    const { body } = await live.get('/v1/events', { eventKind: 'message.updated', limit: 1000 });
    const told = body.items.filter(
      ({ data }: { data: { message_id: string } }) => data.message_id === `${messages[0].id}`,
    );
    expect(told).toHaveLength(count);
  });

  test('an edit that changes the media replaces the file, whose bytes are brought', async () => {
    const person = somebody();
    const bytes = (text: string) => ({ path: `f/${text}`, base64: Buffer.from(text).toString('base64') });
    await bot.hold({ one: bytes('one'), two: bytes('second') });
    const picture = (id: string) => ({ photo: [{ file_id: id, file_unique_id: `u${id}`, file_size: 3 }] });
    const first = message(person, { ...picture('one'), caption: 'Receipt' });
    await deliver(first);
    const shown = async () => (await conversationWith(person, 1)).messages[0];
    await eventually(async () => (await shown()).attachments[0].status === 'stored', 'the first file');
    await deliver(edited(first, { ...picture('one'), caption: 'The receipt' }));
    expect(await shown()).toMatchObject({ body: 'The receipt', attachments: [{ id: 1, status: 'stored' }] });
    await deliver(edited(first, { ...picture('two'), caption: 'The receipt' }, first.message.date + 5));
    await eventually(async () => (await shown()).attachments[0].status === 'stored', 'the second file');
    const { id, attachments, editedAt } = await shown();
    expect([attachments, editedAt !== null]).toMatchObject([[{ id: 2, status: 'stored', sizeBytes: 6 }], true]);
    await live.get(`/v1/messages/${id}/attachments/1`, undefined, 404);
    await deliver(edited(first, { ...picture('one'), caption: 'Too late' }, first.message.date + 1));
    expect(await shown()).toMatchObject({ body: 'The receipt', attachments: [{ id: 2, status: 'stored' }] });
    await live.get(`/v1/messages/${id}/attachments/2`);
  });

  test('a pressed button is answered, an inbound message, and an event of its own', async () => {
    const person = somebody();
    const first = message(person, { text: 'Hello' });
    await deliver(first);
    const keyboard = { inline_keyboard: [[{ text: 'Yes, please', callback_data: 'order:42' }]] };
    const from = { ...person, is_bot: false };
    const shown = { ...first.message, from: { id: 1, is_bot: true, first_name: 'Bot' }, reply_markup: keyboard };
    const update = { callback_query: { id: '4382', from, message: shown, data: 'order:42', chat_instance: '1' } };
    const { told } = (await bot.tell(update)).posted as unknown as { told: number[] };
    expect(await bot.post()).toEqual([200]);
    await bot.command({ tell: [{ ...update, update_id: told[0] }], asIs: true });
    expect(await bot.post()).toEqual([200]);
    expect((await bot.seen()).calls['answerCallbackQuery']).toBe(2);
    const { contact, messages } = await conversationWith(person, 2);
    expect(messages[0]).toMatchObject({
      direction: 'inbound',
      body: 'Yes, please',
      data: { button: { data: 'order:42' } },
      replyToMessageId: messages[1].id,
      isRead: false,
    });
    await settle();
    const { body } = await live.get('/v1/events', { eventKind: 'message.button_pressed' });
    expect(body.items.map(({ data }: { data: object }) => data)).toEqual([
      {
        message_id: String(messages[0].id),
        contact_id: String(contact.id),
        account_id: String(bot.id),
        data: 'order:42',
      },
    ]);
  });
});
