import * as v from 'valibot';
import { handler as getSequence } from '#functions/sequences/get.ts';
import { handler as listSequences } from '#functions/sequences/list.ts';
import { handler as listEnrollments } from '#functions/sequences/list-enrollments.ts';
import { handler as pause } from '#functions/sequences/pause.ts';
import { handler as resume } from '#functions/sequences/resume.ts';
import { idInput } from '#lib/core/schema.ts';
import { object, paging, withFilters } from '#lib/mcp/common.ts';
import { idOf, passed, type Tool } from '#lib/mcp/tool.ts';

export const sequenceTools: Tool[] = [
  {
    name: 'sequences_get',
    title: 'Read sequences',
    description: 'Sequences, with id one and its steps or its enrollments.',
    effect: 'reads',
    uses: {
      by: 'view',
      description: 'enrollments needs id',
      values: { sequences: [listSequences, getSequence], enrollments: [listEnrollments] },
    },
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'Sequence id'),
          status: passed(v.string(), 'Status'),
        },
        { sequences: listSequences, enrollments: listEnrollments },
      ),
      ...paging(listSequences),
    },
    gives: object,
    run(ask, args) {
      if (args['view'] === 'enrollments') return ask(listEnrollments, args);
      return ask(args['id'] === undefined ? listSequences : getSequence, args);
    },
  },
  {
    name: 'sequences_control',
    title: 'Pause or resume a sequence',
    description: 'Pausing holds unsent messages, resuming sends them.',
    effect: 'sets',
    reachesOut: true,
    uses: { by: 'action', description: 'What', values: { pause: [pause], resume: [resume] } },
    takes: { id: idOf('Sequence id') },
    gives: object,
    run: (ask, args) => ask(args['action'] === 'pause' ? pause : resume, args),
  },
];
