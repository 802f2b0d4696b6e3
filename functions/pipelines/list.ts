import { Board, BoardQuery } from '#lib/entities/board.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listBoards } from '#lib/pipelines/store.ts';
import { listOf } from '#lib/schema.ts';

/** The boards of the workspace, without their columns. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/pipelines',
    summary: 'List pipeline boards',
    scope: 'pipelines:read',
    query: BoardQuery,
    status: 200,
    response: listOf(Board),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listBoards(tx, query),
);
