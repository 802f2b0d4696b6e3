import type { Noun } from './noun.ts';

const parts = {
  name: 'Name of the reply, in one line of 1 to 80 characters, unique in any case.',
  text: 'The text, 1 to 4,000 characters, with the variables of sequence steps: `{{firstName|there}}`. Another variable is 400 `invalid_format`.',
  shortcut: 'Word that finds the reply in the panel after a `/`: 1 to 32 of a-z, 0-9, and `-`, unique. Null for none.',
};

export const savedReplies: Noun = {
  about: 'Texts that members answer with again and again, at most 200. The panel fills in their variables.',
  operations: {
    savedRepliesList:
      'Lists saved replies, newest first. Use it to offer them where people write messages. Their variables are not filled in.',
    savedRepliesGet:
      'Returns one saved reply. Send `If-None-Match` to save the transfer when nothing has changed. Its variables are not filled in.',
    savedRepliesCreate:
      'Creates a saved reply. A name or shortcut that another one has answers 409. Above 200 replies the call answers 409 `limit_reached`. It sends nothing and emits no event.',
    savedRepliesPatch:
      'Changes the fields that the body names; fields left out keep their values, and a null `shortcut` removes it. Messages that were sent stay as they are. It emits no event.',
    savedRepliesDelete:
      'Deletes a saved reply. Its name and shortcut are free again at once. Messages that were sent stay as they are. It emits no event.',
  },
  parameters: { '*': { id: 'Id of the saved reply, as in `GET /v1/saved-replies`.' } },
  schemas: {
    SavedReply: { ...parts, id: 'Id of the saved reply, unique within its environment and never used again.' },
    CreateSavedReply: { ...parts, shortcut: `${parts.shortcut} Default null.` },
    PatchSavedReply: parts,
  },
};
