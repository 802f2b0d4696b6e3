import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { type Entry, TimerHeap } from '../timer-heap.ts';
import type { Timing } from './expression.ts';
import { type Deliver, fire } from './firing.ts';
import { firstFireMs, nextFireMs, parseSchedule, refusePast, type ScheduleInput } from './schedule.ts';

export interface Schedule {
  arn: string;
  input: ScheduleInput;
  timing: Timing;
  createdAt: number;
  modifiedAt: number;
  /** Absent once it has fired for the last time. */
  due?: Entry<Schedule> | undefined;
}

export interface Group {
  name: string;
  arn: string;
  createdAt: number;
  schedules: Map<string, Schedule>;
}

/** Every schedule and schedule group, firing when due. */
export class Schedules {
  readonly #arnPrefix: string;
  readonly #deliver: Deliver;
  readonly #groups = new Map<string, Group>();
  readonly #timers = new TimerHeap<Schedule>((schedule) => this.#fire(schedule));

  constructor(arnPrefix: string, deliver: Deliver) {
    this.#arnPrefix = arnPrefix;
    this.#deliver = deliver;
    this.createGroup('default');
  }

  createGroup(name: string): Group {
    if (this.#groups.has(name)) throw conflict(`Schedule group ${name} already exists.`);
    const arn = `${this.#arnPrefix}:schedule-group/${name}`;
    const group = { name, arn, createdAt: now(), schedules: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  group(name: string): Group {
    const group = this.#groups.get(name);
    if (!group) throw notFound(`Schedule group ${name} does not exist.`);
    return group;
  }

  groups(): Group[] {
    return [...this.#groups.values()];
  }

  deleteGroup(name: string): void {
    const group = this.group(name);
    if (name === 'default') throw new AwsError('ValidationException', 'The default schedule group cannot be deleted.');
    for (const schedule of group.schedules.values()) this.#delete(schedule);
    this.#groups.delete(name);
  }

  create(given: Record<string, unknown>): Schedule {
    const { input, timing } = parseSchedule(given);
    const { schedules } = this.group(input.GroupName);
    const existing = schedules.get(input.Name);
    // A client that repeats a request it got no answer to sends the same token.
    if (existing && input.ClientToken && existing.input.ClientToken === input.ClientToken) return existing;
    if (existing) throw conflict(`Schedule ${input.Name} already exists.`);
    refusePast(timing, input.ScheduleExpression);
    const createdAt = now();
    const arn = `${this.#arnPrefix}:schedule/${input.GroupName}/${input.Name}`;
    const schedule: Schedule = { arn, input, timing, createdAt, modifiedAt: createdAt };
    schedules.set(input.Name, schedule);
    this.#plan(schedule, firstFireMs(timing, input));
    return schedule;
  }

  /** Replaces everything: what the request leaves out takes its default. */
  update(given: Record<string, unknown>): Schedule {
    const { input, timing } = parseSchedule(given);
    const schedule = this.find(input.GroupName, input.Name);
    refusePast(timing, input.ScheduleExpression);
    Object.assign(schedule, { input, timing, modifiedAt: now() });
    this.#plan(schedule, firstFireMs(timing, input));
    return schedule;
  }

  find(groupName: string, name: string): Schedule {
    const schedule = this.#groups.get(groupName)?.schedules.get(name);
    if (!schedule) throw notFound(`Schedule ${name} does not exist.`);
    return schedule;
  }

  delete(groupName: string, name: string): void {
    this.#delete(this.find(groupName, name));
  }

  close(): void {
    this.#timers.clear();
  }

  #delete(schedule: Schedule): void {
    this.#plan(schedule, undefined);
    this.#groups.get(schedule.input.GroupName)?.schedules.delete(schedule.input.Name);
  }

  #plan(schedule: Schedule, fireAt: number | undefined): void {
    if (schedule.due) this.#timers.remove(schedule.due);
    schedule.due = fireAt === undefined ? undefined : this.#timers.add(fireAt, schedule);
  }

  #fire(schedule: Schedule): void {
    const { arn, input, timing, due } = schedule;
    const scheduledAt = due?.dueAt ?? now();
    schedule.due = undefined;
    const nextAt = nextFireMs(timing, input, scheduledAt);
    if (nextAt !== undefined) this.#plan(schedule, nextAt);
    else if (input.ActionAfterCompletion === 'DELETE') this.#delete(schedule);
    if (input.State === 'DISABLED') return;
    fire({ scheduleArn: arn, input, scheduledAt }, this.#deliver).catch((cause) =>
      console.error(`Schedule ${arn} could not be delivered:`, cause),
    );
  }
}

const conflict = (message: string) => new AwsError('ConflictException', message, { status: 409 });
const notFound = (message: string) => new AwsError('ResourceNotFoundException', message, { status: 404 });
