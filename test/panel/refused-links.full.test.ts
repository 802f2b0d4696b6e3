import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sendInvitation, sendSignIn } from '#lib/auth/sign-in-mail.ts';
import { hourMs, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Members } from '#lib/entities/member.ts';
import { remaining } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { redirect } from '#test/endpoints.ts';
import { newAddress, newMember } from '#test/panel/member.ts';
import { newWorkspace } from '#test/workspace.ts';

type Answer = 'taken' | 'too fast' | 'too many' | 'paused' | 'lost';
const errors = {
  'too fast': { status: 429, type: 'TooManyRequestsException', message: 'Maximum sending rate exceeded.' },
  'too many': { status: 429, type: 'TooManyRequestsException', message: 'Daily message quota exceeded.' },
  paused: { status: 400, type: 'SendingPausedException', message: 'Email sending is disabled.' },
};
/** What SES says to the next ones, the last of these to all further ones. */
let answers: Answer[];
let asked = 0;
const ses = createServer((request, response) => {
  asked += 1;
  const answer = (answers.length > 1 ? answers.shift() : answers[0]) as Answer;
  request.resume().on('end', () => {
    if (answer === 'lost') return void request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    if (answer === 'taken') return void response.end(JSON.stringify({ MessageId: `m${asked}` }));
    const { status, type, message } = errors[answer];
    response.writeHead(status, { 'x-amzn-errortype': type }).end(JSON.stringify({ message }));
  });
});

const [base, client] = ['https://panel.example', '192.0.2.1'];
let tenant: Tenant;
let restore: () => void;
beforeAll(async () => {
  await new Promise<void>((resolve) => ses.listen(0, '127.0.0.1', resolve));
  restore = redirect('SESV2', `http://127.0.0.1:${(ses.address() as AddressInfo).port}`);
  vi.stubEnv('MAIL_FROM', 'crm@sender.example');
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});
beforeEach(() => {
  asked = 0;
});
afterAll(() => {
  restore();
  vi.unstubAllEnvs();
  ses.close();
});

/** How many e-mails of the day links take that are sent so often. */
async function spentBy(times: number, email: string): Promise<number> {
  const before = await remaining(tenant, 'emails');
  for (let time = 0; time < times; time += 1) await sendSignIn({ email, base, client }).catch(() => {});
  return before - (await remaining(tenant, 'emails'));
}

test('a link that SES takes too many mails beside leaves a moment later', async () => {
  const { email } = await newMember(tenant.workspaceId, 'member', newAddress());
  answers = ['too fast', 'too fast', 'taken'];
  await sendSignIn({ email, base, client });
  expect(asked).toBe(3);
});

test('a link that SES refuses does not count towards an address’s links, unless it may have left', async () => {
  const { email } = await newMember(tenant.workspaceId, 'member', newAddress());
  answers = ['paused'];
  expect([await spentBy(8, email), asked]).toEqual([0, 8]);
  answers = ['too many'];
  expect([await spentBy(2, email), asked]).toEqual([0, 10]);
  answers = ['lost'];
  expect([await spentBy(2, email), asked]).toEqual([2, 12]);
  answers = ['taken'];
  expect([await spentBy(8, email), asked]).toEqual([1, 13]);
});

test('an invitation that SES refuses stays one until it has left', async () => {
  const { id } = await newMember(tenant.workspaceId, 'member', newAddress());
  await transact(tenant, operator, async (tx) => {
    const member = await tx.get(Members, { id });
    // Its timer is not due: nobody else sends it.
    return tx.update(Members, { ...member, invitation: { base, since: shifted(tx.now, hourMs) } });
  });
  const invitation = () => transact(tenant, operator, async (tx) => (await tx.get(Members, { id })).invitation);
  answers = ['paused'];
  for (let time = 0; time < 8; time += 1) await expect(sendInvitation(tenant, id)).rejects.toThrow('disabled');
  expect([asked, await invitation()]).toMatchObject([8, { base }]);
  answers = ['taken'];
  await sendInvitation(tenant, id);
  expect([asked, await invitation()]).toEqual([9, null]);
});
