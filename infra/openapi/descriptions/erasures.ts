import type { Noun } from './noun.ts';

export const erasures: Noun = {
  about: 'Erasures of contacts that are under way or done.',
  operations: {
    erasuresGet:
      'Returns how far the erasure of a contact is. Use it to prove when a request was fulfilled. It shows counts only, nothing about the person. An erasure cannot be stopped.',
  },
  parameters: { '*': { id: 'Id of the erasure, as `POST /v1/contacts/{id}/erasure` has answered it.' } },
  schemas: {
    Erasure: {
      id: 'Id of the erasure. Keep it as a proof.',
      status: [
        'How far the erasure is. It goes on after a crash.',
        {
          queued: 'nothing but the contact is gone yet',
          running: 'data is being removed',
          completed: 'everything is gone',
        },
      ],
      createdAt: 'When the erasure was asked for. The contact answers 404 from then on.',
      completedAt: 'When the last of the data was removed. Null until then.',
      erased: 'How many records of each kind were removed. Null until the erasure is completed.',
    },
  },
};
