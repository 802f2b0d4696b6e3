import { handler as getJob } from '#functions/jobs/get.ts';
import { handler as listJobs } from '#functions/jobs/list.ts';
import { handler as summariseJobs } from '#functions/jobs/summary.ts';
import { handler as cancelTelegram } from '#functions/telegram/cancel.ts';
import { handler as sendTelegram } from '#functions/telegram/create-message.ts';
import { handler as getTelegram } from '#functions/telegram/get-message.ts';
import { handler as listTelegram } from '#functions/telegram/list-messages.ts';
import { handler as retryTelegram } from '#functions/telegram/retry.ts';
import { handler as cancelTwitter } from '#functions/twitter/cancel.ts';
import { handler as sendTwitter } from '#functions/twitter/create-message.ts';
import { handler as getTwitter } from '#functions/twitter/get-message.ts';
import { idInput } from '#lib/core/schema.ts';
import { fields, idempotencyKey, listing, object } from '#lib/mcp/common.ts';
import { allOrOne, idOf, passed, pick, type Tool } from '#lib/mcp/tool.ts';

const message = {
  accountId: 'Sending account',
  contactId: 'Recipient, or one of the next two',
  username: 'Recipient handle',
};
const runAt = 'ISO time, default now';

const controls = { cancel_telegram: cancelTelegram, retry_telegram: retryTelegram, cancel_twitter: cancelTwitter };

const views = {
  jobs: [listJobs, getJob],
  summary: [summariseJobs],
  telegram: [listTelegram, getTelegram],
  twitter: [getTwitter],
};

export const messageTools: Tool[] = [
  {
    name: 'telegram_send',
    title: 'Send a Telegram message',
    description: 'Queues a message.',
    effect: 'is final',
    reachesOut: true,
    uses: [sendTelegram],
    takes: {
      ...pick(sendTelegram.route.body, {
        ...message,
        telegramUserId: 'Recipient id',
        text: 'At most 4000 characters',
        runAt,
      }),
      idempotencyKey,
    },
    gives: object,
    run: (ask, args) => ask(sendTelegram, args),
  },
  {
    name: 'twitter_send',
    title: 'Send an X message',
    description: 'Queues a direct message on X (Twitter).',
    effect: 'is final',
    reachesOut: true,
    uses: [sendTwitter],
    takes: {
      ...pick(sendTwitter.route.body, {
        ...message,
        twitterUserId: 'Recipient id, digits',
        text: 'At most 10000 characters',
        runAt,
      }),
      idempotencyKey,
    },
    gives: object,
    run: (ask, args) => ask(sendTwitter, args),
  },
  {
    name: 'messages_cancel',
    title: 'Cancel or retry a message',
    description: 'Takes back a queued message or sends a failed one again.',
    effect: 'is final',
    reachesOut: true,
    uses: {
      by: 'action',
      description: 'What',
      values: Object.fromEntries(Object.entries(controls).map(([name, of]) => [name, [of]])),
    },
    takes: { id: idOf('Job id') },
    gives: object,
    run: (ask, args) => ask(controls[args['action'] as keyof typeof controls], args),
  },
  {
    name: 'jobs_search',
    title: 'Follow sent messages',
    description: 'Whether messages were sent: jobs of all channels or of one, or sums.',
    effect: 'reads',
    uses: {
      by: 'view',
      description: 'twitter needs id',
      values: views,
    },
    takes: {
      id: passed(idInput(), 'One job'),
      ...listing(
        listJobs,
        {
          status: 'Status',
          channel: 'Channel',
        },
        { source: '(api, panel, sequence, agent)', until: '(of runAt)' },
      ),
      fields,
    },
    gives: object,
    run(ask, args) {
      return ask(allOrOne(views, args['view'], args), args);
    },
  },
];
