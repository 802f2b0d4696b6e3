import type { Noun } from './noun.ts';

export const messages: Noun = {
  about: 'Messages in both directions, over all channels and contacts.',
  operations: {
    messagesList:
      'Lists the messages of all contacts, newest first. Use it for an archive or to sync conversations. Messages with people who are no contacts are not listed. Reading does not mark them as read.',
    messagesGetAttachment:
      'Returns a link to the bytes of an attachment of a message. The link works for five minutes and always downloads. It is null while the file is being fetched; `message.updated` tells when it is there. Attachments of mail have an operation of their own.',
  },
  parameters: {
    '*': {
      id: 'Id of the message, as in `GET /v1/messages`.',
      attachmentId: 'Id of the attachment, as the message lists it.',
      channel: 'Only messages of this channel; all channels by default.',
      direction: 'Only messages that came in, or only those that went out; both by default.',
      since: 'Only messages sent at or after this time. Messages that were never sent count from `createdAt`.',
      until: 'Only messages sent at or before this time. Messages that were never sent count from `createdAt`.',
      contactId: 'Only messages with the contact of this id.',
      accountId: 'Only messages of the account with this id.',
    },
  },
  schemas: {
    Message: {
      id: 'Id of the message, unique within its environment.',
      contactId: 'Id of the contact the message is with.',
      channel: 'The channel on which it came or goes.',
      direction: 'Whether it came in or went out.',
      body: 'The text. Empty when the message is only a file.',
      threadId: 'Id of the mail thread, as text. Null on the other channels.',
      accountId: 'Id of the account that received or sends it. Null for mail.',
      jobId: 'Id of the job that sends it. Null for what came in, and for what a person wrote in their own app.',
      status: 'Whether it was received, waits, was sent, or failed.',
      isRead: 'Whether a member has read it. Outbound messages count as read.',
      attachments: 'Files that came or go with it. Read one to get a link to its bytes.',
      sentAt: 'When it was sent, as the platform says. Null while it waits or after it failed.',
      editedAt: 'When its author last changed it. Null if they never did.',
      readAt: 'When the contact read an outbound message, as far as the platform tells. Null if that is not known.',
      createdAt: 'When it was stored or queued here.',
      entities:
        'Parts of the text that are more than their words, such as links and bold words. Empty when there are none.',
      replyToMessageId: 'Id of the message that this one answers. Null when it answers none that is known here.',
      forwardedFrom: 'Name of the person or chat that wrote a forwarded message first. Null when it was not forwarded.',
      data: 'Content that words cannot show, by the name of its kind at the platform: a poll, a form, buttons. Null when there is none.',
    },
    TextEntity: {
      type: 'The kind of this part, as the platform names it: `bold`, `text_link`.',
      offset: 'Where the part begins in the text, in UTF-16 units from 0.',
      length: 'How long the part is, in UTF-16 units.',
      url: 'Address behind the words of a link. Null for every other kind.',
    },
    Attachment: {
      id: 'Id of the attachment, to ask for a link to its bytes.',
      fileName: 'Name of the file, without folders.',
      contentType: 'Media type, as the sender states it.',
      sizeBytes: 'Size of the file in bytes.',
      status: 'Whether the bytes can be loaded.',
      contentId:
        'The id by which the HTML of a mail names the picture, as in `cid:logo@example`. Null when there is none.',
      isInline: 'Whether a mail shows it inside its text, as it does a logo. False for files beside the text.',
    },
    AttachmentFile: {
      url: 'Link to the bytes, which needs no key. Null unless the status is `stored`.',
      expiresAt: 'When the link stops working, five minutes after this call. Null without a link.',
    },
  },
  like: { AttachmentFile: 'Attachment' },
  enums: {
    Channel: ['A channel on which messages travel.', { telegram: 'Telegram', twitter: 'X', email: 'mail' }],
    MessageDirection: 'The direction of a message: from a contact (`inbound`) or to one (`outbound`).',
    MessageStatus: [
      'The status of a message in a conversation.',
      {
        received: 'it came in',
        queued: 'it waits to be sent',
        sent: 'the platform has taken it',
        failed: 'it could not be sent; the job says why',
      },
    ],
    AttachmentStatus: [
      'Whether the bytes of a file can be loaded.',
      {
        pending: 'they are being fetched from the platform',
        stored: 'they can be loaded',
        too_large: 'they exceed what the platform or we take',
        failed: 'they could not be fetched',
        expired: 'the platform does not have them any more',
      },
    ],
  },
};
