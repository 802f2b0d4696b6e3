import type { Noun } from './noun.ts';

/** The life of a message on its way out, as every list of jobs shows it. */
export const jobDetail = {
  id: 'Id of the job, the same here and at `/v1/jobs/{id}`.',
  status: 'How far the job is. A canceled job is `failed` with `lastError` `canceled`.',
  runAt: 'When the message is to leave. A limit or a flood wait moves it.',
  lastError: 'Why the last attempt failed, in words. Null when none has.',
  accountId: 'Id of the account that sends it. Null for mail.',
};

export const jobs: Noun = {
  about: 'Messages on their way out, over all channels.',
  operations: {
    jobsList:
      'Lists message jobs of all channels, newest first. Use it to watch a campaign, or with `status=failed` to find what needs attention. It shows a preview of each text, not the whole message.',
    jobsGet:
      'Returns one message job of any channel. Use it to follow a message after the 202 that queued it. To cancel or retry, use the operations of its channel.',
    jobsPatch:
      'Changes the text or the time of a mail that is still queued. Fields left out keep their values. A mail that is being sent, or was sent, answers 409 `job_not_queued`. On another day it counts in the quota of that day. Messages of accounts are changed by the operations of their channel.',
    jobsSummary:
      'Returns how many messages wait, were sent, and failed, in all and by account. Use it for a status page. It reads for two seconds at most; if there is more since `since` it answers 400 `range_too_large`.',
  },
  parameters: {
    '*': { id: 'Id of the job, as the call that queued it has answered.' },
    jobsList: {
      status: 'Only jobs with this status, for example `failed`.',
      accountId: 'Only jobs of the account with this id.',
      contactId: 'Only messages to the contact with this id.',
      since: 'Only jobs whose `runAt` is at or after this time.',
      until: 'Only jobs whose `runAt` is at or before this time.',
      channel: 'Only jobs of this channel; all channels by default.',
      sequenceId: 'Only messages of the sequence with this id.',
      source: 'Only jobs that this source has queued, for example `sequence`.',
      apiKeyId: 'Only jobs that the key with this 12-character id has queued.',
    },
    jobsSummary: {
      since: 'Count messages sent or failed since this time. Default: 24 hours ago. Waiting ones are always counted.',
    },
  },
  schemas: {
    Job: {
      ...jobDetail,
      channel: 'The channel on which the message leaves.',
      contactId: 'Id of the contact the message is for. Null when the recipient is no contact.',
      recipient: 'The recipient in words for people: a username, an id, or an address.',
      textPreview: 'The first 140 characters of the text.',
      attempts: 'How many times it has been tried, the successful attempt included.',
      maxAttempts: 'How many attempts there are at most before it fails.',
      source: 'Where the message comes from.',
      sequenceId: 'Id of the sequence it is a step of. Null for any other message.',
      apiKeyId: 'The 12-character id of the key that queued it. Null when no key did.',
      completedAt: 'When it became sent or failed. Null while it waits.',
    },
    PatchMailJob: {
      text: 'New text, 1 to 100,000 characters. It takes the place of the whole body, with its HTML and the text that it quotes.',
      runAt: 'When to send it, up to 365 days ahead. Null or a time in the past means now.',
    },
    JobSummary: {
      queued: 'Messages that wait to be sent now.',
      sent: 'Messages that were sent since `since`.',
      failed: 'Messages that have failed since `since`.',
      oldestQueuedAt: 'When the oldest waiting message was queued. Null when none waits.',
      byAccount: 'The same figures for each account, and one entry for mail.',
    },
    AccountJobSummary: {
      channel: 'The channel of the account.',
      accountId: 'Id of the account. Null for mail.',
      queued: 'Messages of this account that wait now.',
      sent: 'Messages that this account has sent since `since`.',
      failed: 'Messages of this account that have failed since `since`.',
    },
  },
  enums: {
    JobStatus: [
      'The status of a message on its way out.',
      {
        queued: 'it waits for its time, its account, or its next attempt',
        sent: 'the platform has taken it',
        failed: 'it was given up or canceled; see `lastError`',
      },
    ],
    JobSource: [
      'The origin of a message on its way out.',
      {
        api: 'a call of this API',
        panel: 'a member in the panel',
        sequence: 'a step of a sequence',
        agent: 'an AI agent',
      },
    ],
  },
};
