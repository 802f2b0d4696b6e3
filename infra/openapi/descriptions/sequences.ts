import type { Noun } from './noun.ts';

export const sequences: Noun = {
  about: 'Series of messages that are sent to enrolled contacts until they answer.',
  operations: {
    sequencesList:
      'Lists sequences, newest first, without their steps. Use it to watch how far they are. Sequences are written and started in the panel.',
    sequencesGet:
      'Returns one sequence with its steps. Use it to see what contacts will get and when. Steps are changed in the panel, while the sequence is a draft.',
    sequencesListEnrollments:
      'Lists the contacts that are or were in a sequence, newest first. Use `status=replied` to find who answered. The messages themselves are in the conversation of each contact.',
    sequencesCreateEnrollments:
      'Enrolls up to 100 contacts and answers one result for each; one that fails stops no other. Use it to start a series for contacts that a program has picked. A contact that is in the sequence already gets 409 `already_enrolled` in its result.',
    sequencesDeleteEnrollment:
      'Takes a contact out of a sequence: no further message is sent. A message that is being sent may still leave. An enrollment that has ended stays as it is. Emits `enrollment.status_changed`.',
    sequencesPause:
      'Pauses an active sequence. Messages that wait stay queued and are held back; what is being sent already still goes out. Answers 409 if the sequence is not active. Emits `sequence.status_changed`.',
    sequencesResume:
      'Resumes a paused sequence. Everything that waits moves by the length of the pause. Answers 409 if it is not paused, and for mail 409 `mail_not_configured` if the deployment has no sender address. Emits `sequence.status_changed`.',
  },
  parameters: {
    '*': {
      id: 'Id of the sequence, as in `GET /v1/sequences`.',
      enrollmentId: 'Id of the enrollment, as in the list of enrollments.',
    },
    sequencesList: {
      status: 'Only sequences with this status, for example `active`.',
      channel: 'Only sequences of this channel; all channels by default.',
      q: 'Only sequences whose name contains all words of this text, in any case and with or without accents. At most 200 characters.',
    },
    sequencesListEnrollments: {
      status: 'Only enrollments with this status, for example `replied`.',
      contactId: 'Only the enrollment of the contact with this id.',
    },
  },
  schemas: {
    Sequence: {
      id: 'Id of the sequence, unique within its environment.',
      name: 'Name of the sequence, as the panel shows it.',
      channel: 'The channel on which its messages leave.',
      accountId: 'Id of the account that sends them. Null for mail.',
      status: 'Whether it is being written, runs, rests, or is done.',
      stepCount: 'How many messages an enrolled contact gets at most.',
      enrolledCount: 'How many contacts were ever enrolled.',
      activeCount: 'How many contacts will get another message.',
      completedCount: 'How many contacts got all messages without answering.',
      repliedCount: 'How many contacts have answered, which ended their series.',
      failedCount: 'How many contacts could not be reached.',
      startedAt: 'When it was activated. Null for a draft.',
      pausedAt: 'When it was paused. Null while it is not.',
    },
    SequenceWithSteps: { steps: 'The messages of the sequence, in order.' },
    SequenceStep: {
      id: 'Id of the step, unique within its environment.',
      position: 'Place of the step in the sequence, counted from 1.',
      delayMinutes: 'How many minutes after the step before it is sent; for the first, after the enrollment.',
      subject: 'Subject of the mail. Null on other channels.',
      text: 'The text of the message, with variables such as `{{firstName|there}}`.',
    },
    EnrollContacts: { contactIds: 'Ids of 1 to 100 contacts to enroll.' },
    EnrollmentResults: {
      results: 'One result for each contact, in the order of `contactIds`.',
      succeeded: 'How many contacts were enrolled.',
      failed: 'How many contacts were not enrolled.',
    },
    EnrollmentResult: {
      index: 'Place of the contact in `contactIds`, counted from 0.',
      status: 'The HTTP status that this contact alone would get.',
      enrollment: 'The enrollment that was made. Null when it failed.',
      error: 'Why it failed. Null when it succeeded.',
      id: 'Id of the enrollment, if the answer has no room for all of it.',
    },
    Enrollment: {
      id: 'Id of the enrollment, unique within its environment.',
      sequenceId: 'Id of the sequence the contact is in.',
      contactId: 'Id of the enrolled contact.',
      contactName: 'Name of the contact. Null when it has none.',
      status: 'How the series goes for this contact.',
      currentStep: 'Position of the last step that was sent or is on its way; 0 before the first.',
      nextRunAt: 'When the next message is due. Null when none follows.',
      lastError: 'Why the last message could not be sent. Null when none failed.',
      enrolledAt: 'When the contact was enrolled.',
      completedAt: 'When the series ended for this contact, for whatever reason. Null while it goes on.',
    },
  },
  like: { SequenceWithSteps: 'Sequence' },
  enums: {
    SequenceStatus: [
      'The status of a sequence.',
      {
        draft: 'it is being written in the panel',
        active: 'its messages are sent',
        paused: 'its messages wait',
        completed: 'every enrollment has ended',
      },
    ],
    EnrollmentStatus: [
      'The status of a contact in a sequence.',
      {
        active: 'a message will follow',
        paused: 'the sequence is paused',
        replied: 'the contact has answered; nothing follows',
        completed: 'all messages were sent',
        failed: 'a message could not be sent; see `lastError`',
        stopped: 'the contact was taken out',
      },
    ],
  },
};
