import { createColumn } from '#lib/deals/board-changes.ts';
import { Column, CreateColumn } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** Adds an active column to a board of deals. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/pipelines/{id}/columns',
    summary: 'Create a column',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: CreateColumn,
    status: 201,
    response: Column,
    errors: ['bad_request', 'not_found', 'conflict'],
    exists: (tx, { id }) => getPipeline(tx, id),
    location: (_, { id }) => `/v1/pipelines/${id}/columns`,
  },
  ({ tx, params, body }) => createColumn(tx, params.id, body),
);
