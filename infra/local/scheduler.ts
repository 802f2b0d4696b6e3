import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import type { Deliver } from './scheduler/firing.ts';
import { parseName } from './scheduler/schedule.ts';
import { type Group, type Schedule, Schedules } from './scheduler/schedules.ts';
import { jsonBody, listen, page, restJson, type WireRequest } from './wire.ts';

export interface LocalScheduler {
  url: string;
  createGroup(name: string): void;
  close(): Promise<void>;
}

type SchedulerSettings = Guarded & {
  accountId: string;
  region: string;
  deliver: Deliver;
};

/** Starts EventBridge Scheduler in memory. What falls due goes to `deliver`. */
export async function startScheduler({
  accountId,
  region,
  deliver,
  ...address
}: SchedulerSettings): Promise<LocalScheduler> {
  const arnPrefix = `arn:aws:scheduler:${region}:${accountId}`;
  const schedules = new Schedules(arnPrefix, deliver);
  const server = await listen(address, restJson('Message'), (request) => {
    const [collection, name, ...rest] = request.path.slice(1).split('/').map(decodeURIComponent);
    const resource = resources[`${collection}${name === undefined ? '' : '/{Name}'}`];
    const operation = rest.length === 0 ? resource?.[request.method] : undefined;
    if (!operation) throw new AwsError('UnknownOperationException', 'No such operation.', { status: 404 });
    noteCall(request, name, arnPrefix);
    return operation(schedules, request, name ?? '');
  });
  return {
    url: server.url,
    createGroup: (name) => schedules.createGroup(parseName(name)),
    close: () => {
      schedules.close();
      return server.close();
    },
  };
}

const verbs: Record<string, string> = { POST: 'Create', PUT: 'Update', GET: 'Get', DELETE: 'Delete' };

/** Notes the call; a schedule's role is passed to the Scheduler besides. */
function noteCall(request: WireRequest, name: string | undefined, arnPrefix: string): void {
  const { method, path, query } = request;
  const isGroup = path.startsWith('/schedule-groups');
  const noun = isGroup ? 'ScheduleGroup' : 'Schedule';
  if (name === undefined) {
    request.note(`scheduler:List${noun}s`, '*');
    return;
  }
  const isGiven = method === 'POST' || method === 'PUT';
  const { GroupName = query.get('groupName') ?? 'default', Target } = isGiven ? jsonBody(request) : {};
  const place = isGroup ? `schedule-group/${name}` : `schedule/${GroupName}/${name}`;
  request.note(`scheduler:${verbs[method]}${noun}`, `${arnPrefix}:${place}`);
  const { RoleArn } = (Target ?? {}) as { RoleArn?: string };
  if (RoleArn !== undefined)
    request.note('iam:PassRole', RoleArn, { 'iam:passedtoservice': 'scheduler.amazonaws.com' });
}

type Operation = (schedules: Schedules, request: WireRequest, name: string) => unknown;

const resources: Record<string, Record<string, Operation>> = {
  schedules: { GET: listSchedules },
  'schedules/{Name}': {
    POST: (schedules, request, Name) => ({ ScheduleArn: schedules.create({ ...jsonBody(request), Name }).arn }),
    PUT: (schedules, request, Name) => ({ ScheduleArn: schedules.update({ ...jsonBody(request), Name }).arn }),
    GET: (schedules, request, name) => shown(schedules.find(groupNameOf(request), name)),
    DELETE: (schedules, request, name) => schedules.delete(groupNameOf(request), name),
  },
  'schedule-groups': { GET: listGroups },
  'schedule-groups/{Name}': {
    POST: (schedules, _request, name) => ({ ScheduleGroupArn: schedules.createGroup(parseName(name)).arn }),
    GET: (schedules, _request, name) => shownGroup(schedules.group(name)),
    DELETE: (schedules, _request, name) => schedules.deleteGroup(name),
  },
};

const groupNameOf = (request: WireRequest) => request.query.get('groupName') ?? 'default';

function listSchedules(schedules: Schedules, { query }: WireRequest) {
  const groupName = query.get('ScheduleGroup');
  const groups = groupName === null ? schedules.groups() : [schedules.group(groupName)];
  const state = query.get('State');
  const found = groups
    .flatMap((group) => [...group.schedules.values()])
    .filter(({ input }) => input.Name.startsWith(query.get('NamePrefix') ?? ''))
    .filter(({ input }) => state === null || input.State === state);
  const { items, nextToken } = page(found, ({ input }) => `${input.GroupName}/${input.Name}`, paging(query));
  return { Schedules: items.map(summary), NextToken: nextToken };
}

function listGroups(schedules: Schedules, { query }: WireRequest) {
  const found = schedules.groups().filter(({ name }) => name.startsWith(query.get('NamePrefix') ?? ''));
  const { items, nextToken } = page(found, ({ name }) => name, paging(query));
  return { ScheduleGroups: items.map(shownGroup), NextToken: nextToken };
}

const paging = (query: URLSearchParams) => ({
  maxResults: Number(query.get('MaxResults') ?? 100),
  nextToken: query.get('NextToken') ?? undefined,
});

function shown(schedule: Schedule) {
  const { ClientToken: _, ...input } = schedule.input;
  return { ...input, Arn: schedule.arn, ...dates(schedule) };
}

function summary(schedule: Schedule) {
  const { Name, GroupName, State, Target } = schedule.input;
  return { Arn: schedule.arn, Name, GroupName, State, Target: { Arn: Target.Arn }, ...dates(schedule) };
}

const shownGroup = ({ name, arn, createdAt }: Group) => ({
  Arn: arn,
  Name: name,
  State: 'ACTIVE',
  ...dates({ createdAt, modifiedAt: createdAt }),
});

const dates = ({ createdAt, modifiedAt }: { createdAt: number; modifiedAt: number }) => ({
  CreationDate: createdAt / 1000,
  LastModificationDate: modifiedAt / 1000,
});
