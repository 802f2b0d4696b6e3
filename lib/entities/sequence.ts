import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { sequenceStatuses } from '#lib/core/choices.ts';
import {
  choice,
  count,
  id,
  idInput,
  integer,
  line,
  listInput,
  paging,
  queryText,
  storedChoice,
  text,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchable } from '#lib/table/list.ts';

const maxSteps = 30;
/** A sequence is one row, and an item has 400 KB. */
const maxTextBytes = 250_000;
const maxDelayMinutes = 365 * 24 * 60;

const name = () => line(200);
const stepText = () => text(4000);

const Step = v.pipe(
  v.object({
    id: id(),
    position: count(),
    delayMinutes: count(),
    /** Subject of the mail; null on other channels. */
    subject: v.nullable(v.string()),
    text: v.string(),
  }),
  v.title('SequenceStep'),
);
export type Step = v.InferOutput<typeof Step>;

const shown = {
  id: id(),
  name: v.string(),
  channel: v.picklist(channels),
  accountId: v.nullable(id()),
  status: storedChoice(sequenceStatuses),
  stepCount: count(),
  enrolledCount: count(),
  activeCount: count(),
  completedCount: count(),
  repliedCount: count(),
  failedCount: count(),
  startedAt: v.nullable(time()),
  pausedAt: v.nullable(time()),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A sequence as lists show it (contract section 10). */
export const Sequence = v.pipe(v.object(shown), v.title('Sequence'));
export const SequenceWithSteps = v.pipe(v.object({ ...shown, steps: v.array(Step) }), v.title('SequenceWithSteps'));

export const SequenceQuery = v.object({
  ...paging,
  status: v.optional(choice(sequenceStatuses)),
  channel: v.optional(choice(channels)),
  q: v.optional(queryText()),
});

/** The delay of a step counts from the message before it, that of the first from the enrollment. */
const StepInput = v.pipe(
  v.object({
    delayMinutes: integer(0, maxDelayMinutes),
    subject: v.optional(v.nullable(line(500))),
    text: stepText(),
  }),
  v.title('SequenceStepInput'),
);
const given = {
  name: name(),
  accountId: v.nullable(idInput()),
  steps: v.pipe(
    listInput(StepInput, maxSteps, 'steps'),
    v.minLength(1, 'must have at least 1 step'),
    v.check(
      (steps) =>
        Buffer.byteLength(steps.map(({ subject, text }) => `${subject ?? ''}${text}`).join('')) <= maxTextBytes,
      `must have at most ${maxTextBytes} bytes of text together`,
    ),
  ),
};

export const CreateSequence = v.pipe(
  v.object({
    ...given,
    channel: choice(channels),
    accountId: v.optional(given.accountId, null),
    status: v.optional(choice(sequenceStatuses), 'active'),
  }),
  v.title('CreateSequence'),
);

/** Fields that a draft may change. */
export const PatchSequence = v.pipe(v.partial(v.object(given)), v.title('PatchSequence'));

/** Contacts that a program enrolls. */
export const EnrollContacts = v.pipe(
  v.object({
    contactIds: v.pipe(listInput(idInput(), 100, 'contacts'), v.minLength(1, 'must name at least one contact')),
  }),
  v.title('EnrollContacts'),
);

/** A contact that is enrolled by hand. */
export const EnrollContact = v.pipe(v.object({ contactId: idInput() }), v.title('EnrollContact'));

/** A sequence with its steps. */
export const Sequences = entity({
  name: 'sequence',
  schema: SequenceWithSteps,
  indexes: {
    status: ({ status }) => status,
    channel: ({ channel }) => channel,
    search: { copy: ({ name }) => searchable(name) },
  },
});

export type StoredSequence = v.InferOutput<(typeof Sequences)['schema']>;
