import type { Noun } from './noun.ts';

export const tags: Noun = {
  about: 'The dictionary of tags that contacts can have, at most 1,000.',
  operations: {
    tagsList:
      'Returns all tags of the workspace, ordered by name, on one page. Use it to find the id of a tag. `contactCount` says how many contacts have each.',
    tagsCreate:
      'Creates a tag without giving it to anybody. Use it to prepare names and colors; adding a tag to a contact by name creates it as well. A name that exists already, in any case, answers 409 `tag_name_taken`.',
    tagsPatch:
      'Changes the name or the color of a tag for all contacts that have it. A name that another tag has answers 409 `tag_name_taken`. It emits no event.',
    tagsDelete:
      'Deletes a tag and takes it off all contacts, each of which emits `contact.updated`. With many contacts that goes on after the answer. The contacts themselves stay.',
  },
  parameters: { '*': { id: 'Id of the tag, as in `GET /v1/tags`.' } },
  schemas: {
    Tag: {
      id: 'Id of the tag, unique within its environment.',
      name: 'Name of the tag, 1 to 50 characters, unique in any case.',
      color: 'Color of the tag in the panel, as `#rrggbb`.',
    },
    DictionaryTag: { contactCount: 'How many contacts have the tag.' },
    TagDictionary: { items: 'All tags of the workspace, ordered by name.' },
    CreateTag: {
      name: 'Name of the tag, 1 to 50 characters, unique in any case.',
      color: 'Color in the panel, as `#rrggbb`. Default: one of 12 colors, chosen by the name.',
    },
    PatchTag: { color: 'New color in the panel, as `#rrggbb`.' },
  },
  like: { DictionaryTag: 'Tag', PatchTag: 'Tag' },
};
