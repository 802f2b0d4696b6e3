import { system, type Tenant } from '#lib/core/tenant.ts';
import { type Arrival, arrivalIn, arrivalOf, type Judged } from '#lib/email/arrival.ts';
import { authenticationOf } from '#lib/email/authentication.ts';
import { fetchMail } from '#lib/email/bucket.ts';
import { type Mail, parseMail } from '#lib/email/mail.ts';
import { transact } from '#lib/table/transact.ts';
import { addresseesOf } from './addressees.ts';
import { type Received, receiveMail } from './mail.ts';

/** Stores a mail that lies in the bucket with a workspace, as SES has notified us; one that is there already stays as it is. */
export async function deliverIncoming(tenant: Tenant, notice: Judged): Promise<void> {
  const key = notice.receipt.action.objectKey;
  const mail = await parseMail(await fetchMail(key));
  await deliver(tenant, key, mail, arrivalOf(notice, mail));
}

/**
 * The same for every workspace that an envelope names where the notice is gone: it is what SES wrote on top of the mail, and whom the
 * operator names. Returns where the mail is now.
 */
export async function deliverAgain(key: string, recipients?: string[]): Promise<(Tenant & Received)[]> {
  const mail = await parseMail(await fetchMail(key));
  const { recipients: written, ...arrival } = arrivalIn(mail);
  const places: (Tenant & Received)[] = [];
  for (const tenant of await addresseesOf(key, recipients ?? written))
    places.push({ ...tenant, ...(await deliver(tenant, key, mail, arrival)) });
  return places;
}

const deliver = (tenant: Tenant, key: string, mail: Mail, { results, ...found }: Arrival): Promise<Received> =>
  transact(tenant, system, (tx) =>
    receiveMail(tx, mail, { ...found, key, authentication: authenticationOf(mail, results) }),
  );
