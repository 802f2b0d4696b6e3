import * as v from 'valibot';
import { bounceTypes } from '#lib/core/choices.ts';
import { environments, type Tenant } from '#lib/core/tenant.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { sentAs } from './send.ts';

export const noticeTypes = [...bounceTypes, 'complaint'] as const;

/** Result of a mail for one recipient, after SES accepted it. */
export interface Notice {
  recipient: string;
  type: (typeof noticeTypes)[number];
  reason: string;
  /** It was the mail that was wrong, and not the address, which others may reach. */
  isOfMail?: boolean;
}

const number = v.pipe(v.string(), v.regex(/^\d{1,10}$/), v.transform(Number));

/** Tags that `sendMail` gives a mail. An event has a list for each tag. */
const tags = v.object({
  workspace: v.tuple([number]),
  environment: v.tuple([v.picklist(environments)]),
  job: v.tuple([number]),
});

const mail = v.object({ messageId: v.string(), tags });
const recipient = { emailAddress: v.string() };

/** The event that SES publishes of a mail (developer guide, "Contents of event data that Amazon SES publishes"), as EventBridge hands it on. */
export const SesEvent = v.object({
  detail: v.variant('eventType', [
    v.object({
      eventType: v.literal('Bounce'),
      mail,
      bounce: v.object({
        bounceType: v.string(),
        bounceSubType: v.string(),
        bouncedRecipients: v.array(v.object({ ...recipient, diagnosticCode: v.optional(v.string()) })),
      }),
    }),
    v.object({
      eventType: v.literal('Complaint'),
      mail,
      complaint: v.object({ complainedRecipients: v.array(v.object(recipient)) }),
    }),
    // SES has taken it, found malware in it, and delivers it to nobody.
    v.object({
      eventType: v.literal('Reject'),
      mail: v.object({ ...mail.entries, destination: v.array(v.string()) }),
      reject: v.object({ reason: v.string() }),
    }),
  ]),
});

/** All that one event says. */
export interface Notices {
  tenant: Tenant;
  jobId: number;
  /** With which it left. */
  messageId: string;
  notices: Notice[];
}

export function noticesOf({ detail }: v.InferOutput<typeof SesEvent>): Notices {
  const { messageId } = detail.mail;
  const { workspace, environment, job } = detail.mail.tags;
  return {
    tenant: { workspaceId: workspace[0], env: environment[0] },
    jobId: job[0],
    messageId: sentAs(messageId),
    notices: noticesIn(detail),
  };
}

function noticesIn(detail: v.InferOutput<typeof SesEvent>['detail']): Notice[] {
  switch (detail.eventType) {
    case 'Complaint':
      return detail.complaint.complainedRecipients.map((of) => ({ ...shown(of), type: 'complaint', reason: '' }));
    case 'Reject': {
      const reason = reasonOf(`SES rejected the mail: ${detail.reject.reason}`);
      return detail.mail.destination.map((emailAddress) => ({
        ...shown({ emailAddress }),
        type: 'permanent',
        reason,
        isOfMail: true,
      }));
    }
    case 'Bounce':
      return detail.bounce.bouncedRecipients.map((of) => ({
        ...shown(of),
        // SES does not know whether an undetermined bounce is permanent.
        type: detail.bounce.bounceType === 'Permanent' ? 'permanent' : 'transient',
        reason: reasonOf(of.diagnosticCode ?? '') || reasonOf(detail.bounce.bounceSubType),
      }));
  }
}

/** As long as an address can be. */
const maxAddressCharacters = 320;
export const maxReasonCharacters = 480;

/** The words of whoever refused the mail. */
const reasonOf = (text: string) => firstCharacters(oneLine(text), maxReasonCharacters);

/** An outsider's server may have stated it. */
const shown = ({ emailAddress }: { emailAddress: string }) => {
  const [, address = emailAddress] = /<([^<>]*)>\s*$/.exec(emailAddress) ?? [];
  return { recipient: firstCharacters(oneLine(address), maxAddressCharacters) };
};
