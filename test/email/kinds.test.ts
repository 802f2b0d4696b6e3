import { expect, test } from 'vitest';
import { isReplySubject, topicOf } from '#lib/core/mail-subject.ts';
import { filled } from '#lib/core/variables.ts';
import { parseMail } from '#lib/email/mail.ts';
import { kinds } from '#test/email/kinds.ts';

test.each(kinds)('a mail is read as it was meant: $name', async ({ raw, read }) => {
  expect(await parseMail(raw)).toMatchObject(read);
});

const prefixes = [
  ...[
    'Re: ',
    'RE:',
    're : ',
    'Re[2]: ',
    'Re(2): ',
    'Re^2: ',
    'Re-2: ',
    'Re2: ',
    'Re：',
    'Re: Re: ',
    'AW: ',
    'Antw: ',
    'Antwort: ',
    'Antwoord: ',
  ],
  ...[
    'SV: ',
    'VS: ',
    'Odp: ',
    'RV: ',
    'RES: ',
    'Res: ',
    'R: ',
    'RIF: ',
    'RÉP: ',
    'Réf : ',
    'Réf. : ',
    'Odp.: ',
    'Ang: ',
    'Vedr.: ',
    'Re﹕',
    'Odg: ',
    'Ats: ',
    'Atb: ',
    'BLS: ',
    'TL: ',
    'YNT: ',
    'Vá: ',
  ],
  ...[
    'Ответ: ',
    'Відп: ',
    'Отг: ',
    'ΑΠ: ',
    'ΣΧΕΤ: ',
    'השב: ',
    'رد: ',
    '回复：',
    '回复: ',
    '回覆：',
    '答复: ',
    '答覆：',
    '返信: ',
    '回信：',
    '회신: ',
    '답장: ',
    'ตอบ: ',
  ],
  ...[
    '[EXT] Re: ',
    '[EXTERNAL] Re: ',
    'Re: [EXT] Re: ',
    'Re: [External] ',
    '(External) Re: ',
    '*** SPAM *** Re: ',
    '【外部】Re: ',
    '[team] Re: ',
  ],
  ...['Fwd: Re: ', 'Re: Fwd: ', 'WG: AW: ', '[External email - be careful] AW: ', '\u200eRe:\u00a0'],
];
test.each(prefixes)('a subject is a reply about its topic with %j', (prefix) => {
  const subject = `${prefix}Angebot`;
  expect([isReplySubject(subject), topicOf(subject)]).toEqual([true, 'Angebot']);
});

test.each([
  'Angebot',
  'Reply',
  'Rest: 5',
  'Fwd: Angebot',
  '[EXT] Angebot',
  'Tip: this',
  'Answer: yes',
  'Regarding: x',
  'AWS: down',
  'HA: x',
  'R2: x',
  'Ant: x',
])('a subject is no reply when it is %j', (subject) => {
  expect(isReplySubject(subject)).toBe(false);
});

test.each([
  ['[Ticket 5] Angebot', '[Ticket 5] Angebot'],
  ['Re: [Ticket 5] Angebot', '[Ticket 5] Angebot'],
  ['Re: [EXT] [Ticket 5] Angebot', '[Ticket 5] Angebot'],
  ['Fwd: Angebot', 'Angebot'],
  ['YML: Angebot', 'Angebot'],
  ['FS: Angebot', 'Angebot'],
  ['Red: Angebot', 'Red: Angebot'],
])('the topic of %j keeps what belongs to it', (subject, topic) => {
  expect(topicOf(subject)).toBe(topic);
});

const person = {
  name: 'Ann Lee',
  company: null,
  fields: { plan: 'Pro', price: { amount: 5, currency: 'EUR' }, list: ['a', 'b'] },
};
test.each([
  ['Hi {{name}}', { text: 'Hi Ann Lee' }],
  ['Hi {{ firstName }}!', { text: 'Hi Ann!' }],
  ['{{company|your company}}', { text: 'your company' }],
  ['{{company|}}', { text: '' }],
  ['{{company}}', { missing: 'company' }],
  ['{{fields.plan}} {{fields.price}} {{fields.list}}', { text: 'Pro 5 EUR a, b' }],
  ['{{fields.none|x}}', { text: 'x' }],
  ['{{fields.none}}', { missing: 'fields.none' }],
  ['no {variable} here', { text: 'no {variable} here' }],
])('a step is filled from the contact: %j', (text, made) => {
  expect(filled(text, person)).toEqual(made);
});

test('a step with an open variable is filled in time that follows its length', () => {
  const text = `{{${' '.repeat(4000)}`;
  const before = process.cpuUsage();
  expect(filled(text, person)).toEqual({ text });
  // What is cubic takes many seconds.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
