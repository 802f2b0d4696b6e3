import { randomUUID } from 'node:crypto';
import { glob } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import { expect } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { SchemaComponents } from '#infra/openapi/schemas.ts';
import type { Route } from '#lib/http/route.ts';
import type { Answer, Client } from '#test/client.ts';
import { type Letters, largest } from '#test/contract/largest-values.ts';
import { wholeSchema } from '#test/contract/whole-schema.ts';
import type { Schema } from '#test/contract/wrong-values.ts';

export type Fields = Record<string, unknown>;

interface Command {
  input: GenericSchema;
  run(input: unknown): Promise<Answer['body']>;
}

const root = join(import.meta.dirname, '../..');
const longestIdempotencyKey = () => randomUUID().padEnd(255, '~');

const components = new SchemaComponents();
export const jsonSchema = (schema: GenericSchema) =>
  wholeSchema(components.input(schema) as Schema, components.toJSON() as Record<string, Schema>);

const routes = (await loadRoutes()).map(({ route }) => route);
export const operations = new Map<string, Route>(routes.map((route) => [`${route.method} ${route.path}`, route]));
export const commands = new Map<string, Command>();
for await (const file of glob('infra/admin/commands/*.ts', { cwd: root })) {
  const of = (await import(join(root, file))) as { commands?: Record<string, Command> };
  for (const [verb, command] of Object.entries(of.commands ?? {}))
    commands.set(`${basename(file, '.ts')} ${verb}`, command);
}

export const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

export const brief = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length < 500 ? text : `${text.slice(0, 200)}…${text.slice(-200)} (${text.length})`;
};

/** The largest of what a schema takes, with these fields instead; undefined leaves one out. */
function largestOf(schema: Schema, letters: Letters, fields: Fields): Fields {
  const all = Object.entries({ ...(largest(schema, '', letters) as Fields), ...fields });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The largest body of an operation; nothing of one that takes none. */
export function largestBody(operation: string, letters: Letters, fields: Fields = {}): Fields {
  const schema = operations.get(operation)?.body;
  return schema ? largestOf(jsonSchema(schema), letters, fields) : {};
}

const filled = (template: string, ids: readonly (number | string)[]) =>
  ids.reduce<string>((path, id) => path.replace(/\{\w+\}/, String(id)), template);

/** Calls of all kinds with the largest input that each takes, and what has come of them. */
export function largestCalls(client: Client) {
  /** Operations, commands and tools. */
  const driven = new Set<string>();
  /** Request ids of what changed something. */
  const changes: string[] = [];
  /** Every text that was given. */
  const texts = new Set<string>();
  /** What there is to read: `/v1/contacts/{id}`, by its ids. */
  const made = new Map<string, number[]>();
  /** That endpoints sign with: each has one, and every rotation makes another. */
  const secrets: string[] = [];

  function remember(given: unknown): void {
    if (typeof given === 'string') texts.add(given);
    else if (typeof given === 'object' && given !== null) for (const inner of Object.values(given)) remember(inner);
  }

  const keep = (path: string, ...ids: number[]) => made.set(path, [...(made.get(path) ?? []), ...ids]);
  const forget = (path: string, gone: number) => made.set(path, made.get(path)?.filter((id) => id !== gone) ?? []);

  /**
   * An operation with its largest body but for some fields, twice under one Idempotency-Key of the greatest length. Demands that it is
   * taken, that the answer says what was given, and that the same is read back. Returns the answer's body.
   */
  async function send(
    operation: string,
    letters: Letters,
    fields: Fields = {},
    ids: readonly (number | string)[] = [],
    sender = client,
  ) {
    const { method, path: template, query, body: schema } = operations.get(operation) as Route;
    const path = filled(template, ids);
    const given = schema && largestBody(operation, letters, fields);
    remember(given);
    const options = {
      ...(given && { body: given }),
      ...(query && { query: largest(jsonSchema(query), '', letters) as Record<string, string> }),
      headers: { 'idempotency-key': longestIdempotencyKey() },
    };
    const { status, headers, body } = await sender.call(method, path, options);
    if (status > 299) throw new Error(`${operation} answers ${status} ${brief(body)}`);
    driven.add(operation);
    if (body.secret) secrets.push(body.secret);
    if (sender === client) changes.push(headers['x-request-id'] as string);
    const repeated = await sender.call(method, path, options);
    expect([operation, repeated.status]).toEqual([operation, status]);
    if (!('secret' in body || 'key' in body)) expect(repeated.body).toEqual(body);
    requireSame(operation, given ?? {}, body);
    const one = `${template}/{id}`;
    if (method === 'POST' && operations.has(`GET ${one}`) && typeof body.id === 'number') {
      keep(one, body.id);
      const found = await sender.get(`${path}/${body.id}`);
      expect(found.status).toBe(200);
      requireSame(`GET ${one}`, given ?? {}, found.body);
    }
    return body;
  }

  /** An operator's command, as `npm run admin` runs it. */
  async function admin(name: string, letters: Letters, fields: Fields) {
    const command = commands.get(name) as Command;
    const given = largestOf(jsonSchema(command.input), letters, fields);
    remember(given);
    const result = await command.run(v.parse(command.input, given));
    driven.add(name);
    return result;
  }

  return { driven, changes, texts, made, secrets, keep, forget, send, admin };
}

export type LargestCalls = ReturnType<typeof largestCalls>;

/** What an answer shows of the fields that were given is what was given. */
function requireSame(operation: string, given: Fields, shown: Fields): void {
  for (const [field, value] of Object.entries(given))
    if (Object.hasOwn(shown, field) && !isSame(shown[field], value))
      throw new Error(`${operation}: ${field} is ${brief(shown[field])}, not ${brief(value)}`);
}

/** Values of an enum are taken in any case and shown in one; null for a time is now. */
const isSame = (shown: unknown, given: unknown) =>
  isDeepStrictEqual(shown, given) || (typeof shown === 'string' && shown.toLowerCase() === given);
