import { createHash } from 'node:crypto';
import type { Entry } from '../timer-heap.ts';
import { invalidParameter, sqsError } from './errors.ts';

/** A message attribute as the wire writes it; `BinaryValue` is base64. */
interface MessageAttribute {
  DataType?: string | undefined;
  StringValue?: string | undefined;
  BinaryValue?: string | undefined;
}

export type MessageAttributes = Record<string, MessageAttribute>;

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly traceHeader: string | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  sentAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  deadLetterSourceArn?: string;
  /** Rises with every message a queue takes in; its order of delivery. */
  sequence: number;
  state: 'gone' | 'delayed' | 'ready' | 'inFlight';
  /** The end of its delay or of its visibility timeout. */
  timeout?: Entry<Message> | undefined;
  receivedAt: number;
  /** What tells the handle of the last receive from older ones. */
  receipt: string;
}

export interface Received {
  message: Message;
  receiptHandle: string;
}

export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** SQS's digest of attributes: names sorted, every part with its length before it. */
export function attributesMd5(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const hash = createHash('md5');
  const add = (part: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  };
  for (const name of names) {
    const attribute = attributes[name] as MessageAttribute;
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType ?? ''));
    hash.update(Buffer.of(isBinary(attribute) ? 2 : 1));
    add(bytesOf(attribute));
  }
  return hash.digest('hex');
}

export function messageBytes(body: string, attributes: MessageAttributes): number {
  return Object.entries(attributes).reduce(
    (bytes, [name, attribute]) =>
      bytes + Buffer.byteLength(name + (attribute.DataType ?? '')) + bytesOf(attribute).length,
    Buffer.byteLength(body),
  );
}

export function checkBody(body: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters SQS accepts are defined so
  if (!body.isWellFormed() || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(body)) {
    throw sqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
    );
  }
}

export function checkAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > 10) {
    throw invalidParameter(`Number of message attributes [${entries.length}] exceeds the allowed maximum [10].`);
  }
  for (const [name, attribute] of entries) checkAttribute(name, attribute);
}

function checkAttribute(name: string, attribute: MessageAttribute): void {
  if (!/^[\w.-]{1,256}$/.test(name) || /^(aws|amazon)\./i.test(name) || /^\.|\.\.|\.$/.test(name)) {
    throw invalidParameter(`The message attribute name '${name}' is invalid.`);
  }
  if (!attribute.DataType) {
    throw invalidParameter(`The message attribute '${name}' must contain non-empty message attribute type.`);
  }
  if (!/^(String|Number|Binary)(\..+)?$/.test(attribute.DataType)) {
    throw invalidParameter(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
    );
  }
  if (bytesOf(attribute).length === 0) {
    throw invalidParameter(
      `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${attribute.DataType}'.`,
    );
  }
}

const isBinary = (attribute: MessageAttribute) => attribute.DataType?.startsWith('Binary') ?? false;

const bytesOf = (attribute: MessageAttribute) =>
  isBinary(attribute) ? Buffer.from(attribute.BinaryValue ?? '', 'base64') : Buffer.from(attribute.StringValue ?? '');
