import { createHash } from 'node:crypto';
import { inRange, invalidParameter, invalidValue, missingParameter, sqsError } from './errors.ts';

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly sentAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  /** Rises with every message a queue takes in; its order of delivery. */
  sequence: number;
  state: 'gone' | 'delayed' | 'ready' | 'inFlight';
  /** Calls off the end of its delay or of its visibility timeout. */
  cancel: () => void;
}

export interface SendOptions {
  delaySeconds?: number | undefined;
  messageGroupId?: string | undefined;
}

export const maxMessageBytes = 1_048_576;

export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Refuses what SQS would refuse to take. */
export function checkSend(body: string, { delaySeconds = 0, messageGroupId }: SendOptions): void {
  if (body === '') throw missingParameter('MessageBody');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters SQS accepts are defined so
  if (!body.isWellFormed() || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(body)) {
    throw sqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
    );
  }
  if (Buffer.byteLength(body) > maxMessageBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maxMessageBytes} bytes.`,
    );
  }
  inRange('DelaySeconds', delaySeconds, [0, 900], 'DelaySeconds must be >= 0 and <= 900.');
  if (messageGroupId === undefined || /^[!-~]{1,128}$/.test(messageGroupId)) return;
  throw invalidValue(
    'MessageGroupId',
    messageGroupId,
    'MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.',
  );
}
