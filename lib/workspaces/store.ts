import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type * as v from 'valibot';
import { env } from '#lib/env.ts';
import { createBoards } from '#lib/pipelines/store.ts';
import { documentClient } from '#lib/table/client.ts';
import { type Transaction, transact } from '#lib/table/transaction.ts';
import { environments, operator } from '#lib/tenant.ts';
import { type CreateWorkspace, placeholderEmail, type Workspace, Workspaces } from './workspace.ts';

/** Creates a workspace with both its environments. Returns it. */
export async function createWorkspace(input: v.InferOutput<typeof CreateWorkspace>): Promise<Workspace> {
  const { Attributes } = await documentClient().send(
    new UpdateCommand({
      TableName: env('TABLE_NAME'),
      Key: { pk: 'WORKSPACES', sk: 'ids' },
      UpdateExpression: 'ADD #last :one',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const id = Attributes?.['last'] as number;
  const [workspace] = await Promise.all(
    environments.map((name) =>
      transact({ workspaceId: id, env: name }, operator, async (tx) => {
        await createBoards(tx);
        const made = {
          id,
          name: input.name,
          email: placeholderEmail(id),
          currency: input.currency,
          createdAt: tx.now,
        };
        return name === 'live' ? tx.create(Workspaces, made) : made;
      }),
    ),
  );
  return workspace as Workspace;
}

/** The workspace of the unit of work. Raises 404. */
export const getWorkspace = (tx: Transaction): Promise<Workspace> => tx.get(Workspaces, { id: tx.tenant.workspaceId });
