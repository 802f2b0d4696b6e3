import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one system has allowed and refused. */
export interface Usage {
  /** The role of each function. */
  roles: Record<string, string>;
  /** What each role, and the policies of resources under the name of none, allow. */
  grants: Record<string, string[]>;
  /** How often each caller has used which of them. */
  used: Counts;
  /** How often each caller has done what. */
  did: Counts;
  /** How often each caller was refused what. */
  denied: Counts;
}

const noUsage = (): Usage => ({ roles: {}, grants: {}, used: {}, did: {}, denied: {} });

/** Ids that each system has its own of. */
const ownIds = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** All numbers of workspaces are as one. */
const tenantPattern = '{workspace}*';
/** A grant under a name that is the same in each system. */
export const plain = (grant: string) => grant.replaceAll(ownIds, '…').replace(/\[[1-9]\*\]$/, `[${tenantPattern}]`);

const saveEveryMs = 1000;

/** Counts what is used and refused, in a file of its own in the folder. */
export class Counter {
  readonly #usage = noUsage();
  readonly #folder: string;
  readonly #name = `${process.pid}-${randomUUID()}.json`;
  readonly #timer: NodeJS.Timeout;
  #isSaved = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#timer = setInterval(() => this.save(), saveEveryMs).unref();
  }

  deployed(roles: Usage['roles'], grants: Usage['grants']): void {
    Object.assign(this.#usage, { roles, grants });
    this.#isSaved = false;
  }

  allowed(caller: string, did: string, grants: readonly string[]): void {
    add(this.#usage.did, caller, did);
    for (const grant of grants) add(this.#usage.used, caller, grant);
    this.#isSaved = false;
  }

  refused(caller: string, what: string): void {
    add(this.#usage.denied, caller, what);
    this.#isSaved = false;
    this.save();
  }

  close(): void {
    clearInterval(this.#timer);
    this.save();
  }

  save(): void {
    if (this.#isSaved) return;
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, this.#name), JSON.stringify(this.#usage));
    this.#isSaved = true;
  }
}

type Counts = Record<string, Record<string, number>>;

function add(counts: Counts, caller: string, what: string, times = 1): void {
  counts[caller] ??= {};
  counts[caller][what] = (counts[caller][what] ?? 0) + times;
}

/** What all systems that have counted in a folder come to, under names that are the same in each. */
export function readUsage(folder: string): Usage {
  const all = noUsage();
  for (const name of readdirSync(folder)) {
    // One that was killed may have left half a file.
    const usage = parsed(readFileSync(join(folder, name), 'utf8'));
    if (!usage) continue;
    Object.assign(all.roles, usage.roles);
    for (const [role, grants] of Object.entries(usage.grants))
      all.grants[role] = [...new Set([...(all.grants[role] ?? []), ...grants.map(plain)])];
    for (const kind of ['used', 'did', 'denied'] as const)
      for (const [caller, counts] of Object.entries(usage[kind]))
        for (const [what, times] of Object.entries(counts)) add(all[kind], caller, plain(what), times);
  }
  return all;
}

function parsed(text: string): Usage | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
