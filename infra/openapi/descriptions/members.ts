import type { Noun } from './noun.ts';

export const members: Noun = {
  about: 'People who work in the workspace. Their ids are used wherever something is assigned.',
  operations: {
    membersList:
      'Lists the members of the workspace, newest first. Use it to find the id for an assignment. Former members are included unless you pass `isActive=true`. Members are invited in the panel.',
    membersGet:
      'Returns one member. Use it to show who a contact or a task is assigned to. Roles and membership are changed in the panel only.',
  },
  parameters: {
    '*': { id: 'Id of the member, as in `GET /v1/members`.' },
    membersList: {
      q: 'Only members whose name or e-mail address contains all words of this text, in any case and with or without accents. At most 200 characters.',
      isActive: '`true` for members who may sign in only, `false` for former ones; both by default.',
    },
  },
  schemas: {
    Member: {
      id: 'Id of the member: the value of every `assignedToUserId` and `userId`.',
      email: 'E-mail address the member signs in with.',
      name: 'Name of the member. Null when nobody has set it.',
      role: [
        'Permissions of the member in the panel.',
        {
          owner: 'everything',
          admin: 'everything',
          member: 'everything except keys, accounts, money, and erasure',
        },
      ],
      isActive: 'Whether the member may sign in and be assigned things.',
      createdAt: 'When the member joined the workspace.',
    },
  },
};
