import type { Noun } from './noun.ts';

export const conversations: Noun = {
  about:
    'The inbox: one conversation with each contact, over all channels, and one for each mail thread without a contact.',
  operations: {
    conversationsList:
      'Lists conversations, the one with the last message first. Use it for an inbox. Pass `nextCursor` as `cursor` for the next page. Mail shows only with the scope `email:read`; messages themselves have operations of their own.',
    conversationsGet:
      'Returns one conversation. Send `If-None-Match` to save the transfer when nothing has changed. The id of a mail thread whose contact is known by now answers the conversation of that contact.',
    conversationsState:
      'Opens, snoozes, or ends a conversation. Use it to keep an inbox short. A new message opens it again, and a snooze ends at its time. Emits `conversation.updated`. The status of mail threads stays as it is.',
    conversationsAssignee:
      'Gives a conversation to an active member, or to nobody with null. Use it to share out an inbox. Emits `conversation.updated`. The assignees of the contact and of its mail threads stay as they are.',
    conversationsRead:
      'Marks all messages of a conversation as read, as `POST /v1/contacts/{id}/messages/read` does for a contact. Emits `conversation.updated` and `message.read` if something was unread. The state stays as it is.',
    conversationsUnread:
      'Marks the last received message of a conversation as unread, to come back to it. Emits `conversation.updated`. Does nothing when something is unread already, or when nothing was received.',
  },
  parameters: {
    '*': {
      id: 'Id of the conversation, as in `GET /v1/conversations`.',
      cursor: 'Where the page begins: `nextCursor` of the page before. Default: at the last message of all.',
      limit: 'How many conversations a page has at most, 1 to 100. Default 25.',
      state: 'Only conversations in this state, for example `open`.',
      assignedToUserId: 'Only conversations of this member. `none` finds those that nobody is named for.',
      unread: '`true` for conversations with something unread only, `false` for all others.',
      channel: 'Only conversations with a message on this channel, for example `telegram`.',
      accountId: 'Only conversations with messages of the account with this id.',
      tagId: 'Only conversations with contacts that have the tag with this id.',
      q: 'Only conversations with all words of this text in the name, company, username, e-mail, or phone of a person, or in the subject of a mail thread. At most 200 characters.',
    },
  },
  schemas: {
    Conversation: {
      id: 'Id of the conversation, which follows from that of its contact or thread: take it from an answer or an event.',
      contactId: 'Id of the contact it is with. Null for a mail thread without one.',
      threadId: 'Id of the mail thread, if that has no contact. Null otherwise.',
      channels: 'The channels on which messages were received or sent. Mail is left out without `email:read`.',
      state: 'Whether it is open, snoozed, or done.',
      snoozedUntil: 'When a snoozed conversation opens, if no message does so before. Null unless it is snoozed.',
      assignedToUserId: 'Id of the member who answers it. Null when nobody is named.',
      unreadCount: 'How many received messages are not marked as read.',
      waitingSince: 'Since when a message that a person wrote has no answer. Null when none waits.',
      lastMessage:
        'The last message that was received or sent; scheduled ones do not count. Null if it is mail and you may not read that.',
      createdAt: 'When its first message was received or sent.',
      updatedAt: 'When its state, snooze, or assignee last changed. Null until the first change.',
    },
    LastMessage: {
      id: 'Id of the message, as in `GET /v1/messages`.',
      channel: 'The channel on which it came or went.',
      direction: 'Whether it came in or went out.',
      preview: 'Beginning of its text in one line, at most 140 characters. Empty when it is only a file.',
      status: 'Whether it was received or sent.',
      sentAt: 'When it was sent, as the platform says.',
    },
    ConversationList: {
      items: 'The conversations of this page, the one with the last message first.',
      nextCursor: 'Pass it as `cursor` for the next page. Null on the last page.',
      hasMore: 'Whether there may be more after this page.',
    },
    SetConversationState: {
      state: 'The new state: open, snoozed, or done.',
      snoozedUntil:
        'When it opens again, at most 366 days ahead. Required for `snoozed`, and refused for the other states.',
    },
    SetConversationAssignee: { userId: 'Id of an active member, from `GET /v1/members`. Null for nobody.' },
  },
  enums: {
    ConversationState: [
      'The state of a conversation.',
      {
        open: 'somebody has to look at it',
        snoozed: 'it opens at its time, or with a new message',
        done: 'it opens with a new message',
      },
    ],
  },
};
