import * as v from 'valibot';
import { parseMail } from '#lib/email/mail.ts';
import { receiveMail } from '#lib/email/receive.ts';
import { asOperator, tenantFields } from './operator.ts';

const Receive = v.object({ ...tenantFields, raw: v.pipe(v.string(), v.minLength(1)) });

async function receive({ workspaceId, env, raw }: v.InferOutput<typeof Receive>) {
  const mail = await parseMail(raw);
  return asOperator({ workspaceId, env }, (tx) => receiveMail(tx, mail));
}

export const commands = { receive: { input: Receive, run: receive } };
