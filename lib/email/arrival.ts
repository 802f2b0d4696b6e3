import * as v from 'valibot';
import type { Outcome } from '#lib/entities/email-message.ts';
import { domainOf, resultsIn, type SesResults } from './authentication.ts';
import type { Mail } from './mail.ts';

/** None where SES did not check. */
const verdict = v.optional(v.object({ status: v.string() }));
type Verdict = v.InferOutput<typeof verdict>;

const judged = {
  spamVerdict: verdict,
  virusVerdict: verdict,
  spfVerdict: verdict,
  dkimVerdict: verdict,
  dmarcVerdict: verdict,
  action: v.object({ objectKey: v.string() }),
};
const envelope = { mail: v.object({ source: v.string() }) };

/** Notification of SES for a stored mail: its envelope and its verdicts (SES, "Notification contents"). */
export const Receipt = v.object({
  ...envelope,
  receipt: v.object({ ...judged, recipients: v.array(v.string()) }),
});
export type Receipt = v.InferOutput<typeof Receipt>;

/** The same for one of its workspaces, which need not know of the others. */
export const Judged = v.object({ ...envelope, receipt: v.object(judged) });
export type Judged = v.InferOutput<typeof Judged>;

/** By which SES tries its topic when a rule is made; there is no mail. */
const SetUp = v.object({ mail: v.object({ messageId: v.literal('AMAZON_SES_SETUP_NOTIFICATION') }) });

/** Any notification of SES. */
export const Notice = v.lazy((notice) => (v.is(SetUp, notice) ? SetUp : Receipt));

/** How a mail came: whether it is what it says. */
export interface Arrival {
  /** A filter in front of the CRM found spam. */
  isSpam: boolean;
  /** It found a virus. */
  hasVirus: boolean;
  results: SesResults;
}

/** From SES's notification; only the domains that DKIM passed for stand in the mail alone. */
export function arrivalOf({ mail: { source }, receipt }: Judged, { ses }: Mail): Arrival {
  const { dkimDomains, dmarcDomain } = resultsOf(ses);
  return {
    isSpam: receipt.spamVerdict?.status === 'FAIL',
    hasVirus: receipt.virusVerdict?.status === 'FAIL',
    results: {
      spf: outcomeOf(receipt.spfVerdict),
      dkim: outcomeOf(receipt.dkimVerdict),
      dmarc: outcomeOf(receipt.dmarcVerdict),
      spfDomain: domainOf(source),
      dkimDomains,
      dmarcDomain,
    },
  };
}

/** Nothing where the name that the sender's server gave itself, which SES repeats there, could pass for what SES found. */
function resultsOf({ received, authenticationResults }: Mail['ses']): SesResults {
  const [sender = ''] = /^.*(?=\sby inbound-smtp\.)/s.exec(received ?? '') ?? [];
  return resultsIn(/[;"\\]/.test(sender) ? undefined : authenticationResults);
}

const outcomes: Record<string, Outcome> = { PASS: 'pass', FAIL: 'fail' };
const outcomeOf = (of: Verdict): Outcome => outcomes[of?.status ?? ''] ?? 'none';

/** From the headers that SES put on top of the stored mail, where the notification is gone. SES names one recipient there. */
export function arrivalIn({ ses }: Mail): Arrival & { recipients: string[] } {
  // The last one is its own: what comes before is the name that the sender's server gave itself.
  const [, ...hops] = (ses.received ?? '').split(/\sby inbound-smtp\./);
  const [, recipient] = /^[\w.-]+ with \S+ id \S+ for <?([^\s<>;]+)/.exec(hops.at(-1) ?? '') ?? [];
  return {
    recipients: recipient === undefined ? [] : [recipient],
    isSpam: ses.spamVerdict === 'FAIL',
    hasVirus: ses.virusVerdict === 'FAIL',
    results: resultsOf(ses),
  };
}
