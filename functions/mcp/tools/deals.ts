import { handler as createDeal } from '#functions/deals/create.ts';
import { handler as getDeal } from '#functions/deals/get.ts';
import { handler as getMetadata } from '#functions/deals/get-metadata.ts';
import { handler as listDeals } from '#functions/deals/list.ts';
import { handler as patchDeal } from '#functions/deals/patch.ts';
import { handler as patchMetadata } from '#functions/deals/patch-metadata.ts';
import { handler as searchDeals } from '#functions/deals/search.ts';
import { handler as moveDeal } from '#functions/deals/stage.ts';
import { customFields, fields, listing, object, page, withIncluded } from '#lib/mcp/common.ts';
import { conditions, listOrSearch } from '#lib/mcp/search.ts';
import { idOf, optional, pick, type Tool } from '#lib/mcp/tool.ts';

const editable = {
  title: 'Title',
  contactId: 'Contact',
  value: 'Amount',
  currency: 'ISO 4217',
  probability: '0-100',
  expectedCloseAt: 'ISO time',
  notes: 'Notes',
};

export const dealTools: Tool[] = [
  {
    name: 'deals_search',
    title: 'Search deals',
    description: 'Deals by all given filters.',
    effect: 'reads',
    uses: [listDeals, searchDeals],
    takes: {
      ...listing(listDeals, {
        q: 'Title contains',
        stage: 'Stage',
      }),
      ...conditions,
      fields,
    },
    gives: page,
    run: (ask, args) => listOrSearch(ask, listDeals, searchDeals, args),
  },
  {
    name: 'deals_get',
    title: 'Read a deal',
    description: 'A deal with its tasks, custom values, board and column, company, owner, and metadata.',
    effect: 'reads',
    uses: [getDeal, getMetadata],
    takes: { id: idOf('Deal id') },
    gives: object,
    async run(ask, args) {
      const [deal, metadata] = await Promise.all([
        withIncluded(ask, getDeal, args, ['fields', 'pipeline', 'company', 'owner', 'archive']),
        ask(getMetadata, args),
      ]);
      return { ...deal, ...metadata };
    },
  },
  {
    name: 'deals_create',
    title: 'Create a deal',
    description: 'Adds a deal in an active stage.',
    effect: 'adds',
    uses: [createDeal],
    takes: { ...pick(createDeal.route.body, { ...editable, stage: 'Default lead' }), fields: customFields },
    gives: object,
    run: (ask, args) => ask(createDeal, args),
  },
  {
    name: 'deals_update',
    title: 'Update or move a deal',
    description: 'Changes what is given, all or nothing; null clears. Deals are won in the panel only.',
    effect: 'sets',
    uses: [patchDeal, moveDeal, patchMetadata],
    takes: {
      id: idOf('Deal id'),
      ...pick(patchDeal.route.body, editable),
      fields: customFields,
      ...optional(pick(moveDeal.route.body, { stage: 'Stage' })),
      ...optional(pick(patchMetadata.route.body, { metadata: 'Merges pairs, null removes one' })),
    },
    gives: object,
    async run(_ask, args, update) {
      const { shown, answers } = await update([
        [patchDeal, args],
        ...(args['stage'] === undefined ? [] : [[moveDeal, args] as const]),
        ...(args['metadata'] === undefined ? [] : [[patchMetadata, args] as const]),
      ]);
      return { ...shown, ...(args['metadata'] === undefined ? {} : answers.at(-1)) };
    },
  },
];
