import type { Noun } from './noun.ts';
import { accountSettings, recipient } from './telegram.ts';

export const twitter: Noun = {
  about: 'X accounts and the direct messages they send. Received messages are in the conversation of each contact.',
  operations: {
    twitterListAccounts:
      'Lists the X accounts of the workspace, newest first, with their limits and how many messages wait. Use it to find the `accountId` for a direct message. Disconnected accounts are included.',
    twitterCreateAccount:
      'Connects an X account by an access token (OAuth 2.0 with PKCE; scopes `dm.read`, `dm.write`, `tweet.read`, `users.read`, `offline.access`). A disconnected account is connected again under its old id. With a test key, any token `test_…` connects a sandbox account.\n\nAn access token lives for two hours. Without `refreshToken` and `clientId` the account is disconnected after that. An environment has at most 100 connected accounts; one more answers 409 `too_many_accounts`.',
    twitterPatchAccount:
      'Changes the name, the daily limit, the pace, or the way an X account receives messages. Fields left out keep their values. Tokens are changed by connecting the account again.',
    twitterDisconnect:
      'Disconnects an X account: revokes its token at X and deletes it here. Queued messages wait for 24 hours, then fail. The conversation stays, and the account can be connected again.',
    twitterCreateMessage:
      'Queues a direct message from an X account, for now or later. Name the recipient by contact, id, or username. Follow the job by `job.completed`. Files cannot be sent on X: they answer 400 `attachments_not_supported`.',
    twitterGetMessage:
      'Returns the job of one X message. Use it to follow a direct message after the 202 that queued it. The text is in the conversation of the contact.',
    twitterPatchMessage:
      'Changes the text or the time of an X message that is still queued. Fields left out keep their values. A message that is being sent, or was sent, answers 409 `job_not_queued`. Recipient and files stay: to change those, cancel the message and queue another one.',
    twitterCancel:
      'Cancels an X message that is still queued. The job becomes `failed` with `lastError` `canceled`. A message that is being sent, or was sent, answers 409 `job_not_queued`. Nothing is taken back at X.',
  },
  parameters: {
    '*': {
      id: 'Id of the account or of the job, as its list shows it.',
      status: 'Only accounts with this status, for example `disconnected`.',
    },
  },
  schemas: {
    CreateTwitterAccount: {
      ...accountSettings,
      accessToken: 'Access token of the X user. It is stored encrypted and never shown.',
      refreshToken:
        'Refresh token, with which the access token is renewed every two hours. Without it the account ends then.',
      clientId: 'Client id of your X app. Needed to renew the access token.',
      clientSecret: 'Client secret of your X app. Needed for confidential apps only.',
    },
    PatchTwitterMessage: { text: 'New text, 1 to 10,000 characters.', runAt: recipient.runAt },
    CreateTwitterMessage: {
      ...recipient,
      twitterUserId: 'Numeric id of the recipient at X, as text: it may exceed 53 bits. Used when no contact is given.',
      text: 'The text, 1 to 10,000 characters.',
      attachments: 'Not supported on X: any id answers 400 `attachments_not_supported`.',
    },
  },
};
