import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import { awsJson, jsonBody, listen, targetAction } from './wire.ts';

export interface LocalEvents {
  url: string;
  close(): Promise<void>;
}

interface Entry {
  Source?: string;
  DetailType?: string;
  Detail?: string;
  EventBusName?: string;
  Resources?: string[];
  /** Unix seconds. */
  Time?: number;
}

/** An event as a rule's target is given it. */
type Published = (entry: {
  source: string;
  'detail-type': string;
  detail: Record<string, unknown>;
  resources: readonly string[];
  time?: string;
}) => { id: string };

type Settings = Guarded & { folder: string; published: Published; busArn(name: string): string };

const maxEntries = 10;
const maxBytes = 256 * 1024;
const timeBytes = 14;

/** Starts EventBridge: what is put on a bus becomes a line of `<bus>.jsonl` in the folder, as a rule that matches everything would have it. */
export async function startEvents({ folder, published, busArn, ...address }: Settings): Promise<LocalEvents> {
  await mkdir(folder, { recursive: true });
  const put = async (entry: Entry) => {
    const refusal = refusalOf(entry);
    if (refusal) return refusal;
    const { EventBusName = 'default', Source = '', DetailType = '', Detail = '', Resources = [], Time } = entry;
    const time = Time === undefined ? undefined : new Date(Time * 1000).toISOString().replace(/\.\d{3}/, '');
    const event = published({
      source: Source,
      'detail-type': DetailType,
      detail: JSON.parse(Detail),
      resources: Resources,
      ...(time && { time }),
    });
    // The name may be that of an ARN, or have slashes.
    await appendFile(join(folder, `${EventBusName.replaceAll(/[^\w.-]/g, '_')}.jsonl`), `${JSON.stringify(event)}\n`);
    return { EventId: event.id };
  };
  const server = await listen(address, awsJson('1.1', 'com.amazonaws.events'), async (request) => {
    const name = targetAction(request, 'AWSEvents');
    if (name !== 'PutEvents') throw new AwsError('UnknownOperationException', `The local EventBridge has no ${name}.`);
    const { Entries = [] } = jsonBody(request) as { Entries?: Entry[] };
    for (const bus of new Set(Entries.map(({ EventBusName = 'default' }) => EventBusName)))
      request.note('events:PutEvents', bus.startsWith('arn:') ? bus : busArn(bus));
    if (Entries.length === 0 || Entries.length > maxEntries)
      throw validation(`Value at 'entries' failed to satisfy constraint: 1 to ${maxEntries} members`);
    if (Entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > maxBytes)
      throw validation('Total size of the entries in the request is over the limit.');
    const answers = await Promise.all(Entries.map(put));
    return { FailedEntryCount: answers.filter((answer) => 'ErrorCode' in answer).length, Entries: answers };
  });
  return { url: server.url, close: server.close };
}

/** As the user guide counts it ("Calculating Amazon EventBridge PutEvents event entry size"). */
const bytesOf = ({ Source = '', DetailType = '', Detail = '', Resources = [], Time }: Entry) =>
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
  (Time === undefined ? 0 : timeBytes);

function refusalOf({ Source, DetailType, Detail }: Entry): { ErrorCode: string; ErrorMessage: string } | undefined {
  const missing = Object.entries({ Source, DetailType, Detail }).find(([, value]) => !value);
  if (missing)
    return { ErrorCode: 'InvalidArgument', ErrorMessage: `Parameter ${missing[0]} is not valid. Reason: required.` };
  try {
    const detail: unknown = JSON.parse(String(Detail));
    if (typeof detail === 'object' && detail !== null && !Array.isArray(detail)) return undefined;
  } catch {}
  return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
}

const validation = (message: string) => new AwsError('ValidationException', message);
