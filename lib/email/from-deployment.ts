import MailComposer from 'nodemailer/lib/mail-composer';
import { isThrottled } from '#lib/aws/aws.ts';
import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { handOver, isDeploymentFault } from './ses.ts';

interface Mail {
  to: string;
  subject: string;
  text: string;
}

const giveUpMs = 15 * secondMs;

/**
 * Mails a text from the deployment's own address. The mails of workspaces leave as fast as SES takes any (lib/email/pace.ts): what it
 * refuses beside them it may take a moment later. Needs `ses`.
 */
export async function mailFromDeployment(from: string, { to, subject, text }: Mail): Promise<void> {
  const headers = { 'Auto-Submitted': 'auto-generated' };
  const mail = new MailComposer({ from, to, subject, text, headers, disableFileAccess: true, disableUrlAccess: true });
  const content = await mail.compile().build();
  const untilMs = now() + giveUpMs;
  for (;;) {
    try {
      await handOver({ ToAddresses: [to] }, content);
      return;
    } catch (error) {
      if (!isThrottled(error) || isDeploymentFault(error as Error) || now() > untilMs) throw error;
    }
    await sleep(secondMs * (0.5 + Math.random()));
  }
}
