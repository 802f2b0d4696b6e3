import { createHmac } from 'node:crypto';
import type { AwsError } from './aws-error.ts';
import type { Credentials } from './files.ts';
import { shown } from './iam/asked.ts';
import type { Values } from './iam/condition.ts';
import { accessDenied } from './iam/denial.ts';
import { Policies } from './iam/policies.ts';
import type { Principal } from './iam/statement.ts';
import { tableUses } from './iam/table.ts';
import { Counter } from './iam/usage.ts';
import type { Home } from './template/identities.ts';
import type { Deployment } from './template.ts';

/** Who calls, and by what name it is counted: a function, or a service of AWS. */
export interface Caller {
  name: string;
  principal: Principal;
}

/** Who signed a request: a function with the credentials of its role, or the account's owner, who may do everything. */
export interface Signer extends Credentials {
  caller: Caller | undefined;
}

/**
 * Who may do what on this system: every function has credentials of its own, as Lambda gives it those of its role, and each service asks
 * what the policies of the templates say of the caller.
 */
export class Iam {
  readonly #home: Home;
  readonly #owner: Credentials;
  readonly #signers = new Map<string, Signer>();
  readonly #roles = new Map<string, string>();
  readonly #tables = new Map<string, string>();
  readonly #counter: Counter;
  #policies = new Policies(() => []);

  constructor({ home, owner, usage }: { home: Home; owner: Credentials; usage: string }) {
    this.#home = home;
    this.#owner = owner;
    this.#counter = new Counter(usage);
    this.#signers.set(owner.accessKeyId, { ...owner, caller: undefined });
  }

  deploy({ resources: find, functions, tables }: Pick<Deployment, 'resources' | 'functions' | 'tables'>): void {
    this.#policies = new Policies(find);
    for (const { name, role } of functions) {
      const credentials = this.credentialsOf(name);
      this.#roles.set(name, role);
      this.#signers.set(credentials.accessKeyId, { ...credentials, caller: { name, principal: { role } } });
    }
    for (const { TableName, KeySchema = [] } of tables)
      this.#tables.set(TableName, KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '');
    const { roles, resources } = this.#policies.grants();
    this.#counter.deployed(Object.fromEntries(this.#roles), { ...Object.fromEntries(roles), '': resources });
  }

  signer(accessKeyId: string): Signer | undefined {
    return this.#signers.get(accessKeyId);
  }

  /** The same at every start, so that a URL that was signed before opens after. */
  credentialsOf(functionName: string): Credentials {
    const made = (of: string) =>
      createHmac('sha256', this.#owner.secretAccessKey).update(`${of} of ${functionName}`).digest('hex');
    // As long as the owner's, in whose place it stands in a request (guard.ts).
    const accessKeyId = `LOCAL${made('key').toUpperCase()}`.slice(0, this.#owner.accessKeyId.length);
    return { accessKeyId, secretAccessKey: made('secret').slice(0, 40) };
  }

  /** Throws what the service answers who may not. The owner may. */
  require(caller: Caller | undefined, action: string, resource: string, values: Values = {}): void {
    const denial = caller && this.#denial(caller, action, resource, values);
    if (denial) throw denial;
  }

  /** The same of a function, by its name. */
  requireOf(functionName: string, action: string, resource: string, values?: Values): void {
    this.require(this.#callerOf(functionName), action, resource, values);
  }

  /** Whether a caller may, where nobody hears of it when they may not. */
  may(caller: Caller | undefined, action: string, resource: string, values: Values = {}): boolean {
    if (!caller) return true;
    const { isAllowed, grants } = this.#policies.decide({ ...caller, action, resource, values });
    if (isAllowed) this.#counter.allowed(caller.name, shown({ action, resource, values }), grants);
    return isAllowed;
  }

  /** Throws when a service may not do this by itself, on account of one of our resources. */
  requireOfService(service: string, action: string, resource: string, sourceArn: string): void {
    this.require({ name: service, principal: { service } }, action, resource, this.#sourceValues(sourceArn));
  }

  mayService(service: string, action: string, resource: string, sourceArn: string): boolean {
    const caller = { name: service, principal: { service } };
    return this.may(caller, action, resource, this.#sourceValues(sourceArn));
  }

  /** Throws when a service may not do this with a role that it is given. */
  requireOfRole(service: string, role: string, action: string, resource: string, sourceArn: string): void {
    this.requireOfService(service, 'sts:AssumeRole', role, sourceArn);
    this.require({ name: service, principal: { role } }, action, resource);
  }

  /** What DynamoDB answers who may not. */
  denialOfTable(caller: Caller, operation: string, asked: object): AwsError | undefined {
    const { region, accountId } = this.#home;
    const keyOf = (table: string) => this.#tables.get(table) ?? '';
    for (const { table, index, action, partitions } of tableUses(operation, asked, keyOf)) {
      const place = index === undefined ? '' : `/index/${index}`;
      const resource = `arn:aws:dynamodb:${region}:${accountId}:table/${table}${place}`;
      const values = partitions.length > 0 ? { 'dynamodb:leadingkeys': partitions } : {};
      const denial = this.#denial(caller, `dynamodb:${action}`, resource, values);
      if (denial) return denial;
    }
    return undefined;
  }

  close(): void {
    this.#counter.close();
  }

  #denial(caller: Caller, action: string, resource: string, values: Values): AwsError | undefined {
    const { name, principal } = caller;
    const { isAllowed, because, grants } = this.#policies.decide({ principal, action, resource, values });
    const what = shown({ action, resource, values });
    if (isAllowed) {
      this.#counter.allowed(name, what, grants);
      return undefined;
    }
    this.#counter.refused(name, what);
    return accessDenied({ who: this.#arnOf(caller), action, resource, because });
  }

  #callerOf(functionName: string): Caller {
    return { name: functionName, principal: { role: this.#roles.get(functionName) ?? '' } };
  }

  #arnOf({ name, principal }: Caller): string {
    if ('service' in principal) return principal.service;
    return `arn:aws:sts::${this.#home.accountId}:assumed-role/${principal.role.split('/').at(-1)}/${name}`;
  }

  #sourceValues = (sourceArn: string): Values => ({
    'aws:sourceaccount': this.#home.accountId,
    'aws:sourcearn': sourceArn,
  });
}
