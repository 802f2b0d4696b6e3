import * as v from 'valibot';
import { system } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { ReceiveMessage, receiveMessage } from '#lib/transport/receiving/message.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { tenantFields } from './operator.ts';

const Receive = v.object({ ...tenantFields, ...ReceiveMessage.entries });

/** Receives a message as the ingestion of an account does, with the system as the actor. */
const receive = ({ workspaceId, env, ...message }: v.InferOutput<typeof Receive>) =>
  transact({ workspaceId, env }, system, async (tx) => {
    await getWorkspace(tx);
    return receiveMessage(tx, message);
  });

export const commands = { receive: { input: Receive, run: receive } };
