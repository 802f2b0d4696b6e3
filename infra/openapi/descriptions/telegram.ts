import { jobDetail } from './jobs.ts';
import type { Noun } from './noun.ts';

/** How an account is set up, on every channel. */
export const accountSettings = {
  name: 'Name of the account in the workspace, at most 200 characters. Default: the name it has on the platform.',
  dailyLimit:
    'How many messages the account may send in a UTC day, 1 to 1,000,000. Further messages wait for the next day.',
};

/** Descriptions of the recipient and the time of a message, on every channel. */
export const recipient = {
  accountId: 'Id of the account that sends the message. A disconnected one holds it for 24 hours before it fails.',
  contactId: 'Id of the contact to write to. It goes before the other ways to name the recipient.',
  username: 'Username of the recipient, without `@`. Used when neither a contact nor an id is given.',
  runAt: 'When to send it, up to 365 days ahead. Null or a time in the past means now.',
};

export const telegram: Noun = {
  about:
    'Telegram bots and user accounts, and the messages they send. Received messages are in the conversation of each contact.',
  operations: {
    telegramListAccounts:
      'Lists the Telegram accounts of the workspace, newest first, with their limits and how many messages wait. Use it to find the `accountId` for a message. Disconnected accounts are included.',
    telegramGetAccount:
      'Returns one Telegram account with its state, its limits, and how it receives messages. Use it to see why messages wait. Tokens and sessions are never shown.',
    telegramCreateAccount:
      'Connects a Telegram bot by its token from BotFather. Telegram is asked whose token it is. The bot receives by webhook if the deployment has a public address, otherwise by polling. With a test key, any token `test_…` connects a sandbox account. User accounts need a login instead.',
    telegramPatchAccount:
      'Changes the name, the daily limit, the pace, or the way a Telegram account receives messages. Fields left out keep their values. It does not change the token: use `POST /v1/telegram/accounts/{id}/connect`.',
    telegramConnect:
      'Gives a bot a new token, for example after you revoked the old one in BotFather. The token must belong to the same bot; another one answers 409 `other_account`. Queued messages are sent then.',
    telegramDisconnect:
      'Disconnects a Telegram account: removes the webhook of a bot, ends the session of a user account, and deletes the secret. Queued messages wait for 24 hours, then fail. The conversation stays.',
    telegramCreateLogin:
      'Begins the login of a Telegram user account: Telegram sends a code to the phone. Enter it with `POST /v1/telegram/logins/{id}/code` within ten minutes. A workspace can begin 20 logins a day. With a test key nobody is asked: the code is `00000`, the password `test`.',
    telegramEnterCode:
      'Enters the code that Telegram has sent. The login is `connected` afterwards, or needs the password of the account. Five wrong codes or passwords end the login. An account that was connected before gets its old id.',
    telegramEnterPassword:
      'Enters the two-step password of a Telegram user. Use it when the login says `password_needed`. The password is proved without being sent to Telegram, and it is neither stored nor logged.',
    telegramCreateMessage:
      'Queues a message from a Telegram account, for now or later. Name the recipient by contact, id, or username. Follow the job by `job.completed`. Bots can only write to people who have written to them. A full queue is never an error: the pace of the account decides when it leaves.\n\nFiles are sent by bots only, and `text` is then their caption of at most 1,024 characters. One file is sent as a photo (JPEG or PNG up to 10 MB) or a document. Several are sent as one album if Telegram allows it, otherwise one after the other.',
    telegramListMessages:
      'Lists the jobs of Telegram messages, newest first. Use it to see what waits or has failed. Texts are not included; `GET /v1/jobs` shows a preview.',
    telegramGetMessage:
      'Returns the job of one Telegram message. Use it to follow a message after the 202 that queued it. The text is in the conversation of the contact.',
    telegramPatchMessage:
      'Changes the text or the time of a Telegram message that is still queued. Fields left out keep their values. A message that is being sent, or was sent, answers 409 `job_not_queued`. Recipient and files stay: to change those, cancel the message and queue another one.',
    telegramCancel:
      'Cancels a Telegram message that is still queued. The job becomes `failed` with `lastError` `canceled`. A message that is being sent, or was sent, answers 409 `job_not_queued`. Nothing is taken back at Telegram.',
    telegramRetry:
      'Sends a failed Telegram message again, with five new attempts. Use it after you have fixed the cause, for example by connecting the account. A job that has not failed answers 409 `job_not_failed`.',
  },
  parameters: {
    '*': {
      id: 'Id of the account or of the job, as its list shows it.',
      status: 'Only accounts with this status, for example `flood_wait`.',
    },
    telegramEnterCode: { id: 'Id of the login, as `POST /v1/telegram/logins` has answered it.' },
    telegramEnterPassword: { id: 'Id of the login, as `POST /v1/telegram/logins` has answered it.' },
    telegramListMessages: {
      status: 'Only jobs with this status, for example `failed`.',
      accountId: 'Only jobs of the account with this id.',
      contactId: 'Only messages to the contact with this id.',
      since: 'Only jobs whose `runAt` is at or after this time.',
      until: 'Only jobs whose `runAt` is at or before this time.',
    },
  },
  schemas: {
    Account: {
      id: 'Id of the account, unique over all channels of its environment.',
      kind: ['The kind of the account on its platform.', { bot: 'a Telegram bot', user: 'the account of a person' }],
      name: 'Name of the account in the workspace.',
      username: 'Username of the account on the platform, without `@`. Null when it has none.',
      phoneMasked: 'Phone number of a Telegram user account, masked. Null for bots and on X.',
      status: 'Whether the account can send now.',
      floodWaitUntil: 'Until when the platform has told the account to wait. Null when it has not.',
      dailyLimit: 'How many messages the account may send in a UTC day.',
      sentToday: 'How many messages it has sent since midnight UTC.',
      queuedCount: 'How many messages wait for it.',
      inbound: 'How messages of contacts reach this account.',
      'inbound.mode': 'Whether the platform calls us, we ask it, or nothing is received.',
      'inbound.status': [
        'Whether messages reach the account now.',
        {
          ok: 'it does',
          failing: 'it does not; see `lastError`',
          off: 'it is switched off, or the account is disconnected',
        },
      ],
      'inbound.lastReceivedAt': 'When something last came in. Null if nothing ever did.',
      'inbound.lastError': 'Why receiving fails, in words of the platform. Null when all is well.',
      pacing: 'How fast the account sends.',
      'pacing.peerGapMs': 'Milliseconds between two messages to the same person.',
      'pacing.gapMs': 'Milliseconds between two messages to anybody.',
      'pacing.perMinute': 'Messages in a minute at most. Null means no limit of its own.',
      'pacing.newPeersPerDay': 'People a day to whom the account writes for the first time. Null means no limit.',
    },
    CreateBot: {
      ...accountSettings,
      kind: 'Always `bot`. For a user account, begin a login instead.',
      botToken: 'Token of the bot from BotFather. It is stored encrypted and never shown.',
      pacing: 'How fast the bot sends. Default null: the pace that Telegram allows bots.',
      inbound:
        'How the bot receives messages. Default: `webhook` if the deployment has a public address, otherwise `polling`.',
    },
    ConnectBot: { botToken: 'New token of the same bot. It is stored encrypted and never shown.' },
    PatchAccount: {
      ...accountSettings,
      name: 'New name of the account in the workspace, 1 to 200 characters.',
      pacing: 'New pace; parts left out keep their values. Null returns to the default of its kind.',
      inbound: 'New way to receive messages; `off` receives none.',
    },
    Pacing: {
      peerGapMs:
        'Milliseconds between two messages to the same person, 0 to 3,600,000. Null is the default of its kind.',
      gapMs: 'Milliseconds between two messages to anybody, 0 to 3,600,000. Null is the default of its kind.',
      perMinute: 'Messages in a minute at most, 1 to 100,000. Null is the default of its kind.',
      newPeersPerDay:
        'People a day to whom a user account writes for the first time, 0 to 100,000. Null is the default.',
    },
    CreateTelegramLogin: {
      phone: 'Phone number of the Telegram user, with its country code: `+44 20 7946 0958`.',
      name: 'Name of the account in the workspace, at most 200 characters. Default: the name of the person.',
    },
    EnterTelegramCode: { code: 'The code that Telegram has sent. `00000` with a test key.' },
    EnterTelegramPassword: { password: 'The two-step password of the Telegram user. `test` with a test key.' },
    TelegramLogin: {
      id: 'Id of the login, for the next steps.',
      status: [
        'The next thing that the login needs.',
        {
          code_needed: 'the code that Telegram has sent',
          password_needed: 'the two-step password',
          connected: 'nothing; `accountId` is set',
        },
      ],
      sentBy: [
        'How Telegram has sent the code.',
        { app: 'in the Telegram app', sms: 'by SMS', call: 'by a phone call', other: 'in another way' },
      ],
      expiresAt: 'When the login ends, ten minutes after it began.',
      accountId: 'Id of the connected account. Null until the login is done.',
      passwordHint: 'Hint that the user has chosen for the password. Given only when a password is needed.',
    },
    CreateTelegramMessage: {
      ...recipient,
      telegramUserId: 'Numeric id of the recipient at Telegram. Used when no contact is given.',
      text: 'The text, 1 to 4,000 characters. With files it is their caption, at most 1,024 characters, and may be left out.',
      attachments: 'Ids of files from `POST /v1/files`, at most 10, sent by bots only. Each file can be sent once.',
      replyToMessageId: 'Id of the message that this one answers; it must be of the same account. Default null: none.',
      format:
        'Whether `text` is plain or HTML with the tags that Telegram knows. Default `plain`. HTML with mistakes is refused.',
      buttons:
        'Rows of buttons below the text, at most 10 rows of 8, sent by bots only. Not together with several files.',
    },
    PatchTelegramMessage: {
      text: 'New text, 1 to 4,000 characters, or 1,024 as the caption of files. It is plain: formats of the old text are gone.',
      runAt: recipient.runAt,
    },
    Button: {
      text: 'Words on the button, as the recipient sees them.',
      url: 'Address that the button opens: `https://`, `http://`, or `tg://`. A button has either this or `data`.',
      data: 'Word that `message.button_pressed` brings back when the button is pressed, at most 48 bytes. A button has either this or `url`.',
    },
    MessageJob: { ...jobDetail, accountId: 'Id of the account that sends it.' },
  },
  enums: {
    AccountStatus: [
      'Whether an account can send.',
      {
        active: 'it can',
        flood_wait: 'the platform has told it to wait, until `floodWaitUntil`',
        disconnected: 'its token or session does not work any more; connect it again',
        banned: 'the platform has closed it',
      },
    ],
    AccountState: 'The lasting state of an account. A flood wait is not one: it passes.',
    InboundMode: [
      'How messages of contacts reach an account.',
      { webhook: 'the platform calls us', polling: 'we ask the platform', off: 'nothing is received' },
    ],
  },
};
