import * as v from 'valibot';
import { channels } from '#lib/jobs/job.ts';
import { choice, id, integer, paging, queryText, text, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';

export const sequenceStatuses = ['draft', 'active', 'paused', 'completed'] as const;

const maxSteps = 30;
const maxDelayMinutes = 365 * 24 * 60;

const Step = v.object({
  id: v.number(),
  position: v.number(),
  delayMinutes: v.number(),
  text: v.string(),
});
export type Step = v.InferOutput<typeof Step>;

const shown = {
  id: v.number(),
  name: v.string(),
  channel: v.picklist(channels),
  accountId: v.nullable(v.number()),
  status: v.picklist(sequenceStatuses),
  stepCount: v.number(),
  enrolledCount: v.number(),
  activeCount: v.number(),
  completedCount: v.number(),
  repliedCount: v.number(),
  failedCount: v.number(),
  startedAt: v.nullable(time()),
  pausedAt: v.nullable(time()),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A campaign sequence as lists show it (contract section 10). */
export const Sequence = v.pipe(v.object(shown), v.title('Sequence'));
export const SequenceWithSteps = v.pipe(v.object({ ...shown, steps: v.array(Step) }), v.title('SequenceWithSteps'));

export const SequenceQuery = v.object({
  ...paging,
  status: v.optional(choice(sequenceStatuses)),
  channel: v.optional(choice(channels)),
  q: v.optional(queryText()),
});

/** The delay of a step counts from the message before it, that of the first from the enrollment. */
export const CreateSequence = v.object({
  name: text(200),
  channel: choice(channels),
  accountId: v.optional(v.nullable(id()), null),
  steps: v.pipe(
    v.array(v.object({ delayMinutes: integer(0, maxDelayMinutes), text: text(4000) })),
    v.minLength(1, 'must have at least 1 step'),
    v.maxLength(maxSteps, `must have at most ${maxSteps} steps`),
  ),
  status: v.optional(choice(sequenceStatuses), 'active'),
});

export const Sequences = entity({
  // The partition `sequence` counts the events.
  name: 'campaign',
  schema: SequenceWithSteps,
  indexes: (sequence) => [
    { name: `status=${sequence.status}` },
    { name: `channel=${sequence.channel}` },
    searchEntry([sequence.name]),
  ],
});

export type StoredSequence = v.InferOutput<(typeof Sequences)['schema']>;
