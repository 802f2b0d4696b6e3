import { handler as listFields } from '#functions/fields/list.ts';
import { handler as getMe } from '#functions/me/get.ts';
import { handler as getMember } from '#functions/members/get.ts';
import { handler as listMembers } from '#functions/members/list.ts';
import { handler as getPipeline } from '#functions/pipelines/get.ts';
import { handler as listPipelines } from '#functions/pipelines/list.ts';
import { handler as createTag } from '#functions/tags/create.ts';
import { handler as deleteTag } from '#functions/tags/delete.ts';
import { handler as listTags } from '#functions/tags/list.ts';
import { handler as patchTag } from '#functions/tags/patch.ts';
import { handler as getTelegramAccount } from '#functions/telegram/get-account.ts';
import { handler as listTelegramAccounts } from '#functions/telegram/list-accounts.ts';
import { handler as listTwitterAccounts } from '#functions/twitter/list-accounts.ts';
import { fieldObjects } from '#lib/core/choices.ts';
import { Problem } from '#lib/core/problem.ts';
import { idInput } from '#lib/core/schema.ts';
import { foldCase, holdsWords, wordsOf } from '#lib/core/text.ts';
import { object, page, paging, search, withFilters } from '#lib/mcp/common.ts';
import { type Arguments, type Ask, allOrOne, optional, own, passed, pick, shared, type Tool } from '#lib/mcp/tool.ts';
import { filtersOf } from '#lib/search/describe.ts';
import { nounOf } from '#lib/search/nouns.ts';

interface NamedTag {
  id: number;
  name: string;
}

/** The dictionary is one list over HTTP; a model reads it page by page. */
function pageOf(tags: NamedTag[], { q = '', after, limit = 25 }: { q?: string; after?: number; limit?: number }) {
  const wanted = wordsOf(q);
  const found = tags.filter(({ name }) => holdsWords(foldCase(name), wanted));
  const start = found.findIndex((tag) => tag.id === after) + 1;
  const items = found.slice(start, start + limit);
  const hasMore = start + items.length < found.length;
  return { items, nextCursor: hasMore ? items.at(-1)?.id : null, hasMore };
}

/** Returns the boards of deals, on the first page of an answer about deals, if the caller may read them. */
async function boardsFor(ask: Ask, { object: asked = 'deal', after }: Arguments): Promise<object> {
  if (after !== undefined || !/\bdeal\b/i.test(String(asked))) return {};
  try {
    const { items } = await ask(listPipelines, { kind: 'deal', limit: 100 });
    return { pipelines: await Promise.all(items.map(({ id }: { id: number }) => ask(getPipeline, { id }))) };
  } catch (error) {
    if (error instanceof Problem && error.code === 'forbidden') return {};
    throw error;
  }
}

/** Returns what filters of the objects take, on the first page of an answer about them. */
function filtersFor({ object: asked, after }: Arguments): object {
  if (after !== undefined) return {};
  const wanted =
    asked === undefined ? fieldObjects : fieldObjects.filter((one) => String(asked).toLowerCase().includes(one));
  return { filters: Object.fromEntries(wanted.map((one) => [one, filtersOf(nounOf(one))])) };
}

const parts = {
  me: [getMe],
  members: [listMembers, getMember],
  tags: [listTags],
  telegram_accounts: [listTelegramAccounts, getTelegramAccount],
  twitter_accounts: [listTwitterAccounts],
};

export const workspaceTools: Tool[] = [
  {
    name: 'workspace_get',
    title: 'Look up the workspace',
    description: 'The key, and members, tags, sending accounts with ids.',
    effect: 'reads',
    uses: {
      by: 'part',
      description: 'What',
      values: parts,
    },
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'One member or Telegram account'),
          q: own(search(), 'Member or tag name contains'),
        },
        { members: listMembers, accounts: listTelegramAccounts },
      ),
      ...shared(paging(listMembers)),
    },
    gives: object,
    async run(ask, args) {
      const answer = await ask(allOrOne(parts, args['part'], args), args);
      return args['part'] === 'tags' ? pageOf(answer.items, args) : answer;
    },
  },
  {
    name: 'schema_describe',
    title: 'Describe fields, filters, boards',
    description: 'Slugs, types and options of custom fields; what filter takes; boards of deals with their columns.',
    effect: 'reads',
    uses: [listFields],
    mayUse: [listPipelines, getPipeline],
    takes: {
      ...pick(listFields.route.query, { object: 'contact, company, deal, task; default all' }),
      ...paging(listFields),
    },
    gives: page,
    async run(ask, args) {
      const fields = await ask(listFields, args);
      const pipelines = await boardsFor(ask, args);
      return { ...fields, ...filtersFor(args), ...pipelines };
    },
  },
  {
    name: 'tags_manage',
    title: 'Manage tags',
    description: 'Deleting a tag takes it off every contact.',
    effect: 'is final',
    uses: {
      by: 'action',
      description: 'What',
      values: { create: [createTag], update: [patchTag], delete: [deleteTag] },
    },
    takes: {
      id: passed(idInput(), 'Tag to change'),
      ...optional(pick(createTag.route.body, { name: 'Name', color: '#rrggbb' })),
    },
    gives: object,
    run: (ask, args) =>
      ask(args['action'] === 'create' ? createTag : args['action'] === 'update' ? patchTag : deleteTag, args),
  },
];
