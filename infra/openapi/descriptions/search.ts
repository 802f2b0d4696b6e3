import type { Noun } from './noun.ts';

const body = {
  q: 'Only records that hold all words of this text, in any order, case, and accent: in names, titles, addresses, phones, and domains.',
  filter:
    'One condition `{field, op, value}`, or `{and: […]}`, `{or: […]}`, `{not: …}` of them: at most 5 levels and 50 conditions.',
  sort: 'Up to three fields to order by. Ties go by id, the newest first, as everything does without it.',
  limit: 'How many records a page has at most, 1 to 100, 25 by default. A number out of range is taken as the nearest.',
  cursor: '`nextCursor` of the page before, with the same body. With another body it is 400.',
  include: 'Members to add to each record of the answer, separated by commas, as in the list.',
  archived: '`true` finds only archived records, `"all"` those as well. Default false.',
  timeZone: 'IANA zone in which days and months of relative times begin. Default: that of the workspace.',
  count: 'Whether the answer has `total`, the number of all records that fit. Default false.',
  viewId: 'Id of a view. Its filter must hold as well, and its order is taken unless the body has one.',
};
const result = {
  items: 'The records of this page in the order that was asked for, at most `limit` of them.',
  nextCursor: 'Cursor of the next page: pass it as `cursor` with the same body. Null on the last page.',
  total: 'How many records fit in all. Only with `count: true`.',
};
const nouns = ['Contact', 'Company', 'Deal', 'Task'];

export const search: Noun = {
  about: 'One search over contacts, companies, deals, tasks, and e-mail threads.',
  operations: {
    searchGet:
      'Finds records of all types by the words of `q`: exact matches first, then beginnings, then other parts, and of those the last active. At most 50. Types whose read scope the key lacks are left out and named in `X-Ignored-Parameters`.',
  },
  parameters: {
    searchGet: {
      q: 'Words that must all be found, in any order, case, and accent; phone numbers by their digits. At most 200 characters.',
      types:
        'Only these types, separated by commas: `contacts`, `companies`, `deals`, `tasks`, `threads`. Default all.',
    },
  },
  schemas: {
    ...Object.fromEntries(
      ['SearchContacts', 'SearchCompanies', 'SearchDeals', 'SearchTasks'].map((title) => [title, body]),
    ),
    ...Object.fromEntries(nouns.map((title) => [`${title}SearchResult`, result])),
    SearchHits: { items: 'The records that were found, best first, at most 50.' },
    SearchHit: {
      type: 'The kind of record that was found.',
      id: 'Id of the record, for `GET /v1/contacts/{id}` and its like.',
      title: 'Name, title, or subject of the record.',
      subtitle: 'A second line that tells it from others: a company, an address, a contact. Null when there is none.',
      matched: 'The fields in which words were found.',
    },
    SearchMatch: {
      field: 'Name of the field that holds the words.',
      text: 'The whole text of the field.',
      ranges: 'Places of the words in `text`: pairs of start and end, half-open, in UTF-16 units.',
    },
    Sort: {
      field: 'Name of the field, as in a filter. Fields with several values have no order.',
      direction: 'Smallest first (`asc`, the default) or largest first (`desc`).',
      nulls: 'Where records without a value stand, whatever the direction: `last` (the default) or `first`.',
    },
  },
};
