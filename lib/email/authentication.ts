import * as v from 'valibot';
import { addressKey } from '#lib/core/mail-address.ts';
import { Authentication, type Outcome, outcome } from '#lib/entities/email-message.ts';
import type { Mail } from './mail.ts';

/** As an operator states it: all of it, or one word for all four. */
export const AuthenticationInput = v.union(
  [
    Authentication,
    v.pipe(
      outcome,
      v.transform((of) => ({ spf: of, dkim: of, dmarc: of, verdict: of })),
    ),
  ],
  'must be an object of spf, dkim, dmarc and verdict, or one word for all of them: pass, fail or none',
);

type Checks = Pick<Authentication, 'spf' | 'dkim' | 'dmarc'>;

/** Results of the checks of SES, with their domains. */
export interface SesResults extends Checks {
  spfDomain: string | undefined;
  dkimDomains: readonly string[];
  /** Domain of the From that DMARC checked. */
  dmarcDomain: string | undefined;
}

/**
 * Passes when DMARC did not fail, and DMARC, SPF or DKIM passed for the very domain that we read in From, where one mailbox alone
 * stands in From.
 */
export function authenticationOf(
  { from: { email }, hasOneAuthor }: Pick<Mail, 'from' | 'hasOneAuthor'>,
  results: SesResults,
): Authentication {
  const { spf, dkim, dmarc, spfDomain, dkimDomains, dmarcDomain } = results;
  const from = domainOf(email);
  const isFrom = (domain: string | undefined) => domain !== undefined && isSameOrAbove(domain, from);
  const isItsOwn = (spf === 'pass' && isFrom(spfDomain)) || (dkim === 'pass' && dkimDomains.some(isFrom));
  const isPass = dmarc !== 'fail' && (isItsOwn || (dmarc === 'pass' && dmarcDomain === from));
  return { spf, dkim, dmarc, verdict: hasOneAuthor && isPass ? 'pass' : 'fail' };
}

/** As SES's header `Authentication-Results` states it; of any other writer's it says nothing. */
export function resultsIn(header: string | undefined): SesResults {
  const [writer = '', ...statements] = statementsIn(header ?? '');
  const ofSes = writer.trim() === 'amazonses.com' ? statements.map((statement) => statement.trim()) : [];
  const said = (method: string) =>
    ofSes.filter((one) => one.startsWith(`${method}=`)).map((one) => one.slice(method.length + 1));
  const best = (method: string) => outcomeOf(said(method).map((one) => /^\w*/.exec(one)?.[0] ?? ''));
  const passed = said('dkim').filter((one) => outcomeOf([one.split(/\s/)[0] ?? '']) === 'pass');
  const envelopeFrom = ofSes.find((one) => one.includes('envelope-from='))?.split('envelope-from=')[1];
  return {
    spf: best('spf'),
    dkim: best('dkim'),
    dmarc: best('dmarc'),
    spfDomain: envelopeFrom && domainOf(envelopeFrom.split(/\s/)[0] ?? ''),
    dmarcDomain: /^pass\s.*?header\.from=(\S+)/s.exec(said('dmarc')[0] ?? '')?.[1]?.toLowerCase(),
    dkimDomains: passed.flatMap((one) => /\sheader\.[id]=(\S+)/.exec(one)?.[1] ?? []).map(domainOf),
  };
}

const outcomeOf = (words: readonly string[]): Outcome =>
  words.includes('pass') ? 'pass' : words.includes('fail') ? 'fail' : 'none';

/** The domain of an address, or the domain itself, in ASCII and small letters. */
export function domainOf(email: string): string {
  const key = addressKey(email);
  return key.slice(key.lastIndexOf('@') + 1);
}

/** Returns whether a domain equals another or contains it. The reverse proves nothing: strangers have domains below `github.io`. */
const isSameOrAbove = (domain: string, from: string) =>
  domain === from || (domain.includes('.') && from.endsWith(`.${domain}`));

/** Returns the parts between semicolons, without quotes and comments, which a sender chooses. If one has no end, there are no parts. */
function statementsIn(header: string): string[] {
  const statements = [''];
  let isQuoted = false;
  let comments = 0;
  for (let at = 0; at < header.length; at += 1) {
    const character = header[at] as string;
    if (character === '\\') at += 1;
    else if (isQuoted || (character === '"' && comments === 0)) isQuoted = character !== '"' || !isQuoted;
    else if (character === '(') comments += 1;
    else if (comments > 0) comments -= Number(character === ')');
    else if (character === ';') statements.push('');
    else statements[statements.length - 1] += character;
  }
  return isQuoted || comments > 0 ? [] : statements;
}
