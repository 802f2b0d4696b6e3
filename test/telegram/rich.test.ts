import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { entityForBot, MalformedHtml, readHtml } from '#lib/channels/telegram/html.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { uploaded } from '#test/files/upload.ts';
import { message } from '#test/telegram/bot.ts';
import { bots, somebody } from '#test/telegram/hearing.ts';
import { newWorkspace } from '#test/workspace.ts';

const at = (type: string, offset: number, length: number, url: string | null = null) => ({ type, offset, length, url });

test.each([
  ['plain & simple', 'plain & simple', []],
  ['<b>bold</b> <strong>too</strong>', 'bold too', [at('bold', 0, 4), at('bold', 5, 3)]],
  ['<i>a</i><em>b</em>', 'ab', [at('italic', 0, 1), at('italic', 1, 1)]],
  ['<u>a</u><ins>b</ins>', 'ab', [at('underline', 0, 1), at('underline', 1, 1)]],
  ['<s>a</s><strike>b</strike><del>c</del>', 'abc', [0, 1, 2].map((offset) => at('strikethrough', offset, 1))],
  ['<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span>', 'ab', [at('spoiler', 0, 1), at('spoiler', 1, 1)]],
  ['<b>a <i>b</i></b>', 'a b', [at('bold', 0, 3), at('italic', 2, 1)]],
  [
    '😀 <a href="https://a.example/?a=1&amp;b=2">here</a>',
    '😀 here',
    [at('text_link', 3, 4, 'https://a.example/?a=1&b=2')],
  ],
  ["<a href='tg://user?id=5'>Ann</a>", 'Ann', [at('text_link', 0, 3, 'tg://user?id=5')]],
  ['<code>a</code>', 'a', [at('code', 0, 1)]],
  ['<pre><code class="language-ts">a</code></pre>', 'a', [at('pre', 0, 1)]],
  ['<blockquote expandable>a</blockquote>', 'a', [at('blockquote', 0, 1)]],
  ['<tg-emoji emoji-id="53">👍</tg-emoji>', '👍', [at('custom_emoji', 0, 2, 'tg://emoji?id=53')]],
  ['&lt;b&gt; &amp;amp; &quot;&#33;&#x21;', '<b> &amp; "!!', []],
  ['<B>a</B>', 'a', [at('bold', 0, 1)]],
  ['<b></b>a', 'a', []],
])('Telegram’s HTML is read: %s', (html, text, entities) => {
  expect(readHtml(html)).toEqual({ text, entities });
});

test.each([
  '<b>a',
  'a</b>',
  '<b><i>a</b></i>',
  '1 < 2',
  '<p>a</p>',
  '<br>',
  '<h1>a</h1>',
  '<a>a</a>',
  '<a href="">a</a>',
  '<span class="x">a</span>',
  '<tg-emoji>a</tg-emoji>',
  '<bold>a</bold>',
  '<b',
  '<>',
  '<script>a</script>',
  '<img src="x">',
])('formatting that Telegram would refuse is malformed: %s', (html) => {
  expect(() => readHtml(html)).toThrow(MalformedHtml);
});

test('entities go to the Bot API as it names them', () => {
  expect(entityForBot(at('text_link', 0, 3, 'tg://user?id=5'))).toEqual({
    type: 'text_mention',
    offset: 0,
    length: 3,
    user: { id: 5 },
  });
  expect(entityForBot(at('custom_emoji', 0, 2, 'tg://emoji?id=53'))).toMatchObject({ custom_emoji_id: '53' });
  expect(entityForBot(at('bold', 0, 2))).toEqual({ type: 'bold', offset: 0, length: 2 });
});

