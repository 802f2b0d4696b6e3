import * as v from 'valibot';
import { handler as setAssignee } from '#functions/email/assignee.ts';
import { handler as createMessage } from '#functions/email/create-message.ts';
import { handler as createReply } from '#functions/email/create-reply.ts';
import { handler as getThread } from '#functions/email/get-thread.ts';
import { handler as listMessages } from '#functions/email/list-messages.ts';
import { handler as listThreads } from '#functions/email/list-threads.ts';
import { handler as setStatus } from '#functions/email/status.ts';
import { invalidField } from '#lib/core/problem.ts';
import { idInput } from '#lib/core/schema.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { checkedByOperation, fields, idempotencyKey, listing, object, page, paging } from '#lib/mcp/common.ts';
import { type Arguments, idOf, optional, own, passed, pick, type Tool } from '#lib/mcp/tool.ts';

export const emailTools: Tool[] = [
  {
    name: 'email_search',
    title: 'Search e-mail threads',
    description: 'Threads by all given filters.',
    effect: 'reads',
    uses: [listThreads],
    takes: {
      ...listing(
        listThreads,
        { q: 'Subject, preview or participant contains', status: 'Status' },
        { assignedToUserId: '(or none)' },
      ),
      fields,
    },
    gives: page,
    run: (ask, args) => ask(listThreads, args),
  },
  {
    name: 'email_get',
    title: 'Read an e-mail thread',
    description: 'A thread with its messages, newest first, as text.',
    effect: 'reads',
    uses: [getThread, listMessages],
    takes: {
      id: idOf('Thread id'),
      ...paging(listMessages),
      html: own(v.boolean(), 'Give bodyHtml too'),
    },
    gives: object,
    async run(ask, args) {
      const [thread, messages] = await Promise.all([ask(getThread, args), ask(listMessages, args)]);
      const items = (messages.items as Arguments[]).map(({ bodyHtml, ...message }) =>
        args['html'] === true ? { ...message, bodyHtml } : message,
      );
      return { ...thread, messages: { ...messages, items } };
    },
  },
  {
    name: 'email_update',
    title: 'Set status or assignee',
    description: 'Of a thread. Sends nothing.',
    effect: 'sets',
    uses: [setStatus, setAssignee],
    takes: {
      id: idOf('Thread id'),
      ...optional(pick(setStatus.route.body, { status: 'Status' })),
      assignedToUserId: own(checkedByOperation(v.nullable(idInput())), 'Member id'),
    },
    renamed: { userId: 'assignedToUserId' },
    gives: object,
    async run(_ask, args, update) {
      const changes: (readonly [Endpoint, Arguments])[] = [
        ...(args['status'] === undefined ? [] : [[setStatus, args] as const]),
        ...(args['assignedToUserId'] === undefined
          ? []
          : [[setAssignee, { id: args['id'], userId: args['assignedToUserId'] }] as const]),
      ];
      const [first, ...others] = changes;
      if (!first) throw invalidField('status', 'required', 'status or assignedToUserId is required');
      return (await update([first, ...others])).shown;
    },
  },
  {
    name: 'email_reply',
    title: 'Send e-mail',
    description: 'Queues a reply to the newest inbound message, or a new thread.',
    effect: 'is final',
    reachesOut: true,
    uses: {
      by: 'as',
      description: 'Default reply; new needs to, subject',
      usual: 'reply',
      values: { reply: [createReply], new: [createMessage] },
    },
    takes: {
      id: passed(idInput(), 'Thread'),
      ...optional(pick(createMessage.route.body, { to: 'To', subject: 'Subject' })),
      ...pick(createReply.route.body, {
        bodyText: 'Text',
        bodyHtml: 'HTML',
        cc: 'Cc',
        bcc: 'Cc',
        replyAll: 'To all',
        quote: 'Quote the last',
        runAt: 'ISO time',
      }),
      idempotencyKey,
    },
    gives: object,
    run: (ask, args) => ask(args['as'] === 'new' ? createMessage : createReply, args),
  },
];
