import type { Noun } from './noun.ts';

const facts = {
  name: 'Name of the view, in one line of 1 to 80 characters.',
  filter: 'The filter of its search, as in `POST /v1/contacts/search`. Null finds all.',
  sort: 'The order of its search: up to three fields.',
  columns: 'Names of the fields that a table of it shows, in their order: at most 100.',
  isShared: 'Whether all members and keys see it. Others are seen by who made them. Default false.',
};

export const views: Noun = {
  about: 'Saved searches: a filter, an order, and the columns of a table, under a name.',
  operations: {
    viewsList:
      'Lists the views that you may see, newest first: those that are shared, and your own. Views of objects whose read scope the key lacks are left out. Use `object` for those of one table.',
    viewsCreate:
      'Saves a filter, an order, and columns under a name. Fields are checked as a search checks them. If you see 500 views, the call answers 409 `limit_reached`. The key needs the write scope of the object.',
    viewsGet:
      'Returns one view. A view that is not shared answers 404 to everybody but who made it. Pass its id as `viewId` of a search to use it.',
    viewsPatch:
      'Changes the fields that the body names. A new filter, order, or list of columns replaces the old one and is checked as at creation. The key needs the write scope of the object.',
    viewsDelete:
      'Deletes a view for everybody who sees it. Searches with its id are 400 from then on. No record changes. The key needs the write scope of the object.',
  },
  parameters: {
    '*': { id: 'Id of the view, as in `GET /v1/views`.' },
    viewsList: { object: 'Only views of these objects, separated by commas: `contact`, `company`, `deal`, `task`.' },
  },
  schemas: {
    View: {
      ...facts,
      id: 'Id of the view, unique within its environment and never used again.',
      object: 'Records that it finds: contacts, companies, deals, or tasks.',
      ownerUserId: 'Id of the member who made it. Null when a key did.',
    },
    CreateView: { ...facts, object: 'Records that it finds: contacts, companies, deals, or tasks. It never changes.' },
    PatchView: facts,
  },
};
