import type { Noun } from './noun.ts';

export const analytics: Noun = {
  about: 'Figures about contacts, messages, deals, tasks, and mail over a range of time.',
  operations: {
    analyticsDashboard:
      'Returns the main figures of the workspace for a range: contacts, messages, deals, tasks, mail, and the median time to a first reply. Use it for an overview. It reads for two seconds at most; for a range that holds more it answers 400 `range_too_large`.',
    analyticsMessaging:
      'Returns how many messages were sent, received, and failed, by day, week, month, or account. Use it for charts. Periods without messages are included with zeros. For a range that cannot be read within two seconds it answers 400 `range_too_large`.',
  },
  parameters: {
    '*': {
      from: 'Start of the range, inclusive. A date alone is the start of that day in `timeZone`. Default: 30 days before `to`.',
      to: 'End of the range, inclusive. A date alone is the start of that day in `timeZone`. Default: now. A range has at most 366 days.',
      timeZone:
        'Zone of the IANA database whose days count, such as `Europe/Berlin`; daylight saving time is followed. Default `UTC`.',
    },
    analyticsDashboard: {
      pipelineId:
        'Only deals of the board with this id count in `deals`. The other figures are those of the workspace.',
    },
    analyticsMessaging: {
      groupBy: 'The grouping of `items`: one entry for each day, week, month, or account. Default `day`.',
      channel: 'Only messages of this channel; all channels by default.',
      accountId: 'Only messages of the account with this id.',
    },
  },
  schemas: {
    Dashboard: {
      from: 'Start of the range that was counted.',
      to: 'End of the range that was counted.',
      contacts: 'Figures about the contacts of the workspace.',
      'contacts.total': 'All contacts there are now, whatever the range.',
      'contacts.new': 'Contacts created within the range.',
      'contacts.withUnread': 'Contacts with unread messages now, whatever the range.',
      messages: 'Figures about messages on all channels, mail included.',
      'messages.sent': 'Messages that were sent within the range.',
      'messages.received': 'Messages that came in within the range.',
      'messages.failed': 'Messages that could not be sent within the range.',
      'messages.replyRate':
        'Share of the contacts written to within the range who then wrote back, 0 to 1. Null when nobody was written to.',
      deals: 'Figures about the deals of the workspace.',
      'deals.open': 'Deals in an active stage now, whatever the range.',
      'deals.won': 'Deals that were won within the range.',
      'deals.lost': 'Deals that were lost within the range.',
      'deals.winRate': 'Won deals divided by won and lost ones, 0 to 1. Null when none was closed.',
      'deals.openValue': 'Value of the open deals, one sum for each currency.',
      'deals.weightedValue': 'Value of the open deals times their probability, one sum for each currency.',
      'deals.wonValue': 'Value of the deals won within the range, one sum for each currency.',
      tasks: 'Figures about the tasks of the workspace.',
      'tasks.open': 'Tasks that are not done now, whatever the range.',
      'tasks.overdue': 'Open tasks whose due time has passed by now.',
      'tasks.completed': 'Tasks that were completed within the range.',
      email: 'Figures about mail threads as they are now.',
      'email.openThreads': 'Mail threads with the status `open`.',
      'email.unread': 'Unread messages in all threads.',
      medianFirstReplySeconds:
        'Median time in seconds from the first message of a contact to the first answer. Null when nothing was answered in the range.',
    },
    MessagingAnalytics: {
      from: 'Start of the range that was counted.',
      to: 'End of the range that was counted.',
      groupBy: 'The grouping of `items`, as you asked for it.',
      totals: 'The figures of the whole range.',
      'totals.queued': 'Messages that wait to be sent.',
      'totals.sent': 'Messages sent within the range.',
      'totals.failed': 'Messages that could not be sent within the range.',
      'totals.received': 'Messages that came in within the range.',
      'totals.replyRate':
        'Share of the contacts written to within the range who then wrote back, 0 to 1. Null when nobody was written to.',
      'totals.uniqueContacts': 'How many different contacts sent or got a message within the range.',
      items: 'One entry for each period in ascending order, or one for each account.',
    },
    MessagingAnalyticsItem: {
      key: 'First day of the period in `timeZone`, as in `2026-11-16`. When you group by account, the id of the account as text.',
      accountId: 'Id of the account when you group by account. Null otherwise.',
      sent: 'Messages sent in this period or by this account.',
      failed: 'Messages that could not be sent in this period or by this account.',
      received: 'Messages that came in during this period or at this account.',
      replyRate: 'Share of those written to who then wrote back, 0 to 1. Null when nobody was written to.',
    },
    CurrencyTotal: {
      currency: 'Currency of the sum, as its three letters of ISO 4217.',
      total: 'The sum in this currency.',
    },
  },
  enums: { MessagingGrouping: 'The grouping of figures about messages: a period or an account.' },
};
