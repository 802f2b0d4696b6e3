import type { Noun } from './noun.ts';

const written = {
  bodyText: 'The text as plain text, 1 to 100,000 characters. Mail programs that show no HTML show this.',
  bodyHtml: 'The same text as HTML, at most 200,000 characters. Default null: a plain mail.',
  cc: 'Addresses that get a copy, at most 20, visible to all recipients. Default none.',
  bcc: 'Addresses that get a copy nobody else sees, at most 20. Default none.',
  runAt: 'When to send it, up to 365 days ahead. Null or a time in the past means now. The quota of that day is used.',
  force: 'Send even to an address whose mail has bounced for good. Default false: such a mail is refused.',
  attachments: 'Ids of files from `POST /v1/files`, at most 10 and 25 MB together. Each file can be sent once.',
};

export const email: Noun = {
  about: 'Mail threads: what came in, what went out, and replies.',
  operations: {
    emailListThreads:
      'Lists mail threads, newest first. Use the filters to build an inbox: open threads, unread ones, those of a member. All filters must match. Only a preview of the text is included; read the messages of a thread for the rest.',
    emailGetThread:
      'Returns one mail thread with its status, its assignee, and a preview. The messages have a list of their own. Reading a thread does not mark anything as read.',
    emailListMessages:
      'Lists the messages of a mail thread, newest first, with text, sanitized HTML, and attachments. Use it to show a conversation. Reading does not mark them as read.',
    emailGetAttachment:
      'Returns a link to the bytes of an attachment of a mail. Use it when somebody wants to open the file. The link works for five minutes and always downloads. It is null while the file is not stored.',
    emailCreateMessage:
      'Queues a mail in a new thread. Use it to write first; answers join the thread. Recipients count against the daily quota of the workspace (429 `daily_quota`). Without a sender address of the deployment it answers 409 `mail_not_configured`.',
    emailCreateReply:
      'Queues a reply in a mail thread to whoever wrote last, or to the address they ask to answer (`Reply-To`). Recipients count against the daily quota of the workspace (429 `daily_quota`). A spam thread is not answered. Without a sender address of the deployment it answers 409 `mail_not_configured`.',
    emailListSuppressions:
      'Lists the addresses that get no sequence mail, newest first: those who unsubscribed, complained, or whose mail bounced for good, and those added here. Use it to keep other systems in step. It does not list contacts.',
    emailCreateSuppression:
      'Adds an address to those that get no sequence mail. Use it for people who unsubscribed elsewhere. Replies and single messages to the address are not affected. An address that is there already gains the reason `manual`.',
    emailDeleteSuppression:
      'Removes an address from the suppressions, whatever the reasons. Use it when somebody asks for mails again, or a bounced mailbox works again. Enrollments that have ended do not go on.',
    emailStatus:
      'Sets the status of a mail thread, for example to close it. Any status can follow any other; a new message from outside opens it again. The same status changes nothing. Emits `email.thread_updated`.',
    emailContact:
      'Connects the thread of a stranger with a contact, by `contactId` or a new one by `create`. Its messages and its conversation become the contact’s. A contact without an address gets that of the stranger. Another contact’s thread stays: 409 `thread_has_contact`.',
    emailAssignee:
      'Assigns a mail thread to a member, or to nobody with `userId` null. The member must be active. Emits `email.thread_updated`. The contact keeps its own assignee.',
  },
  parameters: {
    emailListSuppressions: { address: 'Only this address, in any spelling of its case. Default: all addresses.' },
    emailDeleteSuppression: { address: 'The address to remove from the list, for example `ada@example.com`.' },
    '*': {
      id: 'Id of the mail thread, as in `GET /v1/email/threads`.',
      messageId: 'Id of the mail in its thread.',
      attachmentId: 'Id of the attachment, as the message lists it.',
    },
    emailListThreads: {
      status: 'Only threads with this status, for example `open`.',
      contactId: 'Only threads of the contact with this id.',
      unreadOnly: '`true` for threads with unread messages only. Default: all threads.',
      q: 'Only threads whose subject, preview, or participants contain all words of this text, in any case and with or without accents. At most 200 characters.',
      assignedToUserId: 'Only threads of this member. `none` finds the threads that nobody looks after.',
      isStarred: '`true` for threads with a star only, `false` for those without.',
    },
  },
  schemas: {
    EmailThread: {
      id: 'Id of the thread, unique within its environment.',
      subject: 'Subject of the first message.',
      preview: 'Beginning of the newest message, as plain text.',
      status: 'Where the thread is in the work of the team.',
      unreadCount: 'How many inbound messages of the thread are unread.',
      isStarred: 'Whether a member has marked the thread with a star.',
      contactId: 'Id of the contact the thread is with. Null when the sender is no contact.',
      aiLeadScore: 'How promising an AI agent finds the thread, 0 to 100. Null when none has rated it.',
      lastMessageAt: 'When the newest message of the thread was sent or received.',
    },
    EmailMessage: {
      id: 'Id of the mail, unique within its environment.',
      threadId: 'Id of the thread it belongs to.',
      direction: 'Whether it came in or went out.',
      from: 'Sender, as the mail names it. See `authentication` for whether that is true.',
      to: 'Recipients in the `To` header.',
      cc: 'Recipients in the `Cc` header. Blind copies are not shown.',
      subject: 'Subject line, at most 500 characters.',
      isRead: 'Whether a member has read it. Outbound mail counts as read.',
      status: 'Whether it was received, waits, was sent, or failed.',
      attachments: 'Files that came or go with it. Read one to get a link to its bytes.',
      sentAt: 'When it was sent, as its sender says. Null while it waits.',
      bodyText: 'The text as plain text. If the mail has only HTML, it is made from that.',
      bodyHtml: 'The text as sanitized HTML. Null when the mail has none.',
      authentication: 'Whether the sender is who the mail says. Null for outbound mail.',
      newText: 'The text without the mails that it quotes: what its author wrote now.',
      isAutomatic: 'Whether a program wrote it, such as an absence notice. It stops no sequence and reopens no thread.',
      replyTo: 'Addresses that an answer goes to instead of `from`, as the sender asks. Empty for an answer to `from`.',
    },
    Suppression: {
      id: 'Id of the entry, unique within its environment.',
      address: 'The address. Null once the person is erased: it is then known by a digest alone.',
      reasons: 'Why it gets no sequence mail, each reason once.',
      createdAt: 'When the address was first suppressed.',
    },
    CreateSuppression: { address: 'The address to suppress, without a name, at most 254 characters.' },
    Mailbox: {
      name: 'Name beside the address, as its owner writes it. Null when there is none.',
      email: 'E-mail address of the sender or recipient.',
    },
    EmailAuthentication: {
      spf: 'Whether the sending server may send for the domain (SPF).',
      dkim: 'Whether the signature of the domain is valid (DKIM).',
      dmarc: 'Whether the mail passes the policy of its domain (DMARC).',
      verdict: 'The result in one word. `fail` means: do not trust the sender.',
    },
    CreateEmailMessage: {
      ...written,
      to: 'Addresses to write to, 1 to 20. An address only, without a name.',
      subject: 'Subject line, 1 to 500 characters.',
      contactId:
        'Id of the contact the thread belongs to. Default: the contact that has the first address, if there is one.',
    },
    CreateReply: {
      ...written,
      replyAll: 'Also write to the other recipients of the newest inbound message. Default false: to its sender only.',
      quote: 'Add the message that it answers below the text, as mail programs do. Default false.',
    },
    ReplyJob: {
      id: 'Id of the job that sends the mail. Follow it at `GET /v1/jobs/{id}` or by `job.completed`.',
      threadId: 'Id of the thread the mail belongs to.',
      status: 'How far the job is; `queued` at first.',
      runAt: 'When the mail is to leave.',
      lastError: 'Why the last attempt failed. Null when none has.',
    },
    SetThreadStatus: { status: 'The new status: open, pending, closed, or spam.' },
    SetThreadContact: {
      contactId: 'Id of the contact whom the thread belongs to. Give either this or `create`.',
      create:
        'A new contact, as `POST /v1/contacts` takes it. Its e-mail address is that of the thread unless you say otherwise.',
    },
    SetThreadAssignee: { userId: 'Id of an active member, from `GET /v1/members`. Null assigns the thread to nobody.' },
  },
  enums: {
    SuppressionReason: [
      'Why an address gets no sequence mail.',
      {
        bounce: 'a mail to it bounced for good; other mail is refused as well',
        complaint: 'its owner reported a mail as spam',
        unsubscribe: 'its owner unsubscribed',
        manual: 'a program added it',
      },
    ],
    EmailThreadStatus: [
      'The status of a mail thread.',
      {
        open: 'somebody should answer; the default',
        pending: 'the team waits for something',
        closed: 'nothing is left to do',
        spam: 'unwanted; it is not answered',
      },
    ],
    AuthenticationOutcome: 'The outcome of one check of a sender; `none` means that there was nothing to check.',
  },
};
