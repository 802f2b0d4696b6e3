import { after, now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { parseSchedule, type ScheduleInput } from './schedule.ts';

/** Puts `body` on the queue with this ARN; throws when it cannot. */
export type Deliver = (queueArn: string, body: string) => unknown;

/** Every schedule by its group and name, fired when it is due. */
export class Schedules {
  readonly #arnPrefix: string;
  readonly #deliver: Deliver;
  readonly #groups = new Map<string, Map<string, ScheduleInput>>();
  readonly #timers = new Set<() => void>();

  constructor(arnPrefix: string, deliver: Deliver) {
    this.#arnPrefix = arnPrefix;
    this.#deliver = deliver;
    this.createGroup('default');
  }

  createGroup(name: string): void {
    if (!this.#groups.has(name)) this.#groups.set(name, new Map());
  }

  /** Makes a schedule. Returns its ARN. */
  create(given: Record<string, unknown>): string {
    const { input, atMs } = parseSchedule(given);
    const schedules = this.#groups.get(input.GroupName);
    if (!schedules) throw failed('ResourceNotFoundException', `Schedule group ${input.GroupName} does not exist.`, 404);
    const existing = schedules.get(input.Name);
    const arn = `${this.#arnPrefix}:schedule/${input.GroupName}/${input.Name}`;
    // A client that repeats a request it got no answer to sends the same token.
    if (existing && input.ClientToken && existing.ClientToken === input.ClientToken) return arn;
    if (existing) throw failed('ConflictException', `Schedule ${input.Name} already exists.`, 409);
    schedules.set(input.Name, input);
    const cancel = after(Math.max(1, atMs - now()), () => {
      this.#timers.delete(cancel);
      this.#fire(input);
    });
    this.#timers.add(cancel);
    return arn;
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
  }

  /** Delivers to the schedule's target, or else to its dead-letter queue. */
  #fire({ Name, GroupName, ActionAfterCompletion, Target }: ScheduleInput): void {
    if (ActionAfterCompletion === 'DELETE') this.#groups.get(GroupName)?.delete(Name);
    try {
      this.#deliver(Target.Arn, Target.Input);
    } catch (cause) {
      const deadLetterArn = Target.DeadLetterConfig?.Arn;
      if (deadLetterArn) this.#deliver(deadLetterArn, Target.Input);
      else console.error(`Schedule ${Name} could not be delivered:`, cause);
    }
  }
}

const failed = (code: string, message: string, status: number) => new AwsError(code, message, { status });
