/** What the page shows of lib/channels, lib/core/scopes.ts and lib/events/kinds.ts, and what its routes can do of each channel. Made by `npm run panel-lists`. */
export const messaging = {
  "telegram": {
    "title": "Telegram",
    "maxTextCharacters": 4000,
    "inbound": {
      "bot": [
        "webhook",
        "polling",
        "off"
      ],
      "user": [
        "polling",
        "off"
      ]
    },
    "seenBy": [
      "telegram:read"
    ],
    "isChanged": true,
    "isDisconnected": true
  },
  "twitter": {
    "title": "X",
    "maxTextCharacters": 10000,
    "inbound": {
      "user": [
        "polling",
        "off"
      ]
    },
    "seenBy": [
      "twitter:send"
    ],
    "isChanged": true,
    "isDisconnected": true
  }
} as const;

export const scopes = {
  "telegram:send": {
    "text": "send Telegram messages",
    "isPowerful": false
  },
  "telegram:read": {
    "text": "see Telegram accounts and messages",
    "isPowerful": false
  },
  "twitter:send": {
    "text": "send and see X messages",
    "isPowerful": false
  },
  "contacts:read": {
    "text": "see contacts, conversations, members",
    "isPowerful": false
  },
  "contacts:write": {
    "text": "make and change contacts",
    "isPowerful": false
  },
  "contacts:erase": {
    "text": "erase contacts for good",
    "isPowerful": true
  },
  "sequences:read": {
    "text": "see sequences",
    "isPowerful": false
  },
  "sequences:write": {
    "text": "pause and resume sequences",
    "isPowerful": false
  },
  "analytics:read": {
    "text": "see the numbers",
    "isPowerful": false
  },
  "finance:read": {
    "text": "see money",
    "isPowerful": false
  },
  "finance:write": {
    "text": "book money, mark invoices paid",
    "isPowerful": true
  },
  "deals:read": {
    "text": "see deals",
    "isPowerful": false
  },
  "deals:write": {
    "text": "make, change and move deals",
    "isPowerful": false
  },
  "tasks:read": {
    "text": "see tasks",
    "isPowerful": false
  },
  "tasks:write": {
    "text": "make and change tasks",
    "isPowerful": false
  },
  "email:read": {
    "text": "see mail",
    "isPowerful": false
  },
  "email:write": {
    "text": "change the state of mail",
    "isPowerful": false
  },
  "email:send": {
    "text": "answer mail",
    "isPowerful": true
  },
  "email:compose": {
    "text": "write new mail",
    "isPowerful": true
  },
  "pipelines:read": {
    "text": "see the boards",
    "isPowerful": false
  },
  "webhooks:read": {
    "text": "see webhooks and events",
    "isPowerful": false
  },
  "webhooks:write": {
    "text": "make and change webhooks",
    "isPowerful": false
  },
  "agents:read": {
    "text": "see agents",
    "isPowerful": false
  },
  "agents:run": {
    "text": "try agents",
    "isPowerful": false
  },
  "jobs:read": {
    "text": "see what is to be sent",
    "isPowerful": false
  },
  "companies:read": {
    "text": "see companies",
    "isPowerful": false
  },
  "companies:write": {
    "text": "make and change companies",
    "isPowerful": false
  },
  "pipelines:write": {
    "text": "make and change boards",
    "isPowerful": false
  },
  "fields:manage": {
    "text": "make and change custom fields",
    "isPowerful": true
  },
  "imports:run": {
    "text": "move data in",
    "isPowerful": true
  },
  "exports:run": {
    "text": "move data out",
    "isPowerful": true
  },
  "keys:manage": {
    "text": "make and revoke keys",
    "isPowerful": true
  },
  "accounts:manage": {
    "text": "connect and disconnect accounts",
    "isPowerful": true
  }
} as const;

export const eventKinds = [
  "message.created",
  "message.updated",
  "message.read",
  "message.button_pressed",
  "contact.created",
  "contact.updated",
  "contact.note_added",
  "contact.merged",
  "contact.archived",
  "contact.restored",
  "contact.unsubscribed",
  "contact.erased",
  "company.created",
  "company.updated",
  "company.merged",
  "company.archived",
  "company.restored",
  "company.note_added",
  "field.created",
  "field.updated",
  "import.completed",
  "deal.created",
  "deal.updated",
  "deal.archived",
  "deal.restored",
  "deal.stage_changed",
  "deal.column_changed",
  "pipeline.created",
  "pipeline.updated",
  "task.created",
  "task.updated",
  "task.status_changed",
  "task.archived",
  "task.restored",
  "task.reminder_due",
  "account.flood_wait",
  "account.status_changed",
  "job.completed",
  "email.thread_updated",
  "conversation.updated",
  "email.bounced",
  "email.complained",
  "sequence.status_changed",
  "enrollment.status_changed",
  "transaction.created",
  "invoice.paid",
  "invoice.overdue",
  "revenue_source.sync_failed",
  "export.completed",
  "key.created",
  "key.revoked",
  "webhook.test"
] as const;
