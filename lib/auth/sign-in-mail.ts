import { fromNow, hourMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { measure } from '#lib/core/metrics.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { mailFromDeployment } from '#lib/email/from-deployment.ts';
import { noSender } from '#lib/email/sender.ts';
import { mayHaveLeft } from '#lib/email/ses.ts';
import { Members } from '#lib/entities/member.ts';
import { settle, take } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { membershipsOf, type Person, peopleOf } from '#lib/workspaces/people.ts';
import { signInLink } from './session.ts';
import { signInDimensions } from './session-dimensions.ts';
import { createSignIn } from './session-store.ts';
import { countInvitation, countToStranger, type Uncount } from './sign-in-limits.ts';
import { hasSignedIn } from './signed-in.ts';

/** A link that somebody, of a client's network, has asked for. */
interface Asked {
  email: string;
  base: string;
  client: string;
}

/**
 * Mails a link to whoever has the address and is an active member somewhere; nobody else learns whether there is one. It goes to what was
 * asked for, never to what a workspace has written. Who has never signed in is mailed few. Needs `ses`.
 */
export async function sendSignIn({ email, base, client }: Asked): Promise<void> {
  const people = await peopleOf(await membershipsOf(email));
  if (people.length === 0) return;
  const paid = (await hasSignedIn(email)) ? [] : await pay(email, client, people);
  if (!paid) return;
  await mailLink(email, people, paid, base, {
    subject: 'Your link to sign in',
    reason: 'Somebody, probably you, has asked for a link to sign in with.',
  });
}

/** Grants of a mail, each with the function that gives it back. */
type Paid = readonly Uncount[];
const giveBack = (paid: Paid) => Promise.all(paid.map((one) => one()));

/**
 * Pays for the mail of a member who has never signed in, whom anybody may have invited. The address gets a few of them
 * a day, each as an e-mail of the first workspace that has one left. Returns undefined when none may be sent.
 */
async function pay(email: string, client: string, people: readonly Person[]): Promise<Paid | undefined> {
  const uncount = await countToStranger(email, client);
  if (!uncount) return undefined;
  for (const { workspaceId } of people) {
    const tenant: Tenant = { workspaceId, env: 'live' };
    const grant = await take(tenant, 'emails', 1);
    if (grant.amount > 0) return [uncount, () => settle(tenant, 'emails', grant, 0)];
  }
  await uncount();
  return undefined;
}

const maxInvitationMs = 24 * hourMs;

/** Letters, digits and spaces, no address of a page: strangers get what workspaces are called. */
const plainName = /^(?:[\p{L}\p{M}\p{N} &'’,()+-]|\.(?=\s|$)){1,60}$/u;

/**
 * Mails a new member the link of their invitation, which lets them into that workspace alone, once; after a day of vain attempts, or five
 * invitations of this address in a day, none any more: a member asks for a link of their own. Needs `ses`.
 */
export async function sendInvitation(tenant: Tenant, memberId: number): Promise<void> {
  const { workspaceId } = tenant;
  const [person] = await peopleOf([{ workspaceId, memberId, generation: 0 }]);
  const invitation = person?.member.invitation;
  if (person && invitation && invitation.since > fromNow(-maxInvitationMs)) {
    const { member, workspace } = person;
    const uncount = await countInvitation(member.email);
    if (uncount)
      await mailLink(member.email, [person], [uncount], invitation.base, {
        subject: 'You are a member of a workspace',
        reason: `${plainName.test(workspace.name ?? '') ? workspace.name : 'A workspace'} has made you a member.`,
      });
  }
  await transact(tenant, system, async (tx) => {
    const member = await tx.find(Members, { id: memberId });
    if (member?.invitation) tx.update(Members, { ...member, invitation: null });
  });
}

async function mailLink(
  email: string,
  people: readonly Person[],
  paid: Paid,
  base: string,
  { subject, reason }: { subject: string; reason: string },
): Promise<void> {
  const sender = env('MAIL_FROM');
  if (sender === undefined) {
    log().error('a link to sign in with is not mailed', { reason: noSender });
    measure(signInDimensions, { signInsUnsent: 1 });
    await giveBack(paid);
    return;
  }
  const to = addressKey(email);
  const link = signInLink(base, await createSignIn(people));
  const text = `${reason}\n\nOpen it within 15 minutes; it works once:\n\n${link}\n\nIf you did not expect this mail, leave it: nothing happens.\n`;
  try {
    await mailFromDeployment(sender, { to, subject, text });
  } catch (error) {
    if (!mayHaveLeft(error as Error)) await giveBack(paid);
    throw error;
  }
}
