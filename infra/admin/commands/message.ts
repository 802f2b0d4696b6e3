import * as v from 'valibot';
import { ReceiveMessage, receiveMessage } from '#lib/transport/receiving/message.ts';
import { asSystem, tenantFields } from './operator.ts';

const Receive = v.object({ ...tenantFields, ...ReceiveMessage.entries });

/** Receives a message as the ingestion of an account does, with the system as the actor. */
const receive = ({ workspaceId, env, ...message }: v.InferOutput<typeof Receive>) =>
  asSystem({ workspaceId, env }, (tx) => receiveMessage(tx, message));

export const commands = { receive: { input: Receive, run: receive } };