describe('a message that is more than words', () => {
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

  const send = (body: object) =>
    live.post('/v1/telegram/messages', { accountId: bot.id, telegramUserId: 5, text: 'Hi', ...body });
  const sent = (id: number) =>
    eventually(async () => (await live.get(`/v1/jobs/${id}`)).body.status === 'sent', 'the message to be sent');

  test('arrives with its entities, its buttons and what it answers, and is shown so', async () => {
    const person = somebody();
    const first = message(person, { text: 'Which?' });
    await bot.tell(first);
    expect(await bot.post()).toEqual([200]);
    const { contact, messages } = await conversationWith(person, 1);
    const buttons = [[{ text: 'Yes', data: 'yes' }], [{ text: 'Shop', url: 'https://shop.example/' }]];
    const html = { text: ' <b>This</b> one', format: 'html', buttons, replyToMessageId: messages[0].id };
    const { status, body } = await send({ ...html, telegramUserId: undefined, contactId: contact.id });
    expect(status).toBe(202);
    await sent(body.id);
    const [stored] = (await bot.seen()).stored.slice(-1) as unknown as { text: string; parameters: object }[];
    expect(stored).toMatchObject({
      text: 'This one',
      parameters: {
        entities: [{ type: 'bold', offset: 0, length: 4 }],
        reply_parameters: { message_id: first.message.message_id, allow_sending_without_reply: true },
        reply_markup: {
          inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }], [{ text: 'Shop', url: 'https://shop.example/' }]],
        },
      },
    });
    const { messages: shown } = await conversationWith(person, 2);
    expect(shown[0]).toMatchObject({
      body: 'This one',
      entities: [at('bold', 0, 4)],
      replyToMessageId: messages[0].id,
      data: { buttons },
    });
  });

  test('with a file keeps them at its caption', async () => {
    const file = await uploaded(live, { fileName: 'a.pdf', contentType: 'application/pdf', bytes: randomBytes(10) });
    const buttons = [[{ text: 'Yes', data: 'yes' }]];
    const { body } = await send({ text: '<i>Look</i>', format: 'html', buttons, attachments: [file] });
    await sent(body.id);
    const [stored] = (await bot.seen()).stored.slice(-1) as unknown as { parameters: Record<string, string> }[];
    expect(JSON.parse(stored?.parameters['caption_entities'] ?? '')).toEqual([
      { type: 'italic', offset: 0, length: 4 },
    ]);
    expect(JSON.parse(stored?.parameters['reply_markup'] ?? '').inline_keyboard[0][0].callback_data).toBe('yes');
  });

  test.each([
    [{ text: '<b>Hi', format: 'html' }, 'text', 'invalid_format'],
    [{ text: '<b> </b>', format: 'html' }, 'text', 'required'],
    [{ format: 'markdown' }, 'format', 'invalid_enum'],
    [{ replyToMessageId: 999_999 }, 'replyToMessageId', 'unknown_reference'],
    [{ buttons: [[{ text: 'Yes' }]] }, 'buttons[0][0]', 'invalid_format'],
    [{ buttons: [[{ text: 'Yes', data: 'a', url: 'https://a.example' }]] }, 'buttons[0][0]', 'invalid_format'],
    [{ buttons: [[{ text: 'Yes', data: 'x'.repeat(49) }]] }, 'buttons[0][0].data', 'too_long'],
    [{ buttons: [[{ text: 'Yes', data: 'ж'.repeat(25) }]] }, 'buttons[0][0].data', 'too_long'],
    [{ buttons: [[{ text: 'Yes', url: 'javascript:1' }]] }, 'buttons[0][0].url', 'invalid_format'],
  ])('is refused at once: %j', async (body, field, code) => {
    const { status, body: answer } = await send(body);
    expect([status, answer.details.fields[0].field, answer.details.fields[0].code]).toEqual([400, field, code]);
  });

  test('has no buttons where a person’s account sends it', async () => {
    const account = {
      channel: 'telegram',
      kind: 'user',
      name: 'Ann',
      username: null,
      dailyLimit: 5,
      secret: 'x',
    } as const;
    const { id } = await transact(tenant, operator, (tx) => createAccount(tx, account));
    const { body } = await send({ accountId: id, buttons: [[{ text: 'Yes', data: 'yes' }]] });
    expect(body.details.fields[0]).toMatchObject({ field: 'buttons', code: 'not_allowed' });
  });
});
